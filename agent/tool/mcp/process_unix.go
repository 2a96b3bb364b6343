//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has a program lead a process group, so that what it starts ends
// with it and a terminal's interrupt does not reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks a program and what it started to end.
func endGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup ends a program and what it started.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
