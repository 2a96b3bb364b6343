//go:build unix

package wiring

import (
	"context"
	"errors"
	"io"
	"net"
	"os"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/ingest/worker"
)

// RunSourceWorker reads a source and ends the process, if docent started it for that.
func RunSourceWorker(ctx context.Context) {
	if worker.SourceRequested() {
		os.Exit(worker.SourceMain(ctx, OpenSource))
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
		connect := dial.Func(dial.Dialer(private).DialContext)
		if b, ok := src.(source.Bound); ok {
			connect = bound(connect, b)
		}
		partial := false
		if p, ok := src.(source.Partial); ok {
			partial = p.Partial()
		}
		if c, ok := src.(io.Closer); ok {
			err = c.Close()
		}
		cfg := worker.SourceConfig{Partial: partial, Env: certificates(), Private: private, Dial: explained(connect)}
		return worker.NewConfined(cfg, k.Name, s, folder), errors.Join(err)
	}
	return k
}

// bound refuses connections to hosts that a source does not need.
func bound(connect dial.Func, b source.Bound) dial.Func {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil || !b.Reaches(host) {
			return nil, source.ErrHost(address)
		}
		return connect(ctx, network, address)
	}
}

// explained adds messages for users to the errors of a dial function.
func explained(connect dial.Func) dial.Func {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := connect(ctx, network, address)
		if err != nil {
			host, _, _ := net.SplitHostPort(address) //nolint:errcheck // only for the message
			return nil, dial.Explain(err, host)
		}
		return conn, nil
	}
}
