package main

import (
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"docent/ingest/source"
)

// newItemBar returns the progress bar of a sync. It shows nothing without a
// terminal.
func newItemBar(f *os.File, wanted bool) *bar {
	if !wanted || !isTerminal(f) {
		return &bar{}
	}
	b := &bar{progress: mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))}
	b.bytes = b.progress.AddBar(0,
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d items")),
		mpb.AppendDecorators(decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "done")),
		mpb.BarRemoveOnComplete(),
	)
	return b
}

// setItems shows the progress of a sync.
func (b *bar) setItems(p source.Progress) {
	if b.bytes == nil {
		return
	}
	b.bytes.SetTotal(int64(p.Total), false)
	b.bytes.SetCurrent(int64(p.Done))
}
