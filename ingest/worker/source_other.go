//go:build !unix

package worker

func closeDescriptor(uintptr) {}
