//go:build unix

package worker

import (
	"os"
	"syscall"
)

// childAttributes give a worker its own process group. An interrupt in the
// terminal then does not reach the worker, and the parent decides when it ends.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process and its process group.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// killOwnGroup kills the process group of this process.
func killOwnGroup() { _ = syscall.Kill(0, syscall.SIGKILL) }

// wasKilled reports whether SIGKILL ended a process.
func wasKilled(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
