package journal

import (
	"context"
	"encoding/json"
)

// Document is a document that only one session has. It is not part of the library: no
// search, list, or count outside of the session includes it.
type Document struct {
	// ID is the id of the row, or 0 before the document is stored.
	ID int64
	// Turn is the turn that added the document. For an attached file, it is the turn of the file.
	Turn int64
	// Content is the title, the source, and the passages as JSON. The store does not read it.
	Content json.RawMessage
}

// Documents is the part of a Store that keeps the documents of sessions. A reset, and the deletion
// of the session, remove them in the same transaction.
type Documents interface {
	// SessionDocuments returns the documents of a session, oldest first, without those of replaced turns.
	// It returns none for a missing session.
	SessionDocuments(ctx context.Context, session int64) ([]Document, error)
}
