package compare

import (
	"math"
	"slices"
)

// paretos draws speed against memory, and the stored forms' size against the
// time to write and to read them.
func (e *engine) paretos(s *Set) []Pareto {
	var out []Pareto
	c := &contest{}
	// Everybody, so that floors and peers show where they stand. Who misses a
	// benchmark the candidates have is not comparable, and not shown; what
	// candidates do not have is not asked of them.
	ours := make(map[ID]bool)
	for key := range s.samples {
		if key.who.Role() == Candidate {
			ours[key.id] = true
		}
	}
	all := newGrid(s, func(id ID, who Subject) (ID, string, bool) {
		return id, who.Backend, !who.Twin && forBackend(id) && ours[id]
	})
	e.fillBackends(c, all)
	add := func(p Pareto, ok bool) {
		if ok && len(p.Points) > 0 {
			out = append(out, p)
		}
	}
	add(e.pareto(c, "speed against memory", "speed", "memory"))
	forms := e.formContest(s)
	add(e.pareto(forms, "size against time to write", "size", "encode"))
	add(e.pareto(forms, "size against time to read", "size", "decode"))
	return out
}

// pareto places the contestants by two parts of their score; false when one
// part was not measured.
func (e *engine) pareto(c *contest, title, xName, yName string) (Pareto, bool) {
	x := slices.IndexFunc(c.parts, func(p part) bool { return p.name == xName })
	y := slices.IndexFunc(c.parts, func(p part) bool { return p.name == yName })
	if x < 0 || y < 0 {
		return Pareto{}, false
	}
	px, py := &c.parts[x], &c.parts[y]
	out := Pareto{Title: title, XLabel: xName, YLabel: yName, XUnit: px.unit, YUnit: py.unit}
	for i, name := range c.names {
		role := RoleOf(name)
		if c.question == "form" {
			role = Candidate
		}
		out.Points = append(out.Points, ParetoPoint{Name: name, Role: role,
			X: px.center[i], Y: py.center[i], XInterval: e.centerInterval(px, i), YInterval: e.centerInterval(py, i)})
	}
	for i := range out.Points {
		p := &out.Points[i]
		p.Front = p.Role == Candidate && !slices.ContainsFunc(out.Points, func(q ParetoPoint) bool {
			return q.Role == Candidate && q.X <= p.X && q.Y <= p.Y && (q.X < p.X || q.Y < p.Y)
		})
	}
	return out, true
}

// centerInterval is the interval of a part's geometric mean.
func (e *engine) centerInterval(p *part, i int) Interval {
	if p.exact {
		return Interval{Float(p.center[i]), Float(p.center[i]), 1}
	}
	mean, iv := e.interval(p.logs[i])
	f := p.center[i] / math.Exp(mean) // logs are of ratios to the best
	iv = expIv(iv)
	return Interval{Float(f) * iv.Low, Float(f) * iv.High, iv.Confidence}
}
