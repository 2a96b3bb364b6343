//go:build unix

package worker

import "syscall"

// childAttributes give a worker a process group of its own, so that the
// terminal's interrupt does not reach it: the parent decides.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
