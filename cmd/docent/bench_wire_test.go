package main

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// pgSocket is the file name of a Postgres' socket in its folder.
const pgSocket = ".s.PGSQL.5432"

// wire counts round trips between a program and its Postgres.
type wire struct {
	url           string
	trips         atomic.Int64
	turns, writes []float64 // trips of each turn, and of its writes
}

func (w *wire) count() int64 {
	if w == nil {
		return 0
	}
	return w.trips.Load()
}

// countTrips starts a proxy in front of a database server and returns its URL.
// It returns nil if the server has no Unix socket.
func countTrips(b *testing.B, database string) *wire {
	b.Helper()
	u, err := url.Parse(database)
	if err != nil {
		b.Fatal(err)
	}
	query := u.Query()
	server := query.Get("host")
	if server == "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "wire") // a socket's path has to be short
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, pgSocket))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = listener.Close() })
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	w := &wire{url: u.String()}
	go func() { // ends when the listener is closed
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("unix", filepath.Join(server, pgSocket))
			if err != nil {
				client.Close()
				return
			}
			var answered atomic.Bool // what came last on this connection is the server's
			answered.Store(true)
			go pass(upstream, client, func() {
				if answered.Swap(false) {
					w.trips.Add(1)
				}
			})
			go pass(client, upstream, func() { answered.Store(true) })
		}
	}()
	return w
}

// pass copies until either side closes, and reports when data arrives.
func pass(to, from net.Conn, came func()) {
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			came()
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
