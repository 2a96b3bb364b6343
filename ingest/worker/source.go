//go:build unix

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"docent/ingest/source"
	"docent/internal/fault"
)

// The limits of reading a source.
const (
	// sourceMemory is the memory of the process, in bytes.
	sourceMemory = 512 << 20
	// sourceCPU is the processor time of one sync.
	sourceCPU = 30 * time.Minute
	// sourceItems bounds the items in one frame, and sourceItemBytes their states.
	sourceItems     = 64
	sourceItemBytes = 1 << 20
	// sourceStreams bounds the items that are open at the same time.
	sourceStreams = 64
)

// sourceArguments tell a program to read a source; see [SourceRequested].
var sourceArguments = []string{"worker", "--source"}

// SourceConfig configures the processes that read sources.
type SourceConfig struct {
	// Command is the command that starts a process. Default this program, which must
	// call [SourceRequested] first in main.
	Command []string
	// Env are variables for the process; default none.
	Env []string
	// Private lets sources connect to private addresses.
	Private bool
	// Partial is the result of the source's method of the same name.
	Partial bool
	// Dial connects to the servers of sources; required. The process gets only the
	// sentence of an error.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// sourceHello is the first call to a process that reads a source.
type sourceHello struct {
	Kind     string
	Settings source.Settings
	Private  bool
	// Folder is the only folder that the process may use; "" for none.
	Folder string
	Memory int64
	CPU    time.Duration
}

// Confined is a source that a worker process reads. The process has no network: the
// server connects, checks the address, and gives it the connection. It implements
// source.Source.
type Confined struct {
	cfg   SourceConfig
	hello sourceHello

	mu    sync.Mutex // guards the fields below
	known source.Known
	run   *sourceProcess
}

// NewConfined returns a source. Its process starts with the first listing. folder is
// the only folder that the source may use; "" for none.
func NewConfined(cfg SourceConfig, kind string, s source.Settings, folder string) *Confined {
	return &Confined{cfg: cfg, hello: sourceHello{kind, s, cfg.Private, folder, sourceMemory, sourceCPU}}
}

// Partial reports whether items that are missing in a listing stay; see source.Partial.
func (c *Confined) Partial() bool { return c.cfg.Partial }

// sourceProcess is a process that reads a source.
type sourceProcess struct {
	cmd     *exec.Cmd
	channel *channel
	peer    *peer
	said    *tail
	ended   chan struct{} // closed when the fields below are set
	err     error
}

// Close ends the process. The source stays usable.
func (c *Confined) Close() error {
	c.mu.Lock()
	run := c.run
	c.run = nil
	c.mu.Unlock()
	if run != nil {
		_ = run.cmd.Process.Kill() // fails if it has already ended
		<-run.ended
	}
	return nil
}

// start starts the process.
func (c *Confined) start(ctx context.Context) (*sourceProcess, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run != nil {
		return c.run, nil
	}
	command := c.cfg.Command
	if len(command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("worker: find this program: %w", err)
		}
		command = append([]string{exe}, sourceArguments...)
	}
	if c.hello.Folder != "" {
		if err := os.MkdirAll(c.hello.Folder, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of a source: %w", err)
		}
	}
	ours, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	keepDescriptors()
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // Close ends it
	cmd.Env = []string{"GOTRACEBACK=single"}        // not the parent's environment, which contains passwords
	cmd.Env = append(cmd.Env, c.cfg.Env...)
	cmd.SysProcAttr = childAttributes()
	cmd.Stdin = theirs
	run := &sourceProcess{cmd: cmd, channel: ours, said: &tail{}, peer: newPeer(), ended: make(chan struct{})}
	cmd.Stderr = run.said
	err = cmd.Start()
	_ = theirs.Close() // the child has its own copy
	if err != nil {
		_ = ours.Close()
		return nil, fault.Wrap(fault.Unavailable, err, "worker_not_started", "docent cannot start the process that reads documents")
	}
	run.peer.in, run.peer.taken, run.peer.write, run.peer.handle = ours, func() (uintptr, bool) { return 0, false }, ours.send, c.handle
	go run.wait(context.WithoutCancel(ctx)) // Close waits for it
	c.run = run
	_, err = run.peer.call(ctx, "start", c.hello, nil)
	return run, run.explain(err)
}

