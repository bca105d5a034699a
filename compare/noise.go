package compare

import (
	"math"
)

// MeasureNoise says how far apart equal things were measured in s.
func MeasureNoise(s *Set, o Options) (Noise, error) {
	if err := o.check(); err != nil {
		return Noise{}, err
	}
	return newEngine(o).measureNoise(s), nil
}

func (e *engine) measureNoise(s *Set) Noise {
	n := Noise{Probe: unknown, Twin: unknown, Spread: spreadOf(s), Level: unknown}
	var probes []float64
	for _, v := range s.probe {
		probes = append(probes, v)
	}
	n.Probe = Float(median(probes))
	// Of several twins the root mean square: the largest would grow with their number.
	var sum float64
	twins := e.twins(s)
	for _, t := range twins {
		sum += math.Pow(math.Log(float64(t.Ratio)), 2)
	}
	if len(twins) > 0 {
		n.Twin = Float(math.Expm1(math.Sqrt(sum / float64(len(twins)))))
	}
	for _, v := range []Float{n.Probe, n.Twin} {
		if v.Known() && !(n.Level > v) {
			n.Level = v
		}
	}
	return n
}

// spreadOf is the typical relative spread of repeated times: the robust
// deviation of the logarithms, the median over the benchmarks.
func spreadOf(s *Set) Float {
	var all []float64
	for key, x := range s.samples {
		if key.unit != UnitTime || len(x.Values) < 3 || key.who.Role() != Candidate {
			continue
		}
		all = append(all, math.Expm1(robustSD(logs(x.Values))))
	}
	return Float(median(all))
}

// robustSD is 1.48 times the median absolute deviation: a standard deviation,
// were the values normal, which outliers hardly move. It overwrites x.
func robustSD(x []float64) float64 {
	center := median(x)
	for i, v := range x {
		x[i] = math.Abs(v - center)
	}
	return 1.4826 * median(x)
}
