//go:build unix

package wiring

import (
	"context"
	"errors"
	"io"
	"os"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/ingest/worker"
)

// RunSourceWorker reads a source and ends the process, if docent started it for that.
func RunSourceWorker() {
	if worker.SourceRequested() {
		os.Exit(worker.SourceMain(context.Background(), OpenSource))
	}
}

// confined returns a kind whose sources worker processes read.
func confined(k source.Kind, private bool) source.Kind {
	open := k.Open
	k.Open = func(s source.Settings) (source.Source, error) {
		src, err := open(s) // checks the settings
		if err != nil {
			return nil, err
		}
		folder := ""
		if storing, ok := src.(source.Storing); ok {
			folder = storing.Folder()
		}
		if c, ok := src.(io.Closer); ok {
			err = c.Close()
		}
		cfg := worker.SourceConfig{Private: private, Dial: dial.Dialer(private).DialContext}
		return worker.NewConfined(cfg, k.Name, s, folder), errors.Join(err)
	}
	return k
}
