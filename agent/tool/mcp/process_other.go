//go:build !unix

package mcp

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: process groups are Unix'.
func ownGroup(*exec.Cmd) {}

// endGroup ends a program; there is no asking.
func endGroup(p *os.Process) error { return p.Kill() }

// killGroup ends a program.
func killGroup(p *os.Process) error { return p.Kill() }
