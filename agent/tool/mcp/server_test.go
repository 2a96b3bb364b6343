//go:build unix

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"docent/agent/tool"
	"docent/internal/fault"
)

// quick makes reconnections fast enough for tests.
var quick = retry{pause: time.Millisecond, max: 10 * time.Millisecond, attempts: 3, rest: time.Hour, stable: time.Hour}

// ample limits waits that are short except on a busy machine.
const ample = 60 * time.Second

// soon is shorter than any timeout that could end the same wait.
const soon = DefaultTimeout - 5*time.Second

// program is the configuration of a server that is the test binary.
func program(t *testing.T, mode string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Name: "test", Command: []string{self}, Env: map[string]string{modeVariable: mode}, Timeout: ample, retry: quick,
	}
}

func connect(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func tools(t *testing.T, s *Server) []tool.Tool {
	t.Helper()
	list, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// invoke calls a tool as an agent does.
func invoke(ctx context.Context, t *testing.T, s *Server, name, text string) tool.Outcome {
	t.Helper()
	return invokeOf(ctx, t, tools(t, s), name, text)
}

// invokeOf is invoke for a list of tools.
func invokeOf(ctx context.Context, t *testing.T, list []tool.Tool, name, text string) tool.Outcome {
	t.Helper()
	set, err := tool.NewSet(tool.SetConfig{Tools: list})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := set.Wait(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	arguments, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	return set.Invoke(ctx, name, arguments)
}

func expect(t *testing.T, s *Server, name, text, want string) {
	t.Helper()
	if got := invoke(t.Context(), t, s, name, text); got.Content != want || got.IsError != strings.HasPrefix(want, "ERROR: ") {
		t.Errorf("%s: %.300q (error %t), want %q", name, got.Content, got.IsError, want)
	}
}

// eventually waits for an effect of another process.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(ample)
	defer late.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late.C:
			t.Fatalf("it did not happen: %s", what)
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	s := connect(t, program(t, "serve"))
	testTools(t, s)
}

// testTools tests properties that all kinds of servers share.
func testTools(t *testing.T, s *Server) {
	t.Helper()
	var names []string
	for _, made := range tools(t, s) {
		names = append(names, made.Name)
		if made.Name == "test_echo" {
			if made.Description != "the tool echo" || !strings.Contains(string(made.Parameters), `"some text"`) {
				t.Errorf("echo is described as %q, %s", made.Description, made.Parameters)
			}
		}
	}
	want := "test_change test_die test_echo test_env test_fail test_family test_files_read test_huge test_monstrous test_panic test_pictures test_pid test_slow test_structured"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("tools are\n%s, want\n%s", got, want)
	}
	expect(t, s, "test_echo", "hello", "you said\nhello")
	expect(t, s, "test_files_read", "", "read")
	expect(t, s, "test_fail", "", "ERROR: the printer is out of paper")
	expect(t, s, "test_structured", "", `{"answer":42}`)
	expect(t, s, "test_pictures", "", "here:\n[image, image/png, 6 bytes]\n[link, a file:///a.txt]\n"+
		"[resource, text/plain, file:///b.txt]\ncontent of b\n[resource, file:///c.bin, 3 bytes]")
	if got := invoke(t.Context(), t, s, "test_huge", ""); got.IsError || len(got.Content) > maxResult+100 || !strings.HasSuffix(got.Content, "[cut after 262144 of 1000000 bytes]") {
		t.Errorf("huge: %d bytes, ending %q", len(got.Content), got.Content[len(got.Content)-60:])
	}
	expect(t, s, "test_change", "", "changed")
	eventually(t, "the new tool is listed", func() bool { return len(tools(t, s)) == len(names)+1 })
	expect(t, s, "test_extra", "", "extra")
}

func TestCallsAtOnce(t *testing.T) {
	t.Parallel()
	s := connect(t, program(t, "serve"))
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { expect(t, s, "test_echo", strconv.Itoa(i), fmt.Sprintf("you said\n%d", i)) })
	}
	all.Wait()
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := connect(t, program(t, "serve"))
	file := filepath.Join(t.TempDir(), "state")
	state := func(want string) func() bool {
		return func() bool { data, err := os.ReadFile(file); return err == nil && string(data) == want }
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped := make(chan tool.Outcome, 1)
	go func() { stopped <- invoke(ctx, t, s, "test_slow", file) }()
	eventually(t, "the call has begun", state("started"))
	cancel()
	if got := <-stopped; got.Content != "ERROR: ToolError: Tool 'test_slow' was stopped" {
		t.Errorf("got %q", got.Content)
	}
	eventually(t, "the server hears of it", state("cancelled"))
	expect(t, s, "test_echo", "still there", "you said\nstill there")
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	s := connect(t, program(t, "serve"))
	list := tools(t, s)
	for i := range list {
		if list[i].Timeout != ample {
			t.Errorf("%s has the timeout %s", list[i].Name, list[i].Timeout)
		}
		list[i].Timeout = time.Second
	}
	if got := invokeOf(t.Context(), t, list, "test_slow", ""); got.Content != "ERROR: ToolError: Tool 'test_slow' timed out after 1s" {
		t.Errorf("got %q", got.Content)
	}
	expect(t, s, "test_echo", "still there", "you said\nstill there")
}

