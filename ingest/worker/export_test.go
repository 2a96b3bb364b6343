package worker

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// TestMark begins a document that makes a test's worker fail. The way of
// failing follows the mark.
const TestMark = "misbehave: "

// The ways to misbehave.
const (
	DieByMemory = "memory"
	DieByCPU    = "cpu"
	DieByPanic  = "panic"
	DieByExit   = "exit"
	DieByStack  = "stack"
	DieByKill   = "kill"
	Dial        = "dial"
	OpenFile    = "open"
	Exec        = "exec"
)

func init() {
	beforeRead = func(src intake.Source) error {
		way, found := bytes.CutPrefix(src.Data, []byte(TestMark))
		if !found {
			return nil
		}
		var err error
		switch string(way) {
		case DieByMemory:
			var all [][]byte
			for {
				all = append(all, bytes.Repeat([]byte("x"), 1<<20))
				if len(all) > 1<<20 {
					return nil
				}
			}
		case DieByCPU:
			for n := uint64(1); n != 0; n += 2 {
			}
		case DieByPanic:
			panic("made to")
		case DieByExit:
			os.Exit(7)
		case DieByKill:
			killOwnGroup()
		case DieByStack:
			return fault.New(fault.Invalid, "test_sentence", "%d", overflow(1))
		case Dial:
			var c net.Conn
			if c, err = net.Dial("tcp", "127.0.0.1:1"); err == nil { //nolint:noctx // it must fail
				c.Close()
			}
		case OpenFile:
			_, err = os.ReadFile("/etc/passwd")
		case Exec:
			err = exec.Command("/bin/true").Run() //nolint:noctx // it must fail
		}
		return fault.New(fault.Invalid, "test_sentence", "%v", fmt.Errorf("%s: %w", way, err))
	}
}

// overflow runs out of stack.
func overflow(n int) int {
	if n < 0 {
		return 0
	}
	return overflow(n+1) + n
}

// SetCPU reduces the processor time for each document of a pool.
func (p *Pool) SetCPU(most time.Duration) { p.cpu = most }

// RunTool runs a program in the sandbox of tools and returns its output.
func (p *Pool) RunTool(ctx context.Context, program string, args ...string) (out string, err error) {
	err = inFolder(func(dir string) error {
		text, err := p.tools.run(ctx, dir, nil, program, args...)
		out = string(text)
		return err
	})
	return out, err
}

// Arguments are the arguments of a worker.
func Arguments() []string { return arguments }
