//go:build !linux && !darwin

package main

import "net"

// boundUnsent does nothing: there is no such bound here.
func boundUnsent(net.Conn, int) {}