// TestDeath checks that a call fails once if it kills the server, and that the
// next call finds a new server.
func TestDeath(t *testing.T) {
	t.Parallel()
	const lost = `ERROR: the MCP server "test" did not answer the call; it may or may not have carried it out`
	s := connect(t, program(t, "serve"))
	for _, name := range []string{"test_die", "test_panic", "test_monstrous"} {
		expect(t, s, "test_echo", "before", "you said\nbefore")
		expect(t, s, name, "", lost)
		expect(t, s, "test_echo", "after", "you said\nafter")
	}
}

// TestAttempts checks that docent stops trying to restart a failing server for a
// while. The tools are still listed.
func TestAttempts(t *testing.T) {
	t.Parallel()
	var log buffer
	cfg := program(t, "once")
	cfg.Env["MCP_TEST_FILE"] = filepath.Join(t.TempDir(), "started")
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := connect(t, cfg)
	expect(t, s, "test_die", "", `ERROR: the MCP server "test" did not answer the call; it may or may not have carried it out`)
	for range 3 {
		expect(t, s, "test_echo", "", `ERROR: the MCP server "test" failed 3 times in a row; docent will try it again later`)
	}
	if n := strings.Count(log.String(), "cannot connect"); n != 2 { // the death was the first failure
		t.Errorf("%d attempts:\n%s", n, &log)
	}
	s.mu.Lock()
	s.retryAt = time.Now() // the rest is over
	s.mu.Unlock()
	if err := os.Remove(cfg.Env["MCP_TEST_FILE"]); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "test_echo", "again", "you said\nagain")
}

func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	t.Setenv("LANG", "de_DE.UTF-8")
	cfg := program(t, "serve")
	cfg.Env["GREETING"] = "hello there"
	cfg.Dir = t.TempDir()
	s := connect(t, cfg)
	got := invoke(t.Context(), t, s, "test_env", "").Content
	for line := range strings.Lines(got) {
		name, _, _ := strings.Cut(line, "=")
		if !slices.Contains([]string{"PATH", "HOME", "LANG", "PWD", "GREETING", modeVariable}, name) {
			t.Errorf("the program gets %s", line)
		}
	}
	if !strings.Contains(got, "GREETING=hello there") || !strings.Contains(got, "LANG=de_DE.UTF-8") || !strings.Contains(got, "PATH=") {
		t.Errorf("the program gets only\n%s", got)
	}
}

func TestStandardError(t *testing.T) {
	t.Parallel()
	var log buffer
	cfg := program(t, "chatty")
	cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := connect(t, cfg)
	eventually(t, "the second line is logged", func() bool { return strings.Contains(log.String(), `line="second line"`) })
	if n := strings.Count(log.String(), "x"); n < maxLine-100 || n > maxLine+100 {
		t.Errorf("%d bytes of the first line are logged", n)
	}
	expect(t, s, "test_echo", "", "you said")
}

// TestClose checks that no process of a server outlives it.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"serve", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := connect(t, program(t, mode))
			pid, err := strconv.Atoi(invoke(t.Context(), t, s, "test_family", "").Content)
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
			eventually(t, "the grandchild is gone", func() bool { return !running(pid) })
			s.Close()
			if _, err := s.Tools(t.Context()); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("Tools after Close: %v", err)
			}
			if _, err := s.call(t.Context(), "echo", nil); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("a call after Close: %v", err)
			}
		})
	}
}

// running reports whether a process exists and is not a zombie.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

func TestCloseDuringACall(t *testing.T) {
	t.Parallel()
	s := connect(t, program(t, "serve"))
	file := filepath.Join(t.TempDir(), "started")
	arguments, err := json.Marshal(in{file})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := s.call(t.Context(), "slow", arguments)
		failed <- err
	}()
	eventually(t, "the call has begun", func() bool { _, err := os.Stat(file); return err == nil })
	s.Close()
	if err := <-failed; fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

// TestUnreadInput checks that a program that does not read its input cannot block
// a call.
func TestUnreadInput(t *testing.T) {
	t.Parallel()
	s := connect(t, program(t, "serve"))
	pid, err := strconv.Atoi(invoke(t.Context(), t, s, "test_pid", "").Content)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	arguments, _ := json.Marshal(in{strings.Repeat("x", 1<<20)})
	if _, err := s.call(ctx, "echo", arguments); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestConnectFails(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"mute", "crash", "garbage", "missing"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			cfg := program(t, mode)
			cfg.Timeout = time.Second
			if mode == "missing" {
				cfg.Command = []string{"docent-test-no-such-program"}
			}
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			_, err := Connect(ctx, cfg)
			if fault.KindOf(err) != fault.Unavailable || fault.Message(err) != `cannot connect to the MCP server "test"` {
				t.Errorf("got %v", err)
			}
			if ctx.Err() != nil {
				t.Error("Connect does not keep its timeout")
			}
		})
	}
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	var log buffer
	cfg := program(t, "serve")
	cfg.Tools = []string{"echo", "files.read", "nonsense"}
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := connect(t, cfg)
	list := tools(t, s)
	if len(list) != 2 || list[0].Name != "test_echo" || list[1].Name != "test_files_read" {
		t.Errorf("offered: %v", list)
	}
	if !strings.Contains(log.String(), "missing=[nonsense]") {
		t.Errorf("logged: %s", &log)
	}
}

// buffer collects logs of several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
