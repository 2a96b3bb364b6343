//go:build !linux

package pgtest

import (
	"os"
	"syscall"
)

// quit makes PostgreSQL end.
var quit = os.Interrupt

// attributes are Linux' alone: elsewhere tests run as an ordinary user, and a
// server outlives a test process that is killed.
func attributes(*identity) *syscall.SysProcAttr { return nil }

// alive leaves the folders of others alone.
func alive(int) bool { return true }
