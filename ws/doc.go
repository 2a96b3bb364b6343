// Package ws serves agents over WebSocket. Clients use BAF's frames or ask for
// docent.v1. Other packages can add dialects at separate paths; see Dialect.
//
// A Connection has one reader goroutine and one writer goroutine. The reader
// decodes messages and calls the session. The writer sends the messages in the
// connection's outbox. The size of the outbox is limited in bytes.
package ws
