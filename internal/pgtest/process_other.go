//go:build !linux

package pgtest

import (
	"os"
	"syscall"
)

// quit is the signal that ends PostgreSQL.
var quit = os.Interrupt

// attributes only work on Linux. Elsewhere tests run as an ordinary user, and a server outlives a killed test process.
func attributes(*identity) *syscall.SysProcAttr { return nil }

// alive always returns true, so that folders of other processes stay.
func alive(int) bool { return true }
