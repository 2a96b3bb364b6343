package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/ingest/worker"
)

// asServer is an environment variable. It makes the test binary run another
// program like a server, or sweep temporary files like a starting server.
const asServer = "WORKER_TEST_SERVER"

// longRunning is a program that starts others and records their ids. One of them
// tries to leave the process group.
const longRunning = `sleep 1000 & echo $! >> ids; (setsid sleep 1000 || exec sleep 1000) & echo $! >> ids; echo $$ >> ids; mv ids all; wait`

// serveTest runs the test binary as a server.
func serveTest(what string) int {
	if what == "sweep" {
		if err := worker.Sweep(); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	p, err := worker.NewPool(worker.PoolConfig{})
	if err == nil {
		_, err = p.RunTool(context.Background(), "/bin/sh", "-c", longRunning)
	}
	fmt.Println("it was not killed:", err)
	return 1
}

// alive reports whether a process runs. A zombie has ended.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !bytes.Contains(stat, []byte(") Z ")) && !bytes.Contains(stat, []byte(") X "))
}

// TestToolsEndWithTheServer kills a server while a tool runs. No process of the
// tool remains.
func TestToolsEndWithTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(what string) *exec.Cmd {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Env = append(os.Environ(), asServer+"="+what, "TMPDIR="+dir)
		cmd.Stdout = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for deadline := time.Now().Add(30 * time.Second); !ok(); <-tick.C {
			if time.Now().After(deadline) {
				t.Fatalf("it never came true: %s", what)
			}
		}
	}
	server := start("run")
	var ids []string
	until("the program runs", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "docent-tool-*", "all")) // the pattern is right
		if len(found) == 0 {
			return false
		}
		data, err := os.ReadFile(found[0])
		ids = strings.Fields(string(data))
		return err == nil
	})
	if len(ids) != 3 {
		t.Fatalf("the processes are %v", ids)
	}
	for _, id := range ids {
		if !alive(id) {
			t.Errorf("process %s does not run", id)
		}
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // it was killed
	for _, id := range ids {
		until("process "+id+" has ended", func() bool { return !alive(id) })
	}
	if err := start("sweep").Wait(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
