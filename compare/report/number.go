package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"example.com/idlab/compare"
)

var unknown = compare.Float(math.NaN())

// nothing stands where there is no figure.
const nothing = "–"

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// units are the words for what is measured; tails and what is not here keep
// their own names.
var units = map[string]string{
	compare.UnitTime:   "time per operation",
	compare.UnitMemory: "bytes in use",
	compare.UnitSize:   "serialized bytes",
	"B/op":             "bytes allocated per operation",
	"allocs/op":        "allocations per operation",
	"probes/op":        "probes per operation",
	"gc-sec":           "time in garbage collection",
	"heap-bytes":       "heap growth",
}

// unitWords says a unit in words, with the unit itself behind.
func unitWords(unit string) string {
	words, ok := units[unit]
	if q, isTail := compare.TailName(unit); isTail {
		words, ok = "latency, "+q, true
	}
	if !ok || words == unit {
		return unit
	}
	return words + " (" + unit + ")"
}

var (
	isTime  = regexp.MustCompile(`(^|[^a-z])sec([^a-z]|$)`)
	isBytes = regexp.MustCompile(`(^|[^A-Za-z])(B|bytes)([^A-Za-z]|$)`)
)

// symbol is what a scaled figure of the unit ends with.
func symbol(unit string) string {
	numerator, _, _ := strings.Cut(unit, "/")
	switch {
	case isTime.MatchString(numerator):
		return "s"
	case isBytes.MatchString(numerator):
		return "B"
	}
	return ""
}

// figureOf formats v, in unit, with a prefix: "22.0 ns", "1.50 KiB", "30,000".
func figureOf(v float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nothing
	}
	sym := symbol(unit)
	if v == 0 || sym == "" && math.Abs(v) < 1e6 || sym == "B" && math.Abs(v) < 1024 && v == math.Trunc(v) {
		return join(plain(v), sym)
	}
	class := benchunit.Decimal
	if sym == "B" {
		class = benchunit.Binary
	}
	s := benchunit.CommonScale([]float64{v}, class)
	return join(group(digits3(v/s.Factor)), s.Prefix+sym)
}

func join(number, unit string) string {
	if unit == "" {
		return number
	}
	return number + nbsp + unit
}

// tickOf formats a figure for an axis, where digits that say nothing would
// only take room: "10 ns".
func tickOf(v float64, unit string) string {
	number, sym, _ := strings.Cut(figureOf(v, unit), nbsp)
	if strings.Contains(number, ".") {
		number = strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
	}
	return join(number, sym)
}

// plain formats a number without a prefix: whole ones in full, others with
// three significant digits.
func plain(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return nothing
	case v == math.Trunc(v) && a < 1e15:
		return group(strconv.FormatFloat(v, 'f', 0, 64))
	case a < 999.5:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return group(digits3(v))
}

// digits3 writes three significant digits, and all of the whole part.
func digits3(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return nothing
	case a >= 99.95 && a < 1e15:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995 && a < 1e15:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.9995 && a < 1e15:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a >= 0.0009995 && a < 1e15:
		return strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(a))), 64)
	case a == 0:
		return "0"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// group puts a comma before each three digits of the whole part.
func group(s string) string {
	start := 0
	if strings.HasPrefix(s, "-") {
		start = 1
	}
	end := start
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	for i := end - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ratioOf formats a ratio: "1.26×".
func ratioOf(r compare.Float) string {
	if !r.Known() {
		return nothing
	}
	return ratioDigits(r) + "×"
}

func ratioDigits(r compare.Float) string {
	if !r.Known() {
		return nothing
	}
	if a := math.Abs(float64(r)); a >= 0.1 && a < 9.995 {
		return strconv.FormatFloat(float64(r), 'f', 2, 64)
	}
	return group(digits3(float64(r)))
}

// betweenOf formats an interval's ends by f: "1.22 to 1.31". An end that is
// not known is left open.
func betweenOf(low, high compare.Float, f func(compare.Float) string) string {
	switch {
	case low.Known() && high.Known():
		return f(low) + " to " + f(high)
	case low.Known():
		return "from " + f(low)
	case high.Known():
		return "up to " + f(high)
	}
	return ""
}

// ratioBetween formats an interval of ratios, with a decimal more where its
// ends would look the same.
func ratioBetween(i compare.Interval) string {
	if i.Low != i.High && math.Abs(float64(i.Low)) < 100 && math.Abs(float64(i.High)) < 100 && ratioDigits(i.Low) == ratioDigits(i.High) {
		return betweenOf(i.Low, i.High, func(f compare.Float) string { return strconv.FormatFloat(float64(f), 'f', 3, 64) })
	}
	return betweenOf(i.Low, i.High, ratioDigits)
}

// percentBetween formats an interval of fractions, likewise.
func percentBetween(i compare.Interval) string {
	f := func(f compare.Float) string { return percent(float64(f)) }
	if math.Abs(float64(i.Low)) < 10 && math.Abs(float64(i.High)) < 10 && f(i.Low) == f(i.High) {
		f = func(f compare.Float) string { return fmt.Sprintf("%.1f"+nbsp+"%%", 100*float64(f)) }
	}
	return betweenOf(i.Low, i.High, f)
}

func axisBetween(i compare.Interval) string {
	return betweenOf(i.Low, i.High, func(f compare.Float) string { return plain(round3(float64(f))) })
}

// round3 rounds to three significant digits, so that a whole number reads 14,300 and not 14,297.
func round3(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// plusMinus says an interval as the larger distance from its centre: "±1.2 %".
func plusMinus(center float64, i compare.Interval) string {
	if !i.Known() || center == 0 || !compare.Float(center).Known() {
		return ""
	}
	d := max(center-float64(i.Low), float64(i.High)-center) / math.Abs(center)
	return "±" + percent(d)
}

// percent formats a fraction: 0.0123 is "1.2 %".
func percent(f float64) string {
	switch p := 100 * math.Abs(f); {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return nothing
	case p >= 1e6:
		return digits3(100*f) + nbsp + "%"
	case p == 0:
		return "0" + nbsp + "%"
	case p < 0.05:
		return "<0.1" + nbsp + "%"
	case p < 9.95:
		return trimZero(strconv.FormatFloat(100*f, 'f', 1, 64)) + nbsp + "%"
	default:
		return group(strconv.FormatFloat(100*f, 'f', 0, 64)) + nbsp + "%"
	}
}

func trimZero(s string) string { return strings.TrimSuffix(s, ".0") }

// share formats a probability, which is 100 % only when it is 1.
func share(f float64) string {
	switch {
	case !(f >= 0 && f <= 1):
		return percent(f)
	case f > 0.995 && f < 1:
		return ">99" + nbsp + "%"
	case f > 0 && f < 0.005:
		return "<1" + nbsp + "%"
	}
	return fmt.Sprintf("%.0f"+nbsp+"%%", 100*f)
}

// pOf formats a p-value.
func pOf(p compare.Float) string {
	switch {
	case !p.Known():
		return ""
	case p < 0.001:
		return "p<0.001"
	case p >= 0.995:
		return "p=1"
	}
	return "p=" + strconv.FormatFloat(float64(p), 'g', 2, 64)
}

// count writes "1 row", "3 rows".
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return group(strconv.Itoa(n)) + " " + word + "s"
}

// list joins names with commas and an "and".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
