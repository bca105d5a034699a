package main

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"example.com/idlab/bench/live"
)

// progress shows how far a run has come, if w is a terminal, and is silent
// otherwise. The second func ends it.
func progress(w io.Writer) (func(live.Progress), func()) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	var now live.Progress
	bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
	bar := bars.AddBar(0,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return now.Now + " " })),
		mpb.AppendDecorators(decor.CountersNoUnit(" %d of %d")),
	)
	show := func(p live.Progress) {
		now = p
		bar.SetTotal(p.Total, false)
		bar.SetCurrent(p.Issued)
	}
	return show, func() {
		bar.Abort(true)
		bars.Wait()
	}
}

// steps is progress for what is done in steps.
func steps(w io.Writer) (func(done, total int, now string), func()) {
	show, stop := progress(w)
	if show == nil {
		return nil, stop
	}
	return func(done, total int, now string) {
		show(live.Progress{Issued: int64(done), Total: int64(total), Now: now})
	}, stop
}