// wait handles the calls of the process until it ends.
func (r *sourceProcess) wait(ctx context.Context) {
	defer close(r.ended)
	broken := r.peer.run(ctx)
	_ = r.channel.Close()
	if !errors.Is(broken, errEnded) {
		_ = r.cmd.Process.Kill() // it breaks the protocol
	}
	_ = r.cmd.Wait() // ProcessState has the status
	r.err = r.obituary(broken)
}

// obituary returns an error that says why the process ended.
func (r *sourceProcess) obituary(broken error) error {
	detail := fmt.Errorf("%w: %s: %s", broken, r.cmd.ProcessState, r.said)
	switch r.cmd.ProcessState.ExitCode() {
	case exitMemory:
		return fault.Wrap(fault.Invalid, detail, "source_memory", "it needs more than %d MiB of memory to read this source", sourceMemory>>20)
	case exitCPU:
		return fault.Wrap(fault.Invalid, detail, "source_cpu", "it takes more than %s of processor time to read this source", sourceCPU)
	}
	return fault.Wrap(fault.Unavailable, detail, "source_worker_ended", "the process that reads this source ended; the log of the server has the details")
}

// explain replaces the error of a call to a process that has ended.
func (r *sourceProcess) explain(err error) error {
	if !errors.Is(err, errEnded) {
		return err
	}
	<-r.ended
	return r.err
}

// handle handles the calls of the process.
func (c *Confined) handle(ctx context.Context, op string, data json.RawMessage) (result, error) {
	switch op {
	case "known":
		var key string
		if err := json.Unmarshal(data, &key); err != nil {
			return result{}, err
		}
		c.mu.Lock()
		known := c.known
		c.mu.Unlock()
		if known == nil {
			return result{data: knownState{}}, nil
		}
		state, ok := known(key)
		return result{data: knownState{state, ok}}, nil
	case "dial":
		var to dialRequest
		if err := json.Unmarshal(data, &to); err != nil {
			return result{}, err
		}
		if to.Network != "tcp" {
			return result{}, fault.New(fault.Forbidden, "source_network", "sources connect over TCP only")
		}
		conn, err := c.cfg.Dial(ctx, to.Network, to.Address)
		if err != nil {
			return result{}, err
		}
		defer conn.Close() //nolint:errcheck // the process has its own copy
		fd, err := descriptor(conn)
		if err != nil {
			return result{}, err
		}
		return result{conn: fd, sent: func() { closeDescriptor(fd) }}, nil
	}
	return result{}, fault.New(fault.Internal, "worker_request_unknown", "unknown work %q", op)
}

type knownState struct {
	State []byte
	Known bool
}

type dialRequest struct{ Network, Address string }

// wireItem is an item with its error in the form that is sent.
type wireItem struct {
	source.Item
	Err *wireError
}

// listing is a part of a listing.
type listing struct {
	Items []wireItem
	End   bool
	Err   *wireError
}

// List lists the source; see source.Source.
func (c *Confined) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		c.mu.Lock()
		c.known = known
		c.mu.Unlock()
		run, err := c.start(ctx)
		if err == nil {
			_, err = run.peer.call(ctx, "list", nil, nil)
		}
		for err == nil {
			var part listing
			if _, err = run.peer.call(ctx, "next", nil, &part); err != nil {
				break
			}
			for _, w := range part.Items {
				it := w.Item
				if w.Err != nil {
					it.Err = w.Err.failure()
				}
				if !yield(it, nil) {
					_ = c.Close()
					return
				}
			}
			if err = part.Err.failure(); part.End && err == nil {
				return
			}
		}
		if run != nil {
			err = run.explain(err)
		}
		yield(source.Item{}, err)
	}
}

// Open opens an item; see source.Source.
func (c *Confined) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	run, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	item.Err = nil
	var id uint64
	if _, err := run.peer.call(ctx, "open", wireItem{Item: item}, &id); err != nil {
		return nil, run.explain(err)
	}
	return &stream{ctx: ctx, run: run, id: id}, nil
}

// stream reads an open item.
type stream struct {
	ctx  context.Context //nolint:containedctx // io.Reader has no context
	run  *sourceProcess
	id   uint64
	rest []byte
	end  bool
	err  error
}

// Read returns the next bytes.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		if s.end {
			return 0, io.EOF
		}
		back, err := s.run.peer.call(s.ctx, "read", s.id, &s.end)
		s.err, s.rest = s.run.explain(err), back.body
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close closes the item.
func (s *stream) Close() error {
	_, _ = s.run.peer.call(context.WithoutCancel(s.ctx), "close", s.id, nil) // the process may have ended
	return nil
}
