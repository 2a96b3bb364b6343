//go:build !unix

package main

import "syscall"

// attributes has no effect on this system.
func attributes() *syscall.SysProcAttr { return nil }
