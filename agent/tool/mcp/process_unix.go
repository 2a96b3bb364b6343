//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives a program its own process group. Its child processes end with it, and a terminal's interrupt does not
// reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup sends a termination signal to a program and its child processes.
func endGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup kills a program and its child processes.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
