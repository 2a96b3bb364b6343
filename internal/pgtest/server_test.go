package pgtest

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// dieEnv makes a test process start a server and kill itself.
const dieEnv = "DOCENT_PGTEST_DIE"

// TestServerEndsWithProcess kills a process that has a server, as a panic, a
// timeout, or Ctrl-C would, and checks that nothing is left.
func TestServerEndsWithProcess(t *testing.T) {
	if os.Getenv("TEST_DATABASE_URL") != "" {
		t.Skip("the server is not ours")
	}
	if os.Getenv(dieEnv) != "" {
		URL(t)
		os.Stdout.WriteString("server " + process.own.dir + " " + strconv.Itoa(process.own.cmd.Process.Pid) + "\n")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		<-t.Context().Done()
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestServerEndsWithProcess$")
	cmd.Env = append(os.Environ(), dieEnv+"=1")
	out, err := cmd.Output()
	if err == nil {
		t.Fatal("the process did not die")
	}
	fields := strings.Fields(string(out))
	if len(fields) != 3 {
		t.Fatalf("the process printed %q", out)
	}
	pid, err := strconv.Atoi(fields[2])
	if err != nil {
		t.Fatal(err)
	}
	deadline, tick := time.After(adminTimeout), time.NewTicker(readyEvery)
	defer tick.Stop()
	for running(pid) {
		select {
		case <-deadline:
			t.Fatalf("server %d goes on without its process", pid)
		case <-tick.C:
		}
	}
	dir, err := makeFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if _, err := os.Stat(fields[1]); !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", fields[1], err)
	}
}

// running reports whether a process exists and is not a zombie.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
