//go:build unix

package worker

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"docent/ingest/source"
	"docent/internal/fault"
)

// SourceRequested reports whether this process was started to read a source. Programs
// with [Confined] sources must call it first in main. If it returns true, they must
// exit with the status of [SourceMain].
func SourceRequested() bool { return slices.Equal(os.Args[1:], sourceArguments) }

// OpenSource returns the source of a kind. private allows private addresses, and folder
// is the only folder that the source may use. The source connects with Settings.Dial.
type OpenSource func(kind string, s source.Settings, private bool, folder string) (source.Source, error)

// SourceMain reads a source for the server, until the server ends. It returns the exit
// status.
func SourceMain(ctx context.Context, open OpenSource) int {
	c, err := newChannel(0)
	if err == nil {
		r := &reader{ctx: ctx, open: open, peer: newPeer(), streams: map[uint64]io.ReadCloser{}}
		r.peer.in, r.peer.taken, r.peer.write, r.peer.handle = c, c.taken, c.send, r.handle
		err = r.peer.run(ctx)
	}
	if err != nil && !errors.Is(err, errEnded) {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return exitBroken
	}
	return 0
}

// reader reads a source in a process of its own.
type reader struct {
	ctx  context.Context //nolint:containedctx // it lives as long as the process
	open OpenSource
	peer *peer

	mu      sync.Mutex // guards the fields below
	source  source.Source
	items   chan listing
	last    uint64
	streams map[uint64]io.ReadCloser
}

// handle handles the calls of the server.
func (r *reader) handle(ctx context.Context, op string, data json.RawMessage) (result, error) {
	switch op {
	case "start":
		var h sourceHello
		if err := json.Unmarshal(data, &h); err != nil {
			return result{}, err
		}
		return result{}, r.start(h)
	case "list":
		r.list(context.WithoutCancel(ctx)) // it ends with the process
		return result{}, nil
	case "next":
		return r.next(ctx)
	case "open":
		var w wireItem
		if err := json.Unmarshal(data, &w); err != nil {
			return result{}, err
		}
		return r.openItem(context.WithoutCancel(ctx), w.Item)
	case "read", "close":
		var id uint64
		if err := json.Unmarshal(data, &id); err != nil {
			return result{}, err
		}
		return r.stream(op, id)
	}
	return result{}, fault.New(fault.Internal, "worker_request_unknown", "unknown work %q", op)
}

// start confines the process and opens the source.
func (r *reader) start(h sourceHello) error {
	// Both read files, which the process cannot do later.
	if _, err := x509.SystemCertPool(); err != nil {
		fmt.Fprintln(os.Stderr, "worker: certificates:", err)
	}
	mime.TypeByExtension(".html")
	runtime.GOMAXPROCS(2)
	if err := confine(hello{CacheDir: h.Folder, Prepares: true, Nice: true, Hard: hardFactor * h.Memory}); err != nil {
		return err
	}
	g := newGuard() // it ends with the process
	g.begin(h.CPU, h.Memory)
	debug.SetMemoryLimit(h.Memory - h.Memory/8)
	h.Settings.Dial = r.dial
	src, err := r.open(h.Kind, h.Settings, h.Private, h.Folder)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.source = src
	return err
}

// dial asks the server for a connection.
func (r *reader) dial(ctx context.Context, network, address string) (net.Conn, error) {
	back, err := r.peer.call(ctx, "dial", dialRequest{network, address}, nil)
	if err != nil {
		return nil, err
	}
	if !back.Conn {
		return nil, errors.New("the server sent no connection")
	}
	return connection(back.conn)
}

func (r *reader) known(key string) ([]byte, bool) {
	var state knownState
	if _, err := r.peer.call(r.ctx, "known", key, &state); err != nil {
		return nil, false
	}
	return state.State, state.Known
}

// list begins a listing. Its parts wait in a queue of one.
func (r *reader) list(ctx context.Context) {
	parts := make(chan listing)
	r.mu.Lock()
	r.items = parts
	src := r.source
	r.mu.Unlock()
	go func() { // it ends with the process
		var part listing
		size := 0
		for it, err := range src.List(ctx, r.known) {
			if err != nil {
				part.Err = toWire(err)
				break
			}
			w := wireItem{Item: it, Err: toWire(it.Err)}
			w.Item.Err = nil
			part.Items = append(part.Items, w)
			size += len(it.State) + len(it.Key) + len(it.Address) + len(it.Name)
			if len(part.Items) >= sourceItems || size >= sourceItemBytes {
				parts <- part
				part, size = listing{}, 0
				continue
			}
			select { // the server reads an item as soon as it asks for more
			case parts <- part:
				part, size = listing{}, 0
			default:
			}
		}
		part.End = true
		parts <- part
	}()
}

func (r *reader) next(ctx context.Context) (result, error) {
	r.mu.Lock()
	parts := r.items
	r.mu.Unlock()
	select {
	case part := <-parts:
		return result{data: part}, nil
	case <-ctx.Done():
		return result{}, context.Cause(ctx)
	}
}

func (r *reader) openItem(ctx context.Context, it source.Item) (result, error) {
	r.mu.Lock()
	src := r.source
	full := len(r.streams) >= sourceStreams
	r.mu.Unlock()
	if full || src == nil {
		return result{}, fault.New(fault.Busy, "source_streams", "too many items of this source are open")
	}
	body, err := src.Open(ctx, it)
	if err != nil {
		return result{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.streams[r.last] = body
	return result{data: r.last}, nil
}

func (r *reader) stream(op string, id uint64) (result, error) {
	r.mu.Lock()
	body := r.streams[id]
	if op == "close" {
		delete(r.streams, id)
	}
	r.mu.Unlock()
	if body == nil {
		return result{}, fault.New(fault.Internal, "worker_request_unknown", "unknown work %q", op)
	}
	if op == "close" {
		return result{}, body.Close()
	}
	data := make([]byte, 256<<10)
	n := 0
	for n < len(data) {
		m, err := body.Read(data[n:])
		n += m
		if err == io.EOF { //nolint:errorlint // a wrapped io.EOF is a broken connection
			return result{data: true, body: data[:n]}, nil
		}
		if err != nil {
			return result{}, err
		}
	}
	return result{data: false, body: data}, nil
}
