package compare

import (
	"slices"
	"strings"
)

// Choose says which backend to run, and which form to store, on the evidence
// of s. It refuses (an *InputError, an *OptionError) what it cannot judge:
// another tool's benchmarks, mixed environments, no times.
func Choose(s *Set, o Options) (Choice, error) {
	if err := o.check(); err != nil {
		return Choice{}, err
	}
	if err := s.Check(); err != nil {
		return Choice{}, err
	}
	e := newEngine(o)
	noise := e.measureNoise(s)
	backends := e.backendContest(s)
	if noise.Level.Known() {
		e.Margin = max(o.Margin, float64(noise.Level))
	} else {
		backends.warn("no noise was measured (no probe, no A/A twin): the margin is the user's alone")
	}
	return Choice{Backend: e.decide(backends), Form: e.decide(e.formContest(s)), Noise: noise}, nil
}

// Answer gives the choice as `idlab choose --json` prints it.
func (c *Choice) Answer(out string) Answer {
	name := func(v *Verdict) *string {
		if v.Choice == "" {
			return nil
		}
		return &v.Choice
	}
	return Answer{
		Verdict: c.Backend.Outcome, Backend: name(&c.Backend), Equivalent: nonNil(c.Backend.Equivalent),
		Form: name(&c.Form), Evidence: nonNil(c.Backend.Evidence), MoreRounds: c.Backend.MoreRounds, Out: out,
		Sentence: c.Backend.Sentence, FormVerdict: c.Form.Outcome, FormEvidence: nonNil(c.Form.Evidence),
	}
}

func nonNil[T any](x []T) []T {
	if x == nil {
		return []T{}
	}
	return x
}

// forBackend reports whether a benchmark counts in the choice of a backend.
// Encoding into another stored form costs the same whatever the backend, so
// that only the plain form counts.
func forBackend(id ID) bool {
	form := id.Key("form")
	return form == "" || form == "v3"
}

// forForm returns the benchmarks of stored forms that, of several candidates,
// the default backend alone was measured with. They are there for the choice of
// the form, and there is nothing in them to compare backends by.
func (e *engine) forForm(s *Set) map[ID]bool {
	who := make(map[ID][]string)
	all := make(map[string]bool)
	for key := range s.samples {
		if key.unit != UnitTime || key.who.Role() != Candidate {
			continue
		}
		all[key.who.Backend] = true
		if key.id.Key("form") != "" {
			who[key.id] = append(who[key.id], key.who.Backend)
		}
	}
	only := make(map[ID]bool)
	for id, names := range who {
		if len(all) > 1 && len(names) == 1 && names[0] == e.Default {
			only[id] = true
		}
	}
	return only
}

// backendContest puts the candidates' speed and memory side by side.
func (e *engine) backendContest(s *Set) *contest {
	c := &contest{question: "backend", tieBreak: "memory", tieWord: "less memory"}
	forForm := e.forForm(s)
	g := newGrid(s, func(id ID, who Subject) (ID, string, bool) {
		return id, who.Backend, who.Role() == Candidate && forBackend(id) && !forForm[id]
	})
	e.fillBackends(c, g)
	return c
}

// fillBackends weighs speed and memory of the contestants in g.
func (e *engine) fillBackends(c *contest, g *grid) {
	ids := g.ids(UnitTime)
	if e.Shares != nil { // what the workload does not do leaves nobody out
		ids = slices.DeleteFunc(ids, func(id ID) bool { return e.Shares[shareName(id, e.Shares)] == 0 })
	}
	share, unmatched := shares(ids, e.Shares)
	for _, name := range unmatched {
		c.warn("the workload's share of %s is not counted: nothing measured it", name)
	}
	for i, id := range ids {
		c.benchmarks = append(c.benchmarks, Weight{id.String(), share[i]})
	}
	memory := g.ids(UnitMemory)
	c.fill(g, e.PairByIndex,
		newNeed("speed", UnitTime, "speed", e.Weights.Speed, 1, ids, share),
		newNeed("memory", UnitMemory, "memory", e.Weights.Memory, 1, memory, equal(len(memory))))
}

// formContest puts the stored forms' size, encode and decode time side by side,
// over the backends and documents that every form was measured with.
func (e *engine) formContest(s *Set) *contest {
	c := &contest{question: "form", tieBreak: "size", tieWord: "smaller"}
	g := newGrid(s, func(id ID, who Subject) (ID, string, bool) {
		form := id.Key("form")
		if form == "" || who.Role() != Candidate {
			return id, "", false
		}
		// The form is the contestant; the backend joins what is measured.
		id.Variant = strings.ReplaceAll(id.Variant, "form="+form, "backend="+who.Backend)
		return id, form, true
	})
	size, encode, decode := g.common(UnitSize, "Serialize"), g.common(UnitTime, "Serialize"), g.common(UnitTime, "Deserialize")
	w := e.Weights
	c.fill(g, e.PairByIndex,
		newNeed("encode", UnitTime, "speed", w.Speed, 0.5, encode, equal(len(encode))),
		newNeed("decode", UnitTime, "speed", w.Speed, 0.5, decode, equal(len(decode))),
		newNeed("size", UnitSize, "size", w.Size, 1, size, equal(len(size))))
	return c
}
