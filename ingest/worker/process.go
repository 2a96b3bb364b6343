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

// limits are the limits of one operation.
type limits struct {
	cpu    time.Duration
	wall   time.Duration
	memory int64
}

// errOver means that a document exceeded its limits.
var errOver = errors.New("over its limits")

// overError is an errOver that names the exceeded limit.
type overError struct{ safe fault.Text }

// Error names the exceeded limit.
func (e *overError) Error() string { return e.safe.Message }

// Is reports whether the target is errOver.
func (e *overError) Is(target error) bool { return target == errOver }

// errKilled means that the system or an operator killed a worker. That says nothing
// about its document.
var errKilled = fault.New(fault.Invalid, "worker_killed",
	"the system stopped docent's reader twice, perhaps for lack of memory; docent reads the file again at the next run")

// deadError means that a worker died while reading a document.
type deadError struct{ detail string }

// Is reports whether the target is intake.ErrBroken.
func (e *deadError) Is(target error) bool { return target == intake.ErrBroken }

// Error returns the last output of the worker.
func (e *deadError) Error() string { return e.detail }

// maxSaid bounds the stored standard error of a worker, in bytes.
const maxSaid = 16 << 10

// process is a running worker. It is not safe for concurrent use.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	said   *tail
	served int
	killed bool // it is being killed and reads no more documents
}

// startProcess starts a worker. A preparing worker may write to the folder of
// compiled code and reads no documents.
func startProcess(cfg PoolConfig, hard int64, prepares bool) (*process, error) {
	keepDescriptors()
	code := ""
	if cfg.CacheDir != "" {
		code = filepath.Join(cfg.CacheDir, "pdfium")
	}
	cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)      //nolint:noctx // it outlives the call; close and kill end it
	cmd.Env = append([]string{"GOTRACEBACK=single"}, cfg.Env...) // not the parent's environment, which contains passwords
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
	if err := send(in, hello{CacheDir: code, Prepares: prepares, Nice: cfg.Quick > 0, Hard: hard}, nil); err != nil {
		p.kill()
		return nil, fault.Wrap(fault.Unavailable, err, "worker_silent", "the process that reads documents does not start: %s", p.said)
	}
	return p, nil
}

// kill kills the process and waits for it.
func (p *process) kill() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill() // fails if it has already ended
	_ = p.cmd.Wait()         // the exit status does not matter
}

// close ends the input of the process and waits for it to exit.
func (p *process) close() {
	_ = p.in.Close()
	late := time.AfterFunc(2*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	_ = p.cmd.Wait() // its work is done, so the status does not matter
}

// work sends a request and calls fn with each reply. The last reply has no
// More. After an error, the process has ended, unless fn returned the error
// after the last reply.
func (p *process) work(ctx context.Context, req request, data []byte, most limits, fn func(reply, []byte) error) error {
	req.CPU, req.Memory = most.cpu, most.memory
	ctx, cancel := context.WithTimeoutCause(ctx, most.wall, errOver)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	defer stop()
	unwatch := p.watch(most.cpu)
	var refused error
	err := p.exchange(req, data, func(rep reply, body []byte) error {
		refused = fn(rep, body)
		return refused
	})
	overCPU := unwatch()
	if err == nil {
		p.served++
		p.killed = overCPU || !stop() // the answer arrived just before the deadline
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
	case refused != nil:
		return refused
	}
	return p.obituary(err, most)
}

func tooMuchCPU(most limits) fault.Text {
	return fault.NewText("reading_cpu", "it takes more than %s of processor time to read", most.cpu)
}

// watch kills the process when it exceeds its processor time by a margin.
// Within the margin the guard of the process may act itself, but compiled
// PDFium code may block the guard. The returned function ends the watch and
// reports whether it killed the process. If the processor time is unknown, only
// the deadline applies.
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
				_ = p.cmd.Process.Kill() // fails if it has already ended
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

// obituary returns an error that says why a process died.
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
	case wasKilled(p.cmd.ProcessState):
		return errKilled
	}
	return fault.Wrap(fault.Invalid, &deadError{fmt.Sprintf("%v: %s: %s", err, p.cmd.ProcessState, said)},
		"worker_crashed", "damaged: docent's reader broke on it")
}

// tail keeps the end of its input.
type tail struct {
	mu   sync.Mutex
	said []byte
}

// Write keeps the end of the output. It never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, b...)
	if over := len(t.said) - maxSaid; over > 0 {
		t.said = append(t.said[:0], t.said[over:]...)
	}
	return len(b), nil
}

// String returns the end of the output.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.said))
}
