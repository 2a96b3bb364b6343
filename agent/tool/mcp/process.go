package mcp

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// patience is the time that a program has to exit after its input is closed, and again after the termination signal. Then
	// it is killed.
	patience = 1500 * time.Millisecond
	// stuck is the time for which a program may leave its full input unread.
	stuck = 10 * time.Second
	// drain is the time to read a program's remaining output after it exited. A child process outside of its group may hold
	// the pipe open.
	drain = time.Second
	// maxLine is the maximum logged length of a line of standard error, in bytes.
	maxLine = 2 << 10
)

// inherited are the environment variables that a program gets from docent.
var inherited = []string{"PATH", "HOME", "LANG"}

// carrier makes the transport of the next session. It ends with life.
func (s *Server) carrier(life context.Context) (carrier, error) {
	if s.cfg.URL != "" {
		return newEndpoint(life, s.cfg), nil
	}
	return start(life, s.cfg)
}

// process is a program that speaks MCP. It implements io.ReadWriteCloser over its output and input.
type process struct {
	cmd                   *exec.Cmd
	stdin, stdout, stderr *os.File
	ending                sync.Once
	exited                chan struct{}
	work                  sync.WaitGroup
}

// start runs the program in its own process group until life ends.
func start(life context.Context, cfg Config) (*process, error) {
	cmd := exec.CommandContext(life, cfg.Command[0], cfg.Command[1:]...)
	cmd.Dir = cfg.Dir
	cmd.Env = environment(cmd.Environ(), cfg.Env)
	p := &process{cmd: cmd, exited: make(chan struct{})}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	theirs, err := p.pipes()
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.closeFiles()
		return nil, fmt.Errorf("start the program: %w", err)
	}
	p.work.Go(p.reap)
	p.work.Go(func() { logLines(life, p.stderr, cfg.Logger) })
	return p, nil
}

// pipes connects the program and returns the program's ends of the pipes.
func (p *process) pipes() (theirs []*os.File, err error) {
	for _, end := range []struct {
		ours **os.File
		set  func(*os.File)
		in   bool
	}{
		{&p.stdin, func(f *os.File) { p.cmd.Stdin = f }, true},
		{&p.stdout, func(f *os.File) { p.cmd.Stdout = f }, false},
		{&p.stderr, func(f *os.File) { p.cmd.Stderr = f }, false},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		if end.in {
			r, w = w, r
		}
		*end.ours = r
		end.set(w)
		theirs = append(theirs, w)
	}
	return theirs, nil
}

func (p *process) closeFiles() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			f.Close()
		}
	}
}

// environment returns the inherited and the configured variables.
func environment(ours []string, more map[string]string) []string {
	out := slices.DeleteFunc(slices.Clone(ours), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(inherited, name)
	})
	for _, name := range slices.Sorted(maps.Keys(more)) {
		out = append(out, name+"="+more[name])
	}
	return out
}

// reap waits for the program to exit and kills its child processes.
func (p *process) reap() {
	_ = p.cmd.Wait() // the exit status does not matter
	_ = killGroup(p.cmd.Process)
	soon := time.Now().Add(drain)
	_ = p.stdout.SetReadDeadline(soon)
	_ = p.stderr.SetReadDeadline(soon)
	close(p.exited)
}

// Connect implements sdk.Transport.
func (p *process) Connect(ctx context.Context) (sdk.Connection, error) {
	t := sdk.IOTransport{Reader: output{p}, Writer: p, MaxLineLength: maxMessage}
	return t.Connect(ctx)
}

// output is the readable side of a process. Closing it does nothing, because closing the input ends the process normally.
type output struct{ p *process }

func (o output) Read(b []byte) (int, error) { return o.p.stdout.Read(b) }
func (o output) Close() error               { return nil }

// Write writes to the program's input.
func (p *process) Write(b []byte) (int, error) {
	_ = p.stdin.SetWriteDeadline(time.Now().Add(stuck)) // not everywhere possible
	return p.stdin.Write(b)
}

// Close ends the program.
func (p *process) Close() error {
	p.stop()
	return nil
}

// stop ends the program. It closes the input, then sends a signal, then kills.
func (p *process) stop() {
	p.ending.Do(func() {
		p.stdin.Close()
		if !p.exits() {
			_ = endGroup(p.cmd.Process)
			if !p.exits() {
				_ = killGroup(p.cmd.Process)
			}
		}
		p.work.Wait()
		p.stdout.Close()
		p.stderr.Close()
	})
}

func (p *process) exits() bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-p.exited:
		return true
	case <-late.C:
		return false
	}
}

// logLines logs the beginning of each line of the program's standard error.
func logLines(ctx context.Context, stderr *os.File, log *slog.Logger) {
	r := bufio.NewReaderSize(stderr, maxLine)
	rest := false // of a line whose beginning is logged
	for {
		line, more, err := r.ReadLine()
		if err != nil {
			return
		}
		if !rest && len(line) > 0 {
			log.DebugContext(ctx, "an MCP server says", "line", strings.ToValidUTF8(string(line), "\uFFFD"))
		}
		rest = more
	}
}
