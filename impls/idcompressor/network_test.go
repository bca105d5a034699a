package idcompressor_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// network is the reference's test network: clients that send ranges with the
// op forms of their IDs through one total order.
type network struct {
	env
	clients  []*client
	messages []message
}

// message is what a client sent. One of an outside client has none of the IDs.
type message struct {
	sender int // -1 outside
	r      idcompressor.CreationRange
	ops    []op
}

type client struct {
	*compressor
	at  int    // messages delivered
	log []id   // session forms of what was delivered
	own []bool // which of it this client made
}

func (e env) network(sizes ...int64) *network {
	e.Helper()
	n := &network{env: e}
	for i, s := range []uuid.UUID{s1, s2, s3} {
		size1 := sizes[min(i, len(sizes)-1)]
		n.clients = append(n.clients, &client{compressor: e.new(session(s), size(size1))})
	}
	return n
}

// send has a client make IDs and send them. It returns the IDs as made.
func (n *network) send(from, count int) []id {
	n.Helper()
	c := n.clients[from]
	ids := n.gen(c.compressor, count)
	ops := n.ops(c.compressor, ids)
	r := n.take(c.compressor)
	if r.IDs != nil {
		// R141: the range lists exactly the IDs that are local, at their places.
		var locals []id
		for _, run := range r.IDs.LocalIDRanges {
			for gen := run.First; gen <= run.Last(); gen++ {
				locals = append(locals, id(-gen))
			}
		}
		made := slices.DeleteFunc(slices.Clone(ids), id.IsFinal)
		n.equal("R141: local ranges", locals, made)
		for i, x := range ids {
			if !x.IsFinal() {
				n.equal("R141: place", -int64(x)-r.IDs.FirstGenCount, int64(i))
			}
		}
	}
	n.messages = append(n.messages, message{from, r, ops})
	return ids
}

// outside has a client from outside send a range.
func (n *network) outside(count int) {
	// R154: of a fresh session, with empty local ranges.
	n.messages = append(n.messages, message{-1, ranged(uuid.New(), 1, int64(count), n.clients[0].ClusterSize()), nil})
}

// deliver delivers a client its next messages.
func (n *network) deliver(to, count int) {
	n.Helper()
	c := n.clients[to]
	for range min(count, len(n.messages)-c.at) {
		m := n.messages[c.at]
		c.at++
		n.finalize(m.r, c.compressor)
		for _, o := range m.ops {
			c.log = append(c.log, n.env.session(c.compressor, o, m.r.SessionID))
			c.own = append(c.own, m.sender == to)
		}
	}
}

func (n *network) deliverAll() {
	n.Helper()
	for i := range n.clients {
		n.deliver(i, len(n.messages))
	}
}

// reconnect takes a client through its serialized form, whatever is under way.
func (n *network) reconnect(i int) { // R155
	n.Helper()
	c := n.clients[i]
	c.compressor = n.resume(c.compressor)
}

// validate checks R142-R152 on what was delivered.
func (n *network) validate() {
	n.Helper()
	for i, c := range n.clients {
		n.undelivered(i)
		if len(c.log) == 0 {
			n.roundTrips(c.compressor)
			continue
		}
		ops := n.ops(c.compressor, c.log)
		allFinal(n.env, "R147: op forms", ops, true)
		stables := n.stables(c.compressor, c.log)
		distinct(n.env, "R143: UUID", stables)
		distinct(n.env, "R151: op form", ops)
		var minted int64
		for at, x := range c.log {
			n.equal("R146", n.recompress(c.compressor, stables[at]), x)
			again := n.env.session(c.compressor, ops[at], c.LocalSessionID())
			n.equal("R148", again, x)
			n.equal("R149", n.stable(c.compressor, again), stables[at])
			if c.own[at] {
				n.equal("R145", stables[at], add(c.LocalSessionID(), minted))
				minted++
			} else {
				n.equal("R144: local", x.IsFinal(), true)
			}
		}
		n.roundTrips(c.compressor) // R152
	}
	n.aligned(0, 1)
	n.aligned(1, 2)
}

