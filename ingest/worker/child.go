package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"docent/embed"
	"docent/ingest/extract"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// arguments tell a program to be a worker; see [Requested].
var arguments = []string{"worker", "--stdio"}

// Requested reports whether this process was started as a worker. Programs with a
// [Pool] must call it first in main. If it returns true, they must exit with the
// status of [Main].
func Requested() bool {
	return slices.Equal(os.Args[1:], arguments) || toolRequested() || tapRequested()
}

func toolRequested() bool {
	n := 1 + len(toolArguments)
	return len(os.Args) > n && slices.Equal(os.Args[1:n], toolArguments)
}

// The exit statuses of a worker that terminates itself.
const (
	exitMemory = 40 // the document exceeds its memory limit
	exitCPU    = 41 // the document exceeds its limit of processor time
	exitBroken = 42 // the worker cannot work
)

// Main runs a worker process. It answers requests on standard input until the
// input ends, and returns the exit status.
func Main(ctx context.Context) int {
	if tapRequested() {
		if err := runTap(os.Args[1+len(tapArguments):]); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			return exitBroken
		}
		return 0
	}
	if toolRequested() {
		if err := runTool(os.Args[1+len(toolArguments):]); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			return exitBroken
		}
		return 0
	}
	out := os.Stdout
	os.Stdout = os.Stderr // output of a library must not break the protocol
	if err := serve(ctx, bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(out, 64<<10)); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return exitBroken
	}
	return 0
}

// serve answers requests until the input ends.
func serve(ctx context.Context, in io.Reader, out *bufio.Writer) error {
	var h hello
	if _, err := receive(in, &h); err != nil {
		return fmt.Errorf("read the first message: %w", err)
	}
	// A second thread lets the guard run beside compiled PDFium code.
	runtime.GOMAXPROCS(2)
	if err := confine(h); err != nil {
		return err
	}
	static, err := embed.NewStatic()
	if err != nil {
		return err
	}
	local, err := NewLocal(Config{Tokens: static.Count, CacheDir: h.CacheDir, Killed: true})
	if err != nil {
		return err
	}
	defer func() { _ = local.Close(ctx) }() // the process exits anyway
	g := newGuard()
	defer g.stop()
	for {
		var req request
		data, err := receive(in, &req)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		g.begin(req.CPU, req.Memory)
		err = answer(ctx, local, req, data, out)
		g.end()
		if err != nil {
			return err
		}
		if heap() > 64<<20 {
			debug.FreeOSMemory()
		}
	}
}

// answer handles one request.
func answer(ctx context.Context, local *Local, req request, data []byte, out *bufio.Writer) error {
	src := intake.Source{Name: req.Name, Data: data, Line: req.Line, Shared: req.Shared, Recognized: req.Recognized}
	var rep reply
	var body []byte
	var err error
	switch req.Op {
	case opRead:
		var r intake.Reading
		r, err = local.Read(ctx, src)
		body = []byte(r.Text)
		rep.pack(r)
	case opParts:
		whole, parts := local.extract.Parts(ctx, src)
		rep.Whole = whole
		err = sendParts(out, parts)
		if errors.Is(err, errSend) {
			return err
		}
	case opPrepare:
		err = local.extract.Prepare(ctx)
	case opEdges:
		rep.Edges, err = local.Edges(ctx, src)
	case opPage:
		rep.Page, err = local.ReadPage(ctx, src, req.Page)
	case opDraw:
		body, rep.Pages, err = local.DrawPage(ctx, src, req.Page, req.Width)
	default:
		err = fault.New(fault.Internal, "worker_request_unknown", "unknown work %q", req.Op)
	}
	rep.Err = toWire(err)
	if err := send(out, rep, body); err != nil {
		return err
	}
	return out.Flush()
}

// errSend means that the parent is gone.
var errSend = errors.New("send")

// sendParts sends the parts in batches as they are found.
func sendParts(out *bufio.Writer, parts iter.Seq2[extract.Part, error]) (err error) {
	defer recovered(&err)
	return batches(parts, func(some []intake.Part, contents []byte) error {
		if err := errors.Join(send(out, reply{More: true, Parts: some}, contents), out.Flush()); err != nil {
			return fmt.Errorf("%w: %w", errSend, err)
		}
		return nil
	})
}

// guard terminates the process when a document exceeds its limits or when the
// parent is gone.
type guard struct {
	parent  int
	mu      sync.Mutex // guards the fields below
	working bool
	cpu     time.Duration // processor time at which it terminates the process
	memory  int64
	done    chan struct{}
	ended   chan struct{}
}

// watchEvery is the interval between the checks of a guard. A document can
// exceed its limit only by the memory that it allocates within one interval.
// The hard memory limit of the system is higher.
const watchEvery = 5 * time.Millisecond

func newGuard() *guard {
	g := &guard{parent: os.Getppid(), done: make(chan struct{}), ended: make(chan struct{})}
	go g.watch()
	return g
}

func (g *guard) begin(cpu time.Duration, memory int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.working, g.cpu, g.memory = true, processorTime()+cpu, memory
	debug.SetMemoryLimit(memory - memory/8) // the garbage collector works harder near the limit
}

func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.working = false
}

func (g *guard) stop() {
	close(g.done)
	<-g.ended
}

func (g *guard) watch() {
	defer close(g.ended)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-tick.C:
			g.check()
		}
	}
}

func (g *guard) check() {
	g.mu.Lock()
	working, cpu, memory := g.working, g.cpu, g.memory
	g.mu.Unlock()
	switch {
	case os.Getppid() != g.parent:
		os.Exit(exitBroken) // no process waits for the answer
	case working && heap() > memory:
		os.Exit(exitMemory)
	case working && processorTime() > cpu:
		os.Exit(exitCPU)
	}
}

// heap returns the memory in bytes that the Go runtime has obtained from the
// system.
func heap() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
