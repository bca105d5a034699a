package compare

import (
	"encoding/json"
	"math"
	"testing"
)

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFloatJSON(t *testing.T) {
	for _, c := range []struct {
		f    Float
		want string
	}{{1.5, "1.5"}, {Float(math.Inf(1)), "null"}, {unknown, "null"}, {1e-9, "1e-09"}} {
		b := mustJSON(t, c.f)
		if string(b) != c.want {
			t.Errorf("%v is written as %s, want %s", float64(c.f), b, c.want)
		}
		var back Float
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if back.Known() != c.f.Known() || c.f.Known() && back != c.f {
			t.Errorf("%v is read back as %v", c.f, back)
		}
	}
}
