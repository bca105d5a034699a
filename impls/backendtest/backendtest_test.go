package backendtest

import (
	"flag"
	"os"
	"testing"

	"example.com/idlab/impls"
	"example.com/idlab/impls/model"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Mutants have to fail: no file is to be kept of it, nor time spent on it.
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "200ms"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// sized is the model with a size, so that no heap is measured at every step.
type sized struct{ model.Table }

func (t *sized) Bytes() int64 { return int64(16*t.SessionCount() + 40*t.ClusterCount()) }

// The model passes the suite, of which the cases by hand and the documents by
// construction do not come from it.
func TestModel(t *testing.T) {
	b := model.Backend
	b.NewTable = func() impls.ClusterTable { return &sized{} }
	for _, part := range []string{"Cases", "Steps", "Widths", "NormalizerCases", "NormalizerSteps"} {
		for _, v := range Violations(b, part) {
			t.Errorf("%s: %s", v.Part, v.Log)
		}
	}
	for _, d := range documents() {
		d.nSessions, d.nClusters = min(d.nSessions, 40), 120 // all of it takes the model ten seconds
		c := d.build()
		if err := c.verify(newModel(c.history())); err != nil {
			t.Error(err)
		}
	}
}
