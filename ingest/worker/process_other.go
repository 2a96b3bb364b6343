//go:build !unix

package worker

import "syscall"

func childAttributes() *syscall.SysProcAttr { return nil }
