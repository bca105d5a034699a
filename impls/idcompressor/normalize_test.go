package idcompressor_test

import (
	"math"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

func (e env) refuseSession(c *compressor, class error, o op, origin uuid.UUID) {
	e.Helper()
	e.refused(c, class, func() error { _, err := c.NormalizeToSessionSpace(o, origin); return err })
}

// withoutOrigin normalizes a final form.
func (e env) withoutOrigin(c *compressor, o op) id {
	e.Helper()
	x, ok, err := c.TryNormalizeToSessionSpace(o)
	e.must(err)
	if !ok {
		e.Fatalf("%d needs an origin", o)
	}
	return x
}

func TestNormalize(t *testing.T) {
	run(t, "R78 R79", func(e env) {
		c := e.new()
		x := e.gen1(c)
		e.equal("R78", e.op(c, x), op(x))
		e.sync(c)
		e.equal("R79", e.op(c, x), op(0))
	})
	run(t, "R80", func(e env) {
		c := e.with(1)
		x := e.gen1(c)
		e.equal("op form", e.op(c, x), op(x))
		e.equal("session form", e.session(c, op(x), s1), x)
	})
	run(t, "R81 R82 R83", func(e env) {
		a, b := e.new(), e.new(session(s2))
		x := e.gen1(a)
		e.refuseSession(b, idcompressor.ErrUnknownSession, op(x), s1)
		e.sync(a, b)
		final := e.op(a, x)
		e.equal("R82", e.session(b, final, s1), id(final))
		e.equal("R83", e.session(b, op(x), s1), id(final))
	})
	run(t, "R84", func(e env) {
		a, b := e.new(), e.new(session(s2))
		x := e.gen1(a)
		e.sync(a, b)
		remote := e.session(b, e.op(a, x), s1)
		e.equal("back home", e.session(a, e.op(b, remote), s2), x)
	})
	run(t, "R85 R86 R87 R88", func(e env) {
		a, b := e.new(), e.new(session(s2))
		x := e.gen1(a)
		for _, o := range []op{op(x), -7} { // R85
			if _, ok, err := a.TryNormalizeToSessionSpace(o); ok || err != nil {
				e.Fatalf("R85: %v, %v", ok, err)
			}
		}
		e.sync(a, b)
		final := e.op(a, x)
		e.equal("R86", e.withoutOrigin(a, final), x)
		e.equal("R87", e.withoutOrigin(b, final), e.session(b, final, s1))
		eager := e.gen1(a)
		e.equal("R88", e.withoutOrigin(a, op(eager)), eager)
	})
	run(t, "R89", func(e env) {
		c := e.new()
		e.refused(c, idcompressor.ErrUnknownID, func() error {
			_, ok, err := c.TryNormalizeToSessionSpace(999999)
			e.equal("found", ok, false)
			return err
		})
	})
	run(t, "local forms of the own session", func(e env) {
		c := e.new()
		e.refuseSession(c, idcompressor.ErrUnknownID, -1, s1) // never unknown-session
		e.refuseSession(c, idcompressor.ErrUnknownID, math.MinInt64, s1)
		x := e.gen1(c)
		e.equal("session form", e.session(c, op(x), s1), x)
		for _, bad := range []id{-2, math.MinInt64, -impls.MaxID} {
			e.refused(c, idcompressor.ErrUnknownID, func() error { _, err := c.NormalizeToOpSpace(bad); return err })
		}
	})
	run(t, "local forms of a remote session", func(e env) {
		c := e.new()
		e.finalize(ranged(s2, 1, 2, 3), c)
		for _, o := range []op{-3, -5, -6, math.MinInt64} { // reserved, and beyond
			e.refuseSession(c, idcompressor.ErrUnknownID, o, s2)
		}
		e.refuseSession(c, idcompressor.ErrInvalidUUID, -1, uuid.Nil)
	})
	run(t, "earlier clusters", func(e env) {
		c := e.new(size(1))
		ids := e.gen(c, 2)
		e.sync(c)
		for n := int64(1); n <= 6; n++ { // an other session's cluster between ours
			e.finalize(ranged(add(s2, 100*n), 1, 1, 1), c)
			ids = append(ids, e.gen(c, 3)...)
			e.sync(c)
		}
		if n := len(clusters(c)); n < 10 {
			e.Fatal("too few clusters", n)
		}
		for i, x := range ids {
			o := e.op(c, x)
			allFinal(e, "op form", []op{o}, true)
			e.equal("session form", e.session(c, o, s2), x)
			e.known(c, x, add(s1, int64(i)))
		}
	})
	run(t, "Q5", func(e env) { // final IDs go out as they are
		c := e.new()
		for _, x := range []id{0, 12345, math.MaxInt64} {
			e.equal("op form", e.op(c, x), op(x))
		}
	})
	run(t, "Q6", func(e env) { // remote finals are held against the last cluster only
		c := e.new()
		e.must(c.BeginGhostSession(s3, func() error { return nil }))
		e.finalize(ranged(s2, 1, 1, 9), c)
		e.finalize(ranged(s3, 1, 1, 9), c)
		for _, o := range []op{1, 9, 10} {
			e.equal("session form", e.session(c, o, s2), id(o))
		}
		e.unknown(c, 9)
		e.refuseSession(c, idcompressor.ErrUnknownID, 11, s3)
	})
	run(t, "Q7", func(e env) { // the origin of a final does not count, but must parse
		c := e.with(1)
		e.equal("session form", e.session(c, 0, s3), id(-1))
		e.refuseSession(c, idcompressor.ErrInvalidUUID, 0, uuid.Nil)
	})
	run(t, "Q8", func(e env) { // remote local forms are converted by count alone
		a, b := e.new(), e.new(session(s2))
		e.gen1(a)
		e.sync(a, b)
		e.next(a, 1)
		e.sync(a, b)
		e.equal("session form", e.session(b, -2, s1), id(1))
	})
}
