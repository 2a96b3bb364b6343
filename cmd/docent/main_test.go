package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"docent/internal/pgtest"
)

// asProgram is an environment variable. It turns the test binary into docent,
// so that tests can start and kill it as another process.
const asProgram = "DOCENT_TEST_PROGRAM"

// patience bounds the wait for another process. Only a broken process takes
// that long.
const patience = 3 * time.Minute

func TestMain(m *testing.M) {
	if file := os.Getenv(asServer); file != "" {
		serveMCP(file)
		return
	}
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(suite{pgtest.Main(m)}, map[string]func(){"docent": main})
}

// programVariable is an environment variable with the absolute path of the program under test. Without
// it, the tests start the test binary as docent.
const programVariable = "DOCENT_BIN"

// programPath returns the path of the program under test.
func programPath(t testing.TB) string {
	t.Helper()
	exe := os.Getenv(programVariable)
	if exe == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		return self
	}
	if !filepath.IsAbs(exe) {
		t.Fatalf("%s=%s is not an absolute path", programVariable, exe)
	}
	if _, err := os.Stat(exe); err != nil { // also tells go test to run the tests of a new program again
		t.Fatalf("%s does not name a program: %v", programVariable, err)
	}
	return exe
}

// linkProgram makes a folder for PATH in which docent is the program under test.
func linkProgram(dir, exe string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Symlink(exe, filepath.Join(dir, "docent"))
}

// suite limits the processes that run at once.
type suite struct{ pgtest.Suite }

// Run runs the tests and returns the exit code.
func (s suite) Run() int {
	// Nearly each test runs a server. Two tests at once keep two cores busy. More of them only
	// make each other slow. The flag -parallel changes this default.
	if err := flag.Set("test.parallel", "2"); err != nil {
		panic(err)
	}
	return s.Suite.Run()
}

func TestScripts(t *testing.T) {
	t.Parallel()
	exe := programPath(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// binary FILE writes bytes that are no text in any charset.
			"binary": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte{0, 1, 2, 0xff, 0x7f}, 400), 0o600))
			},
			// status N ARG... runs docent and checks its exit status.
			"status": func(ts *testscript.TestScript, _ bool, args []string) {
				err := ts.Exec("docent", args[1:]...)
				var exit *exec.ExitError
				code := 0
				if errors.As(err, &exit) {
					code = exit.ExitCode()
				}
				if strconv.Itoa(code) != args[0] {
					ts.Fatalf("docent %v: status %d, want %s", args[1:], code, args[0])
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("DOCENT_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("HOME", env.WorkDir)
			repository, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			env.Setenv("REPO", repository)
			if os.Getenv(programVariable) == "" {
				return nil // testscript.Main has put the test binary into PATH
			}
			dir := filepath.Join(env.WorkDir, ".bin")
			env.Setenv("PATH", dir+string(filepath.ListSeparator)+env.Getenv("PATH"))
			return linkProgram(dir, exe)
		},
	})
}

// program is docent as another process.
type program struct {
	cmd  *exec.Cmd
	out  *lines
	log  *lines
	done chan struct{} // closed when it has ended
}

// lines is a writer that others can wait on.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
	got  chan struct{} // replaced at each write
}

func newLines() *lines { return &lines{got: make(chan struct{})} }

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	close(l.got)
	l.got = make(chan struct{})
	return len(p), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// line waits for a line that begins so and returns its rest.
func (l *lines) line(t *testing.T, prefix string) string {
	t.Helper()
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		text, got := l.text.String(), l.got
		l.mu.Unlock()
		sc := bufio.NewScanner(strings.NewReader(text))
		for sc.Scan() {
			if rest, ok := strings.CutPrefix(sc.Text(), prefix); ok && strings.Contains(text, sc.Text()+"\n") {
				return rest
			}
		}
		select {
		case <-got:
		case <-deadline:
			t.Fatalf("no line %q in:\n%s", prefix, text)
		}
	}
}

// start runs docent with only the given environment. The built-in encoder is off, because it
// costs processor time at each start, and changes rankings when it has encoded the chunks in the
// background. A test of the encoder sets DOCENT_ENCODER=auto.
func start(t *testing.T, env []string, args ...string) *program {
	t.Helper()
	return startReading(t, nil, env, args...)
}

// startReading runs docent with a standard input.
func startReading(t *testing.T, in io.Reader, env []string, args ...string) *program {
	t.Helper()
	p := &program{
		cmd: exec.CommandContext(t.Context(), programPath(t), args...),
		out: newLines(), log: newLines(), done: make(chan struct{}),
	}
	p.cmd.Env = append([]string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "DOCENT_ENCODER=off"}, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, p.out, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // the status says it
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// wait ends the wait for the process and returns its status.
func (p *program) wait() int {
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

// docent runs a command to its end and returns its standard output.
func docent(t *testing.T, env []string, want int, args ...string) string {
	t.Helper()
	p := start(t, env, args...)
	if code := p.wait(); code != want {
		t.Fatalf("docent %s: status %d, want %d\n%s%s", strings.Join(args, " "), code, want, p.out, p.log)
	}
	return p.out.String()
}

// serve starts a server and returns it with its URL.
func serve(t *testing.T, env []string, args ...string) (*program, string) {
	t.Helper()
	p := start(t, env, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	return p, p.log.line(t, "docent is at ")
}

// hostOf returns the host and port of a server's URL.
func hostOf(at string) string { return strings.TrimPrefix(at, "http://") }

// write makes files in dir from pairs of name and content. A file appears with
// all of its content, so that a watching process never reads an empty one.
func write(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole")
	for i := 0; i < len(pairs); i += 2 {
		name := filepath.Join(dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(whole, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(whole, name); err != nil {
			t.Fatal(err)
		}
	}
}
