//go:build !unix

package mcp

import (
	"os"
	"os/exec"
)

// ownGroup does nothing, because only Unix has process groups.
func ownGroup(*exec.Cmd) {}

// endGroup kills a program, because there is no termination signal.
func endGroup(p *os.Process) error { return p.Kill() }

// killGroup kills a program.
func killGroup(p *os.Process) error { return p.Kill() }
