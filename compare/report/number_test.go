package report

import (
	"math"
	"strings"
	"testing"

	"example.com/idlab/compare"
)

func TestFigures(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{2.2e-8, "sec/op", "22.0 ns"}, {1.2345e-3, "sec/op", "1.23 ms"}, {0, "sec/op", "0 s"}, {3.2e-10, "p99-sec", "0.320 ns"},
		{7, "sec/op", "7.00 s"}, {4000, "sec/op", "4.00 ks"}, {1536, "B/op", "1.50 KiB"}, {1020, "B/op", "1,020 B"}, {17, "B/op", "17 B"},
		{0.5, "B/op", "0.500 B"}, {1047527424, "inuse-bytes", "999 MiB"}, {30000, "allocs/op", "30,000"}, {2.5, "probes/op", "2.5"},
		{1234567, "allocs/op", "1.23 M"}, {1e9, "B/sec", "954 MiB"}, {math.NaN(), "sec/op", nothing}, {math.Inf(1), "B/op", nothing},
		{4e30, "sec/op", "4e+18 Ts"}, {123, "things", "123"},
	} {
		if got := plainSpace(figureOf(c.v, c.unit)); got != c.want {
			t.Errorf("%g %s reads %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestSmallFormats(t *testing.T) {
	f := func(v float64) compare.Float { return compare.Float(v) }
	for _, c := range []struct{ got, want string }{
		{ratioOf(1.2649), "1.26×"}, {ratioOf(12.34), "12.3×"}, {ratioOf(1234.5), "1,234×"}, {ratioOf(0.0123), "0.0123×"}, {ratioOf(unknown), nothing}, {ratioOf(9.999), "10.0×"},
		{ratioBetween(between(1.2, 1.31)), "1.20 to 1.31"}, {ratioBetween(between(1.159, 1.161)), "1.159 to 1.161"}, {ratioBetween(compare.Interval{Low: 1.1, High: f(math.Inf(1))}), "from 1.10"},
		{ratioBetween(compare.Interval{Low: unknown, High: 2}), "up to 2.00"}, {ratioBetween(compare.Interval{Low: unknown, High: unknown}), ""},
		{percent(0.0123), "1.2 %"}, {percent(0.05), "5 %"}, {percent(0.0001), "<0.1 %"}, {percent(0), "0 %"}, {percent(12.5), "1,250 %"}, {percent(math.NaN()), nothing},
		{percentBetween(between(0.15, 0.17)), "15 % to 17 %"}, {percentBetween(between(0.161, 0.164)), "16.1 % to 16.4 %"},
		{share(0.999), ">99 %"}, {share(1), "100 %"}, {share(0.001), "<1 %"}, {share(0), "0 %"}, {share(0.973), "97 %"},
		{pOf(0.0001), "p<0.001"}, {pOf(0.0316), "p=0.032"}, {pOf(1), "p=1"}, {pOf(unknown), ""},
		{plusMinus(100, between(97, 102)), "±3 %"}, {plusMinus(0, between(0, 1)), ""},
		{count(1, "row"), "1 row"}, {count(1234, "row"), "1,234 rows"}, {list([]string{"a", "b", "c"}), "a, b and c"}, {list(nil), ""},
		{signed(-512, "B/op"), "−512 B"}, {signed(3, "allocs/op"), "+3"}, {tickOf(1e-8, "sec/op"), "10 ns"}, {tickOf(2.5e-6, "sec/op"), "2.5 µs"}, {shortNumber(30000), "30 k"},
		{quote("a b"), "'a b'"}, {quote("it's"), `'it'\''s'`}, {quote("/doc,.name"), "/doc,.name"}, {quote(""), "''"},
		{unitWords("p99.9-sec"), "latency, p99.9 (p99.9-sec)"}, {unitWords("things"), "things"}, {capital("été"), "Été"}, {capital(""), ""},
	} {
		if got := plainSpace(c.got); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestLevels(t *testing.T) {
	last := 0
	for _, r := range []float64{1, 1.1, 1.4, 2, 3, 50} {
		l := levelOf(r)
		if l != last+1 {
			t.Errorf("%g has level %d after %d", r, l, last)
		}
		last = l
	}
	if heat(last) >= other {
		t.Error("there are more levels than colours")
	}
	if s := heatSymbol(1, false) + heatSymbol(1.01, true) + heatSymbol(1.9, true) + heatSymbol(1.9, false); s != "▲≈?▼" {
		t.Errorf("symbols %s", s)
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.9, 1100, "1 10 100 1,000"}, {0.9, 3.2, "1 1.5 2 2.5 3"}, {1.01, 1.09, "1.02 1.04 1.06 1.08"}, {9, 350, "10 20 50 100 200"}, {1e-9, 1e9, "1e-09 1e-05 0.1 1,000 1e+06"},
	} {
		var got []string
		for _, tick := range logTicks(5, func(v float64) string {
			if v >= 1e6 {
				return "1e+06"
			}
			return plain(v)
		}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%g to %g: ticks %q, want %q", c.low, c.high, s, c.want)
		}
	}
}
