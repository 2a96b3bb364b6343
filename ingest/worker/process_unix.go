//go:build unix

package worker

import (
	"os"
	"syscall"
)

// childAttributes give a worker a process group of its own, so that the
// terminal's interrupt does not reach it: the parent decides.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a process with those that it started.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// killOwnGroup ends this process with all of its process group.
func killOwnGroup() { _ = syscall.Kill(0, syscall.SIGKILL) }
