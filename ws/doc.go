// Package ws serves agents over WebSocket. Clients speak BAF's frames or, if they
// ask for it, docent.v1. Other packages add dialects at paths of their own; see
// Dialect.
//
// A Connection has one reader goroutine and one writer goroutine. The reader
// decodes messages and calls the session. The writer sends the messages in the
// connection's outbox, which is bounded in bytes.
package ws
