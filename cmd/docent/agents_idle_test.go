package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// waits is an agent whose sessions wait for a time that does not come.
const waits = `name: waits
states:
  begin: {initial: true, on: [{message: any, to: wait}]}
  wait:
    body: [{reply: "{{.message}}"}]
    on: [{message: any, to: wait}, {after: 24h, to: begin}]
`

// TestIdleSessions: sessions that were used and left cost a server neither
// goroutines nor files nor, but for little, memory. The soak test has more.
func TestIdleSessions(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) { useSessions(t, env, 300) })
}

// useSessions compares a server that had so many sessions, fifty at a time,
// with what it was after few.
func useSessions(t *testing.T, env []string, sessions int) {
	t.Helper()
	const few, atOnce = 100, 50
	server, at := serve(t, append([]string{"GOGC=25"}, env...), "--agent", yamlAgent(t, waits))
	visit := func(from, to int) {
		var all sync.WaitGroup
		for worker := range atOnce {
			all.Go(func() {
				for n := from + worker; n < to; n += atOnce {
					g := join(t, at, fmt.Sprint("session ", n), false)
					g.tell(t, fmt.Sprint("m", n), "")
					g.waitReply(t, fmt.Sprint("m", n))
					g.leave()
				}
			})
		}
		all.Wait()
	}
	visit(0, few)
	files, memory := server.files(t), server.memory(t, "RssAnon:")
	visit(few, few+sessions)
	eventually(t, "all connections are closed", func() bool { return server.files(t) <= files+atOnce/10 })
	// The server gives memory back when it collects garbage, which what follows makes it do.
	allowed := memory + 16<<20 + 1024*sessions
	eventually(t, "the memory is given back", func() bool {
		visit(0, atOnce)
		return server.memory(t, "RssAnon:") <= allowed
	})
	t.Logf("memory after %d sessions %.1f MB, after %d more %.1f MB", few, float64(memory)/1e6, sessions, float64(server.memory(t, "RssAnon:"))/1e6)
	for n := range 10 { // they come back
		g := join(t, at, fmt.Sprint("session ", few+n), false)
		g.tell(t, "again", "")
		g.waitReply(t, "again")
		g.leave()
	}
	eventually(t, "all connections are closed", func() bool { return server.files(t) <= files+atOnce/10 })
	if err := server.cmd.Process.Signal(syscall.SIGQUIT); err != nil { // it tells its goroutines and ends
		t.Fatal(err)
	}
	<-server.done
	goroutines := strings.Count(server.log.String(), "\ngoroutine ")
	t.Logf("%d goroutines", goroutines)
	if goroutines == 0 || goroutines > 40 {
		t.Errorf("%d goroutines are left:\n%s", goroutines, clip(server.log.String(), 20000))
	}
}

// files counts the open files of the process.
func (p *program) files(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// memory reads a line of /proc/PID/status, in bytes.
func (p *program) memory(t *testing.T, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(status)) {
		if fields := strings.Fields(l); len(fields) > 1 && fields[0] == name {
			kib, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("no line %s in:\n%s", name, status)
	return 0
}
