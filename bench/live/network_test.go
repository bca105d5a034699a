package live

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// network is a document on a total order in memory, on which a seed decides
// what happens next: who generates, publishes, reads, dies at which step of
// writing to its disk, is cut off, gets an old disk back.
type network struct {
	*testing.T
	rng    *rand.Rand
	order  Memory
	nodes  []*testNode
	given  map[uuid.UUID]bool // to an application
	lost   map[uuid.UUID]bool // with a disk that was replaced by an older one
	forked int
	died   map[string]int
	late   []*Outgoing // published, and not arrived yet

	forgets bool // the order forgets IDs, so that what comes late can make gaps
	gaps    int
}

type testNode struct {
	net *network
	dir string
	*Session
	told    map[uuid.UUID]int64 // generation count up to which the application was told, by session
	offline bool
	flight  *Outgoing
	life    int
}

// crash is what stands for SIGKILL: a panic at a step of the store.
type crash string

func newNetwork(t *testing.T, seed uint64, nodes int) *network {
	n := &network{
		T: t, rng: rand.New(rand.NewPCG(seed, 7)), given: map[uuid.UUID]bool{},
		lost: map[uuid.UUID]bool{}, died: map[string]int{}, forgets: seed%2 == 1,
	}
	for i := range nodes {
		node := &testNode{net: n, dir: filepath.Join(t.TempDir(), fmt.Sprint(i)), told: map[uuid.UUID]int64{}}
		n.nodes = append(n.nodes, node)
		node.start()
	}
	return n
}

func (n *network) must(err error) {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
}

