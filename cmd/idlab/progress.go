package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"example.com/idlab/bench/runner"
)

// progress shows how far a run has come, if w is a terminal, and is silent
// otherwise. The second func ends it.
func progress(w io.Writer) (func(runner.Progress), func()) {
	if !isTerminal(w) {
		return nil, func() {}
	}
	var now atomic.Pointer[runner.Progress] // the bar is drawn by a goroutine of its own
	now.Store(new(runner.Progress))
	bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
	bar := bars.AddBar(0,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return now.Load().Now + " " })),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return left(now.Load()) })),
	)
	show := func(p runner.Progress) {
		now.Store(&p)
		bar.SetTotal(int64(p.Total), false)
		bar.SetCurrent(int64(p.Done))
	}
	return show, func() {
		bar.Abort(true)
		bars.Wait()
	}
}

func left(p *runner.Progress) string {
	if p.Left == 0 {
		return ""
	}
	return fmt.Sprintf(" %v left", p.Left.Round(time.Second))
}
