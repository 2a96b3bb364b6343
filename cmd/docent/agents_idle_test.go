package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"docent/rag/text"
)

// waits is an agent whose sessions wait for a day.
const waits = `name: waits
states:
  begin: {initial: true, on: [{message: any, to: wait}]}
  wait:
    body: [{reply: "{{.message}}"}]
    on: [{message: any, to: wait}, {after: 24h, to: begin}]
`

// fewSessions is the number of sessions before the first measurement.
// sessionsAtOnce is the number of sessions that are open at a time.
const fewSessions, sessionsAtOnce = 100, 50

// TestIdleSessions checks that idle sessions cost a server neither goroutines nor
// files. TestSoakIdleSessions also checks the memory.
func TestIdleSessions(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		s := startIdle(t, env)
		s.visit(t, 0, fewSessions)
		files := s.files(t)
		s.visit(t, fewSessions, fewSessions+300)
		s.check(t, files)
	})
}

// idleServer is a server whose sessions wait.
type idleServer struct {
	*program
	at string
}

func startIdle(t *testing.T, env []string) idleServer {
	t.Helper()
	p, at := serve(t, env, "--agent", yamlAgent(t, waits))
	return idleServer{p, at}
}

// visit opens the sessions with these numbers, talks in each, and leaves them.
func (s idleServer) visit(t *testing.T, from, to int) {
	t.Helper()
	var all sync.WaitGroup
	for worker := range sessionsAtOnce {
		all.Go(func() {
			for n := from + worker; n < to; n += sessionsAtOnce {
				s.talk(t, n, fmt.Sprint("m", n))
			}
		})
	}
	all.Wait()
}

// talk joins a session, sends a message, waits for the reply, and leaves.
func (s idleServer) talk(t *testing.T, n int, message string) {
	t.Helper()
	g := join(t, s.at, fmt.Sprint("session ", n), false)
	g.tell(t, message, "")
	g.waitReply(t, message)
	g.leave()
}

// check lets some sessions continue. Then it compares the open files with an
// earlier count, and ends the server to count its goroutines.
func (s idleServer) check(t *testing.T, files int) {
	t.Helper()
	closed := func() bool { return s.files(t) <= files+sessionsAtOnce/10 }
	eventually(t, "all connections are closed", closed)
	for n := range 10 {
		s.talk(t, fewSessions+n, "again")
	}
	eventually(t, "all connections are closed", closed)
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil { // Go prints the goroutines and exits
		t.Fatal(err)
	}
	<-s.done
	goroutines := strings.Count(s.log.String(), "\ngoroutine ")
	t.Logf("%d goroutines", goroutines)
	if goroutines == 0 || goroutines > 40 {
		t.Errorf("%d goroutines are left:\n%s", goroutines, text.Shorten(s.log.String(), 20000))
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
