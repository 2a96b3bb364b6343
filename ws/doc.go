// Package ws serves agents over WebSocket: BAF's frames to any client, and
// docent.v1 to those that ask for it. A connection has one reader goroutine,
// and a writer goroutine while there is something to write.
package ws
