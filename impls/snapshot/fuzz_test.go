package snapshot_test

import (
	"bytes"
	"reflect"
	"testing"
	"testing/iotest"

	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/internal/statetest"
)

// FuzzParse: any bytes are refused, or load and are written back as they are.
func FuzzParse(f *testing.F) {
	for name := range statetest.Small() {
		f.Add(small(f, name))
	}
	for _, h := range hostile {
		f.Add(h.edit(small(f, h.of)))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkLoads(t, data) })
}

// FuzzParseText: a text that is read is the one that is written, but for line
// breaks at its end.
func FuzzParseText(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		data, err := snapshot.DecodeText(text)
		if err != nil {
			if s, read := snapshot.ParseText(text); s != nil || read == nil || read.Error() != err.Error() {
				t.Fatalf("%v, and %v", err, read)
			}
			return
		}
		if back := snapshot.AppendEncode(nil, data); !bytes.Equal(back, bytes.TrimRight(text, "\r\n")) {
			t.Fatalf("%q is encoded as %q", text, back)
		}
		checkLoads(t, data)
	})
}

// FuzzReadText: reading in parts, of any size, is like reading at once. The
// text is repeated, for it to have several parts.
func FuzzReadText(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, whole := range [][]byte{text, append(bytes.Repeat([]byte("AAAA"), 8<<10), text...)} {
			want, err := snapshot.ParseText(whole)
			for _, r := range []func() (*snapshot.State, error){
				func() (*snapshot.State, error) { return snapshot.ReadText(bytes.NewReader(whole), len(whole)) },
				func() (*snapshot.State, error) {
					return snapshot.ReadText(iotest.HalfReader(bytes.NewReader(whole)), len(whole))
				},
			} {
				got, read := r()
				if (err == nil) != (read == nil) || err != nil && err.Error() != read.Error() || !reflect.DeepEqual(got, want) {
					t.Fatalf("%v, and %v in parts", err, read)
				}
			}
		}
	})
}

func addTexts(f *testing.F) {
	for name := range statetest.Small() {
		f.Add(snapshot.AppendEncode(nil, small(f, name)))
	}
	for _, text := range []string{"", "\n", "AAA=", "A\nAAA", emptyText, emptyText + "\r\n", twoText, twoText[:40] + "-" + twoText[41:]} {
		f.Add([]byte(text))
	}
}