func (n *network) uuid() uuid.UUID {
	var id uuid.UUID
	binary.LittleEndian.PutUint64(id[:], n.rng.Uint64())
	binary.LittleEndian.PutUint64(id[8:], n.rng.Uint64())
	id[6] = id[6]&0xf | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

// start starts a node's process: it resumes what the disk has or joins.
func (d *testNode) start() {
	n := d.net
	d.offline, d.flight = false, nil
	d.life++
	store, saved, err := OpenStore(d.dir, false)
	n.must(err)
	o := SessionOptions{Store: store, ClusterSize: 1 + n.rng.Int64N(40), SummaryEvery: 10, Refs: 2, Checks: 2, Seed: n.rng.Uint64()}
	if saved == nil {
		data, err := n.order.Summary(context.Background())
		n.must(err)
		var summary *Summary
		if data != nil {
			summary, err = ParseSummary(data)
			n.must(err)
		}
		d.Session, err = JoinSession(n.uuid(), summary, o)
		n.must(err)
	} else {
		d.Session, err = ResumeSession(saved, o)
		n.must(err)
	}
	d.catchUp()
}

func (d *testNode) catchUp() {
	for {
		next, ok := d.net.order.At(d.Applied() + 1)
		if !ok {
			break
		}
		if !d.apply(next) {
			return
		}
	}
	d.net.must(d.CaughtUp())
	for _, issued := range d.Recovered() {
		d.tell(issued)
	}
}

// apply applies a message, and reports false if the session was given up.
func (d *testNode) apply(m Delivery) bool {
	out, err := d.Apply(m)
	if errors.Is(err, idcompressor.ErrForkedSession) {
		d.net.forked++
		d.net.must(d.Store.Close())
		d.net.must(os.RemoveAll(d.dir))
		d.start()
		return false
	}
	d.net.must(err)
	for _, f := range out.Findings {
		switch {
		case f.Kind == string(Damaged):
		case f.Kind == string(Gap) && d.net.forgets:
			d.net.gaps++
		default:
			d.net.Fatal(f)
		}
	}
	if out.Summarize && !d.offline {
		data, err := d.Summary()
		d.net.must(err)
		d.net.must(d.net.order.PutSummary(context.Background(), data))
	}
	return true
}

// tell gives IDs to the application.
func (d *testNode) tell(i Issued) {
	for gen := max(i.First, d.told[i.Session]+1); gen < i.First+i.Count; gen++ {
		id := stableID(d.base, gen)
		if d.net.given[id] {
			d.net.Fatalf("ID %d of session %s was given twice", gen, i.Session)
		}
		d.net.given[id] = true
		d.told[i.Session] = gen
	}
}

func (d *testNode) act() {
	n := d.net
	switch k := n.rng.IntN(100); {
	case k < 28:
		n.must(d.Generate(1 + n.rng.IntN(12)))
		if n.rng.IntN(4) > 0 {
			issued, err := d.Cut(time.Time{})
			n.must(err)
			d.tell(issued)
		}
	case k < 53:
		d.publish()
	case k < 83:
		for range 1 + n.rng.IntN(8) {
			next, ok := n.order.At(d.Applied() + 1)
			if !ok || d.offline || !d.apply(next) {
				break
			}
		}
	case k < 88:
		if d.Drafted() == 0 {
			n.must(d.Checkpoint())
		}
	case k < 90: // cut off, or back
		if d.offline {
			d.offline = false
			d.catchUp()
		} else {
			d.offline, d.flight = true, nil
		}
	case k < 92:
		panic(crash("anywhere"))
	case k < 94:
		_, err := n.order.Publish(context.Background(), "", garbage(n.rng, &n.order))
		n.must(err)
	case k < 98:
		n.arrive()
	default: // the next steps of the disk are the last of this process
		left := n.rng.IntN(8)
		d.Store.step = func(at string) {
			if left--; left < 0 {
				panic(crash(at))
			}
		}
	}
}

// arrive has something arrive late in the order, or never.
func (n *network) arrive() {
	if len(n.late) == 0 {
		return
	}
	i := n.rng.IntN(len(n.late))
	out := n.late[i]
	n.late = slices.Delete(n.late, i, i+1)
	if n.rng.IntN(4) > 0 {
		_, err := n.order.Publish(context.Background(), out.ID, out.Data)
		n.must(err)
	}
}

// publish publishes a message: so that it arrives late, unacknowledged, twice,
// or after the order has forgotten what it had.
func (d *testNode) publish() {
	n := d.net
	out := d.Outgoing()
	if out == nil || d.offline {
		return
	}
	if n.forgets && n.rng.IntN(10) == 0 {
		n.order.ids = nil // the deduplication window is over
	}
	if n.rng.IntN(8) == 0 {
		n.late = append(n.late, out) // and whoever published it does not know
		return
	}
	ack, err := n.order.Publish(context.Background(), out.ID, out.Data)
	n.must(err)
	switch n.rng.IntN(4) {
	case 0: // the acknowledgement is lost
	case 1:
		ack, err = n.order.Publish(context.Background(), out.ID, out.Data)
		n.must(err)
		fallthrough
	default:
		n.must(d.Stored(out, ack))
	}
}

func (d *testNode) step() {
	defer func() {
		switch at := recover().(type) {
		case nil:
		case crash:
			d.net.died[string(at)]++
			d.Store.log.Close()
			if d.net.rng.IntN(4) == 0 {
				tear(d.net, d.dir)
			}
			d.start()
		default:
			panic(at)
		}
	}()
	d.act()
}

// tear leaves the beginning of another record at the log's end.
func tear(n *network, dir string) {
	logs, err := filepath.Glob(filepath.Join(dir, "log-*"))
	n.must(err)
	slices.SortFunc(logs, func(a, b string) int { return len(a) - len(b) })
	if len(logs) == 0 {
		return
	}
	f, err := os.OpenFile(logs[len(logs)-1], os.O_WRONLY|os.O_APPEND, 0)
	n.must(err)
	whole := appendRecord(nil, record{1, []generated{{1, 1}}, nil})
	_, err = f.Write(whole[:n.rng.IntN(len(whole))])
	n.must(errors.Join(err, f.Close()))
}

// settle ends a run: everybody comes back, and all that is pending is sent and
// read.
func (n *network) settle() {
	for len(n.late) > 0 {
		n.arrive()
	}
	for _, d := range n.nodes {
		d.Store.step = func(string) {}
		if d.offline {
			d.offline = false
		}
		issued, err := d.Cut(time.Time{})
		n.must(err)
		d.tell(issued)
		d.catchUp()
	}
	for round := 0; ; round++ {
		busy := false
		for _, d := range n.nodes {
			if d.Outgoing() != nil {
				d.publish()
			}
			for {
				next, ok := n.order.At(d.Applied() + 1)
				if !ok {
					break
				}
				d.apply(next)
			}
			ops, _ := d.Pending()
			busy = busy || ops > 0
		}
		last, _ := n.order.Last(context.Background())
		for _, d := range n.nodes {
			busy = busy || d.Applied() < last
		}
		if !busy && len(n.late) == 0 {
			return
		}
		n.arrive()
		if round > 10_000 {
			n.Fatal("it does not settle")
		}
	}
}

func (n *network) check() {
	want, err := n.nodes[0].Hash()
	n.must(err)
	last, _ := n.order.Last(context.Background())
	report, err := Examine(context.Background(), &n.order, last)
	n.must(err)
	if report.Hash != want {
		n.Fatalf("an observer has document %s, expected %s", report.Hash, want)
	}
	for _, d := range n.nodes {
		got, err := d.Hash()
		n.must(err)
		if got != want {
			n.Fatalf("session %s has document %s, expected %s", d.ID(), got, want)
		}
	}
	if len(report.Twice) > 0 {
		n.Fatalf("UUIDs given twice: %v", report.Twice)
	}
	for id := range n.given {
		if _, ok := n.nodes[0].c.TryRecompress(id); !ok && !n.lost[id] {
			n.Fatalf("ID %s was given to an application and is lost", id)
		}
	}
	if int(report.IDs) != len(n.given)-len(n.lost) {
		n.Fatalf("the document has %d IDs, the applications were given %d, of which %d are lost", report.IDs, len(n.given), len(n.lost))
	}
}

func TestNetwork(t *testing.T) {
	died, gaps := map[string]int{}, 0
	seeds := uint64(30)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n := newNetwork(t, seed, 2+int(seed%5))
			for range 500 {
				n.nodes[n.rng.IntN(len(n.nodes))].step()
			}
			n.settle()
			n.check()
			for at, k := range n.died {
				died[at] += k
			}
			gaps += n.gaps
			if n.forked > 0 {
				t.Fatalf("%d sessions were forked, and no disk was replaced", n.forked)
			}
		})
	}
	if testing.Short() {
		return
	}
	for _, at := range strings.Split("anywhere,append,sync log,committed,write checkpoint,open log,rename checkpoint,sync directory,remove old files,removed log-,removed state-", ",") {
		if died[at] == 0 {
			t.Errorf("no process died at step %q", at)
		}
	}
	if gaps == 0 {
		t.Error("nothing came so late that it made a gap")
	}
}