// aligned checks R150 (R61 when all is delivered) on what two clients have in common.
func (n *network) aligned(i, j int) {
	n.Helper()
	a, b := n.clients[i], n.clients[j]
	for at := range min(len(a.log), len(b.log)) {
		o := n.op(a.compressor, a.log[at])
		n.equal("R61 R150: op form", n.op(b.compressor, b.log[at]), o)
		u := n.stable(a.compressor, a.log[at])
		n.equal("R61 R150: UUID", n.stable(b.compressor, b.log[at]), u)
		n.equal("R150: op form on the other client", n.stable(b.compressor, id(o)), u)
	}
}

// undelivered checks R142 on a copy, since taking moves the cursor.
func (n *network) undelivered(i int) {
	n.Helper()
	c := n.clients[i]
	var want idcompressor.CreationRange
	want.SessionID = c.LocalSessionID()
	for _, m := range n.messages[c.at:] {
		if m.sender != i || m.r.IDs == nil {
			continue
		}
		if want.IDs == nil {
			want = ranged(c.LocalSessionID(), m.r.IDs.FirstGenCount, 0, c.ClusterSize())
		}
		want.IDs.Count += m.r.IDs.Count
		for _, run := range m.r.IDs.LocalIDRanges {
			locals := want.IDs.LocalIDRanges
			if k := len(locals); k > 0 && locals[k-1].Last()+1 == run.First {
				locals[k-1].Count += run.Count
			} else {
				want.IDs.LocalIDRanges = append(locals, run)
			}
		}
	}
	n.equal("R142", n.takeUnfinalized(n.resume(c.compressor)), want)
}

// converge delivers everything and validates.
func (n *network) converge() {
	n.Helper()
	n.deliverAll()
	n.validate()
	for i, c := range n.clients {
		n.equal("log", len(c.log), len(n.clients[0].log))
		other := n.clients[(i+1)%len(n.clients)]
		n.same(c.compressor, other.compressor, false, true)
		n.same(n.load(n.serialized(c.compressor, false), session(uuid.New())), n.load(n.serialized(other.compressor, false), session(uuid.New())), false, true)
	}
}

