// Package agent runs conversations: agents are state machines written in Go,
// and each session of one is handled by a single goroutine, one event at a
// time, with everything said kept in a store.
package agent
