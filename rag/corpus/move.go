package corpus

import "context"

// MaxMoved limits the documents that one call of Mover moves.
const MaxMoved = 1000

// Mover moves documents to other collections. It is safe for concurrent use.
type Mover interface {
	// MoveDocuments moves documents to a collection. They keep their ids, passages, and vectors. It ignores unknown ids, and
	// returns the number of documents that were in another collection. If one of them cannot be moved, it moves none: it fails
	// with fault.NotFound if there is no such collection, and with fault.Conflict if a source keeps a document in sync, or if
	// the collection has a document with the same source.
	MoveDocuments(ctx context.Context, ids []int64, collection string) (int, error)
}
