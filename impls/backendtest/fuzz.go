package backendtest

import (
	"testing"

	"example.com/idlab/impls"
)

// Fuzz is a fuzz target that decodes bytes into operations, eight bytes each,
// and makes them on b and on the model.
func Fuzz(f *testing.F, b impls.Backend) {
	for _, genes := range seeds {
		var data []byte
		for _, g := range genes {
			data = g.appendTo(data)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 48
		genes := readGenes(data, most)
		l := newLockstep(b)
		must(t, l.evolve(genes))
		if _, ok := l.got.(impls.BulkLoader); ok {
			must(t, l.reload(b))
		}
		n := normalizerLockstep{got: b.NewNormalizer()}
		must(t, n.evolve(genes))
	})
}

// seeds are histories from which a fuzzer gets far in few steps.
var seeds = [][]gene{
	{},
	{{kind: 0}, {kind: 1, form: 2, fill: 3}, {kind: 4, fill: 0}, {kind: 3, form: 8, value: 25}},
	{{kind: 0, form: 9}, {kind: 0, form: 8}, {kind: 0, form: 1, value: 1}, {kind: 1, pick: 1}, {kind: 1, form: 9}, {kind: 0, pick: 2, form: 2, value: 2}},
	{{kind: 0, value: 7}, {kind: 0, form: 4, value: 1}, {kind: 0, form: 5, value: 2}, {kind: 0, form: 6, fill: 9, value: 5},
		{kind: 1, pick: 0, form: 6, value: 3}, {kind: 1, pick: 1, form: 6, value: 10}, {kind: 1, pick: 2, form: 6, value: 19}, {kind: 1, pick: 0, form: 3, value: 10}},
}
