//go:build !race

package idcompressor_test

import (
	"testing"

	"github.com/google/uuid"
)

// What the doc comments promise not to allocate.
func TestAllocations(t *testing.T) {
	run(t, "none", func(e env) {
		local, eager := e.new(), e.new(size(1<<20))
		e.gen1(eager)
		e.sync(eager)
		c, ids := e.mixture()
		op0, stable := e.ops(c, ids), e.stables(c, ids)
		remote := ranged(add(s3, 1), 1, 1, 1<<20)
		e.finalize(remote, c)
		remote.IDs.FirstGenCount = 2
		dst, us, text := make([]id, 0, 64), make([]uuid.UUID, 0, 64), make([]byte, 0, 36)
		idle := e.new()
		at := 0
		next := func() int { at++; return at % len(ids) }
		var err error
		for name, call := range map[string]func(){
			"Generate local": func() { _, err = local.Generate() },
			"Generate eager": func() { _, err = eager.Generate() },
			"AppendGenerate": func() { _, err = eager.AppendGenerate(dst, 64) },
			"FinalizeCreationRange": func() {
				err = c.FinalizeCreationRange(remote)
				remote.IDs.FirstGenCount++
			},
			"NormalizeToOpSpace":         func() { _, err = c.NormalizeToOpSpace(ids[next()]) },
			"NormalizeToSessionSpace":    func() { _, err = c.NormalizeToSessionSpace(op0[next()], s1) },
			"TryNormalizeToSessionSpace": func() { _, _, err = c.TryNormalizeToSessionSpace(max(0, op0[next()])) },
			"Decompress":                 func() { _, err = c.Decompress(ids[next()]) },
			"AppendStableID":             func() { _, err = c.AppendStableID(text, ids[next()]) },
			"Recompress":                 func() { _, err = c.Recompress(stable[next()]) },
			"AppendDecompress":           func() { _, err = c.AppendDecompress(us, ids[:64]) },
			"AppendDecompressRange":      func() { _, err = c.AppendDecompressRange(us, 0, 60) },
			"AppendRecompress":           func() { c.AppendRecompress(dst, nil, stable[:64]) },
			"TakeNextCreationRange":      func() { _, err = idle.TakeNextCreationRange() },
			"GenerateDocumentUniqueID":   func() { _, err = local.GenerateDocumentUniqueID() },
		} {
			if n := testing.AllocsPerRun(100, call); n != 0 || err != nil {
				e.Errorf("%s: %v allocations, error %v", name, n, err)
			}
		}
	})
	run(t, "a range", func(e env) { // its IDs, and their list of local ones
		c := e.new()
		n := testing.AllocsPerRun(100, func() {
			if _, err := c.Generate(); err != nil {
				e.Fatal(err)
			}
			if _, err := c.TakeNextCreationRange(); err != nil {
				e.Fatal(err)
			}
		})
		e.equal("allocations", n, 2.0)
	})
}
