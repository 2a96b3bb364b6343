//go:build !unix

package worker

import (
	"os"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) error { return p.Kill() }

func killOwnGroup() { os.Exit(exitBroken) }

// wasKilled is false: without signals, the exit status does not tell.
func wasKilled(*os.ProcessState) bool { return false }
