//go:build unix

package main

import "syscall"

// attributes keep Ctrl-C in a terminal from a program. The cluster passes it on.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
