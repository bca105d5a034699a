package compare

import (
	"math"
	"slices"
)

// sensitivity finds, for each weight, how far it must move up and down until
// another contestant has the best score, the other weights kept.
//
// A score's difference is linear in each weight, so the point where a rival
// draws level is a quotient: the other parts' weighed differences over this
// weight's. The first rival met on the way becomes the new leader.
func (e *engine) sensitivity(c *contest, order []int) []Sensitivity {
	var out []Sensitivity
	for _, knob := range c.knobs() {
		for _, up := range []bool{false, true} {
			s := Sensitivity{Weight: knob.Name, Now: knob.Weight, At: unknown, Interval: unbounded(e.Confidence), Up: up}
			for _, i := range order[1:] {
				at := c.level(knob.Name, func(p *part) float64 { return p.value(i) - p.value(order[0]) })
				if !(at > 0) || (at > s.Now) != up || s.At.Known() && (at < float64(s.At)) != up {
					continue
				}
				s.At, s.Becomes = Float(at), c.names[i]
			}
			if s.At.Known() {
				s.Interval = e.levelInterval(c, knob.Name, order[0], slices.Index(c.names, s.Becomes))
			}
			out = append(out, s)
		}
	}
	return out
}

// knobs returns the weights a user can set, as used.
func (c *contest) knobs() []Weight {
	var out []Weight
	for _, p := range c.parts {
		w := Weight{p.knob, p.weight / p.fraction}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// level solves for the weight of knob at which the parts' differences cancel;
// NaN when none does.
func (c *contest) level(knob string, diff func(*part) float64) float64 {
	var fixed, moving float64
	for i := range c.parts {
		p := &c.parts[i]
		if p.knob == knob {
			moving += p.fraction * diff(p)
		} else {
			fixed += p.weight * diff(p)
		}
	}
	if moving == 0 {
		return math.NaN()
	}
	return -fixed / moving
}

// levelInterval is the interval of level over the bootstrap's draws. A draw in
// which no weight makes them level counts as one out of reach.
func (e *engine) levelInterval(c *contest, knob string, lead, rival int) Interval {
	var rows [][]float64
	for _, p := range c.parts {
		rows = append(rows, p.logs[lead], p.logs[rival])
	}
	means := e.drawMeans(rows, c.paired, 0)
	at := make([]float64, e.Draws)
	for d := range at {
		k := -2
		at[d] = c.level(knob, func(*part) float64 {
			k += 2
			return means[k+1][d] - means[k][d]
		})
		if !(at[d] > 0) {
			at[d] = math.Inf(1)
		}
	}
	slices.Sort(at)
	tail := (1 - e.Confidence) / 2 * float64(len(at)-1)
	return Interval{Float(at[int(tail)]), Float(at[len(at)-1-int(tail)]), e.Confidence}
}
