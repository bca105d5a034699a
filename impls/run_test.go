package impls_test

import (
	"math"
	"testing"

	"example.com/idlab/impls"
)

func TestCheckRun(t *testing.T) {
	for _, c := range []struct {
		run  impls.Run
		last int64
		want error
	}{
		{impls.Run{First: 1, Count: 1}, 0, nil},
		{impls.Run{First: 1, Count: impls.MaxID}, 0, nil},
		{impls.Run{First: impls.MaxID, Count: 1}, impls.MaxID - 1, nil},
		{impls.Run{First: 1, Count: impls.MaxID + 1}, 0, impls.ErrRun},
		{impls.Run{First: 2, Count: math.MaxInt64}, 0, impls.ErrRun},
		{impls.Run{First: impls.MaxID + 1, Count: 1}, 0, impls.ErrRun},
		{impls.Run{First: math.MaxInt64, Count: math.MaxInt64}, 0, impls.ErrRun},
		{impls.Run{First: 0, Count: 1}, 0, impls.ErrRun},
		{impls.Run{First: math.MinInt64, Count: 1}, 0, impls.ErrRun},
		{impls.Run{First: 5, Count: 1}, 5, impls.ErrRun},
		{impls.Run{First: 6, Count: 1}, 5, nil},
		{impls.Run{First: 6, Count: 0}, 5, impls.ErrRun},
		{impls.Run{First: 6, Count: math.MinInt64}, 5, impls.ErrRun},
	} {
		if got := impls.CheckRun(c.run, c.last); got != c.want {
			t.Errorf("CheckRun(%+v, %d) = %v, want %v", c.run, c.last, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	r := impls.Run{First: 10, Count: 5} // 10..14
	for _, c := range []struct {
		first, last int64
		want        impls.Run
		ok          bool
	}{
		{1, 100, r, true},
		{10, 14, r, true},
		{12, 12, impls.Run{First: 12, Count: 1}, true},
		{math.MinInt64, 10, impls.Run{First: 10, Count: 1}, true},
		{14, math.MaxInt64, impls.Run{First: 14, Count: 1}, true},
		{15, 20, impls.Run{}, false},
		{1, 9, impls.Run{}, false},
		{13, 11, impls.Run{}, false},
	} {
		got, ok := r.Clip(c.first, c.last)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("Clip(%d, %d) = %+v, %v, want %+v, %v", c.first, c.last, got, ok, c.want, c.ok)
		}
	}
}
