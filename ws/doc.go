// Package ws serves agents over WebSocket: BAF's frames to any client,
// docent.v1 to those that ask for it, and the messages of Agent WebSocket at a
// path of its own (files typed*.go). A connection has one reader goroutine, and
// a writer goroutine while there is something to write, whatever it speaks.
package ws
