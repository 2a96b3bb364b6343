package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// limits are what one piece of work may take.
type limits struct {
	cpu    time.Duration
	wall   time.Duration
	memory int64
}

// errOver says that a document took more than its limits.
var errOver = errors.New("over its limits")

// overError is errOver with what was exceeded.
type overError struct{ safe fault.Text }

// Error returns what was exceeded.
func (e *overError) Error() string { return e.safe.Message }

// Is reports that it is errOver.
func (e *overError) Is(target error) bool { return target == errOver }

// deadError says that a worker died of a document.
type deadError struct{ detail string }

// Is reports that the death of a worker is a intake.ErrBroken.
func (e *deadError) Is(target error) bool { return target == intake.ErrBroken }

// Error returns what the worker wrote last.
func (e *deadError) Error() string { return e.detail }

// maxSaid bounds what is kept of what a worker writes to standard error.
const maxSaid = 16 << 10

// process is a running worker. One goroutine uses it at a time.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	said   *tail
	served int
	killed bool // it is being killed, and reads no other document
}

// startProcess starts a worker. One that prepares may write to the folder of
// compiled code, and reads no documents.
func startProcess(cfg PoolConfig, hard int64, prepares bool) (*process, error) {
	keepDescriptors()
	code := ""
	if cfg.CacheDir != "" {
		code = filepath.Join(cfg.CacheDir, "pdfium")
	}
	cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)      //nolint:noctx // it outlives the call; close and kill end it
	cmd.Env = append([]string{"GOTRACEBACK=single"}, cfg.Env...) // none of the parent's: it holds passwords
	cmd.SysProcAttr = childAttributes()
	p := &process{cmd: cmd, said: &tail{}}
	cmd.Stderr = p.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "worker_not_started", "docent cannot start the process that reads documents")
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	if err := send(in, hello{Chunk: cfg.Chunk, CacheDir: code, Prepares: prepares, Nice: cfg.Quick > 0, Hard: hard}, nil); err != nil {
		p.kill()
		return nil, fault.Wrap(fault.Unavailable, err, "worker_silent", "the process that reads documents does not start: %s", p.said)
	}
	return p, nil
}

// kill ends the process at once and waits for it.
func (p *process) kill() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill() // or it has ended by itself
	_ = p.cmd.Wait()         // the status was asked for, if it matters
}

// close lets the process end by itself.
func (p *process) close() {
	_ = p.in.Close()
	late := time.AfterFunc(2*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	_ = p.cmd.Wait() // its work is done, whatever the status
}

// work sends a request and gives each reply to fn; the last one has no More.
// After an error other than fn's on an ended exchange, the process is gone.
func (p *process) work(ctx context.Context, req request, data []byte, most limits, fn func(reply, []byte) error) error {
	req.CPU, req.Memory = most.cpu, most.memory
	ctx, cancel := context.WithTimeoutCause(ctx, most.wall, errOver)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	defer stop()
	unwatch := p.watch(most.cpu)
	err := p.exchange(req, data, fn)
	overCPU := unwatch()
	if err == nil {
		p.served++
		p.killed = overCPU || !stop() // the answer came just before
		return nil
	}
	p.kill()
	switch {
	case errors.Is(context.Cause(ctx), errOver):
		return &overError{fault.NewText("reading_slow", "it takes longer than %s to read", most.wall)}
	case ctx.Err() != nil:
		return ctx.Err()
	case overCPU:
		return &overError{tooMuchCPU(most)}
	case errors.Is(err, errReply):
		return fault.Wrap(fault.Invalid, &deadError{err.Error()}, "worker_gave_up", "damaged: docent's reader gave up on it")
	}
	return p.obituary(err, most)
}

func tooMuchCPU(most limits) fault.Text {
	return fault.NewText("reading_cpu", "it takes more than %s of processor time to read", most.cpu)
}

// watch kills the process when it takes more than some processor time, and a
// margin in which it may notice by itself: compiled code of PDFium may keep its
// guard from running. The function that it returns ends the watch and reports
// whether that happened. Where the system does not tell, the deadline holds.
func (p *process) watch(cpu time.Duration) (unwatch func() bool) {
	const every, margin = 250 * time.Millisecond, 500 * time.Millisecond
	began, known := usedCPU(p.cmd.Process.Pid)
	if !known {
		return func() bool { return false }
	}
	done, over := make(chan struct{}), make(chan bool)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				over <- false
				return
			case <-tick.C:
			}
			if used, known := usedCPU(p.cmd.Process.Pid); known && used-began > cpu+margin {
				_ = p.cmd.Process.Kill() // or it has ended
				<-done
				over <- true
				return
			}
		}
	}()
	return func() bool {
		close(done)
		return <-over
	}
}

// exchange sends a request and reads replies.
func (p *process) exchange(req request, data []byte, fn func(reply, []byte) error) error {
	if err := send(p.in, req, data); err != nil {
		return err
	}
	for {
		var rep reply
		body, err := receive(p.out, &rep)
		if err != nil {
			return err
		}
		if err := fn(rep, body); err != nil {
			return err
		}
		if !rep.More {
			return nil
		}
	}
}

// obituary tells of what a process has died.
func (p *process) obituary(err error, most limits) error {
	memory := &overError{fault.NewText("reading_memory", "it needs more than %d MiB of memory to read", most.memory>>20)}
	said := p.said.String()
	switch code := p.cmd.ProcessState.ExitCode(); {
	case code == exitMemory, strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return memory
	case code == exitCPU:
		return &overError{tooMuchCPU(most)}
	case code == exitBroken:
		return fault.Wrap(fault.Unavailable, errors.New(said), "worker_broken", "the process that reads documents does not work")
	}
	return fault.Wrap(fault.Invalid, &deadError{fmt.Sprintf("%v: %s: %s", err, p.cmd.ProcessState, said)},
		"worker_crashed", "damaged: docent's reader broke on it")
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	said []byte
}

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, b...)
	if over := len(t.said) - maxSaid; over > 0 {
		t.said = append(t.said[:0], t.said[over:]...)
	}
	return len(b), nil
}

// String returns the end of what was written.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.said))
}