func TestNetwork(t *testing.T) {
	run(t, "R60 R61", func(e env) {
		n := e.network(fixtureSize)
		n.send(0, 3)
		n.send(1, 2*fixtureSize)
		n.send(2, 5)
		n.converge()
	})
	run(t, "R62", func(e env) {
		n := e.network(fixtureSize)
		n.send(0, fixtureSize)
		n.send(1, fixtureSize)
		n.send(0, fixtureSize)
		n.converge()
	})
	run(t, "R63", func(e env) {
		n := e.network(fixtureSize)
		n.send(0, 1)
		n.send(1, 1)
		n.send(0, 3*fixtureSize)
		n.converge()
		e.equal("clusters", len(clusters(n.clients[2].compressor)), 3)
	})
	run(t, "R72", func(e env) {
		n := e.network(2)
		n.send(0, 1)
		n.deliverAll()
		e.unknown(n.clients[1].compressor, 1)
	})
	run(t, "R73 R92 R93 R94 R95 R96", func(e env) {
		n := e.network(fixtureSize)
		a, b := n.clients[0].compressor, n.clients[1].compressor
		ids := n.send(0, 4)
		allFinal(e, "R94: own IDs", ids, false)
		allFinal(e, "R95: op forms", e.ops(a, ids), false)
		before := e.stables(a, ids)
		e.refuseSession(b, idcompressor.ErrUnknownSession, op(ids[0]), s1) // R93
		n.send(1, 3)
		n.converge()
		e.equal("R73: UUIDs", e.stables(a, ids), before)
		e.equal("R73 R94: log", n.clients[0].log[:4], ids)
		allFinal(e, "R92: op forms", e.ops(a, ids), true)
		allFinal(e, "R93 R96: the other's log", n.clients[1].log[:4], true)
		allFinal(e, "R96: op forms", e.ops(b, n.clients[1].log), true)
	})
	run(t, "R90 R91", func(e env) {
		n := e.network(fixtureSize)
		var made [3][]id
		for i := range n.clients {
			made[i] = n.send(i, 10)
			allFinal(e, "R90: op forms", e.ops(n.clients[i].compressor, made[i]), false)
		}
		n.converge()
		for i, c := range n.clients {
			allFinal(e, "R91: op forms", e.ops(c.compressor, made[i]), true)
		}
	})
	run(t, "R97 R98", func(e env) {
		n := e.network(fixtureSize)
		for i := range n.clients {
			n.send(i, 3)
		}
		n.converge()
		for _, c := range n.clients {
			for _, x := range c.log {
				e.equal("R97", e.recompress(c.compressor, e.stable(c.compressor, x)).IsFinal(), x.IsFinal())
				for _, origin := range []uuid.UUID{s1, s2, s3} {
					e.equal("R98", e.session(c.compressor, e.op(c.compressor, x), origin).IsFinal(), x.IsFinal())
				}
			}
		}
	})
	// Mixes that go through serialization; converge takes each client through it.
	for name, sends := range map[string][][2]int{
		"R122": {{0, 2}, {1, 1}, {0, 3}}, "R123": {{0, 1}, {2, 1}}, "R124": {{0, 2}}, "R125": {{0, 3}, {1, 3}},
		"R126": {{0, 2}, {1, 3}, {0, 5}, {1, 5}, {2, 3}},
	} {
		run(t, name, func(e env) {
			n := e.network(3)
			if name == "R124" {
				n = e.network(2)
			}
			for _, s := range sends {
				n.send(s[0], s[1])
			}
			n.deliverAll()
			n.send(0, 2) // not acknowledged
			n.validate()
			for i := range n.clients {
				n.reconnect(i)
			}
			n.converge()
		})
	}
	run(t, "R127", func(e env) {
		n := e.network(fixtureSize)
		for i := range n.clients {
			n.send(i, 2)
		}
		n.deliver(1, 3)
		n.deliver(2, 3)
		n.reconnect(0)
		for i := range n.clients {
			n.send(i, 2)
		}
		n.reconnect(0)
		n.converge()
	})
}

// R128 and R153: the reference's fuzz with its counts, weights and validations
// every 200 steps; R155's reconnects fall anywhere.
func TestNetworkFuzz(t *testing.T) {
	for _, c := range []struct {
		name string
		size int64
		seed uint64
		ops  int
	}{{"R153", fixtureSize, 1984, 5000}, {"R128", 3, 1, 5000}} {
		run(t, c.name, func(e env) {
			ops := c.ops
			if testing.Short() || e.backend.Name != idcompressor.DefaultBackend.Name {
				ops /= 5 // the whole of it on one backend
			}
			n := e.network(c.size)
			r := newWeighted(c.seed)
			for step := range ops {
				i := r.IntN(3)
				u := r.Float64()
				switch count := int(u*u*u*float64(2*c.size)) + 1; r.pick(1, 18, 2, 1, 6, 1) {
				case 0:
					e.must(n.clients[i].SetClusterSize(min(int64(u*u*25)+1, 25)))
				case 1:
					n.send(i, count)
				case 2:
					n.outside(count)
				case 3:
					n.deliverAll()
				case 4:
					if left := len(n.messages) - n.clients[i].at; left > 0 {
						n.deliver(i, 1+r.IntN(left))
					}
				case 5:
					n.reconnect(i)
				}
				if step%200 == 199 || step == ops-1 {
					n.converge()
				}
			}
		})
	}
}
