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

// memory returns no folder: only Linux has a file system in memory at a known place.
func memory() string { return "" }

// alive always returns true, so that folders of other processes stay.
func alive(int) bool { return true }