// A node whose disk is replaced by an older one finds out and joins as a new
// session; what only the newer disk had is lost, and nothing is given twice.
func TestOldDisk(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n := newNetwork(t, seed, 3)
			d := n.nodes[0]
			for range 100 {
				n.nodes[n.rng.IntN(3)].step()
			}
			d.Store.step = func(string) {}
			backup := t.TempDir()
			n.must(os.CopyFS(filepath.Join(backup, "disk"), os.DirFS(d.dir)))
			n.must(d.Generate(3))
			issued, err := d.Cut(time.Time{})
			n.must(err)
			d.tell(issued)
			d.offline = false
			d.catchUp()
			for ops := 1; ops > 0; ops, _ = d.Pending() { // all of it is sent
				d.publish()
				if next, ok := n.order.At(d.Applied() + 1); ok {
					d.apply(next)
				}
			}
			old := d.ID()
			n.must(d.Generate(5)) // and this is not
			issued, err = d.Cut(time.Time{})
			n.must(err)
			d.tell(issued)
			for gen := issued.First; gen < issued.First+issued.Count; gen++ {
				n.lost[stableID(d.base, gen)] = true
			}
			n.must(d.Store.Close())
			n.must(os.RemoveAll(d.dir))
			n.must(os.Rename(filepath.Join(backup, "disk"), d.dir))
			d.start()
			if n.forked != 1 || d.ID() == old {
				t.Fatalf("%d sessions were forked; the node has %s, before %s", n.forked, d.ID(), old)
			}
			for range 300 {
				n.nodes[n.rng.IntN(3)].step()
			}
			n.settle()
			n.check()
		})
	}
}
