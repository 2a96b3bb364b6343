package corpus

import (
	"context"
	"iter"
	"slices"
	"time"
)

// Encoding is the vector of a chunk by an encoder. An encoder is a model that
// embeds chunks in the background, after searches can find them.
type Encoding struct {
	// ChunkID is the id of the chunk.
	ChunkID int64
	// Revision is the number of the write that stored the vector. PutEncodings
	// sets it.
	Revision int64
	// Vector has length 1 or is all zeros.
	Vector []float32
}

// Languages selects documents by their language. The zero value selects none.
type Languages struct {
	// Listed are ISO 639-1 codes, or "" for documents of unknown language.
	Listed []string
	// Except selects all languages except the listed ones.
	Except bool
}

// Accept reports whether l selects documents of the language.
func (l Languages) Accept(language string) bool {
	return slices.Contains(l.Listed, language) != l.Except
}

// EncodingQuery selects chunks without a vector of a model.
type EncodingQuery struct {
	// Model is the name of the encoder.
	Model string
	// Languages selects the documents that the encoder takes.
	Languages Languages
	// Documents, if set, are the only documents to search.
	Documents []int64
	// Until, if set, is the greatest Version of the documents to search.
	Until int64
	// Limit is the maximum number of chunks.
	Limit int
}

// Encodings stores the vectors of encoders. A deleted chunk loses its vectors.
// It is safe for concurrent use.
type Encodings interface {
	// Unencoded returns chunks without a vector of a model. Those of the newest
	// document come first, by ordinal.
	Unencoded(ctx context.Context, q EncodingQuery) ([]Passage, error)
	// PutEncodings stores vectors of a model. It ignores the vectors of deleted
	// chunks, and of chunks that already have one. Stores may keep 8 bits per
	// element.
	PutEncodings(ctx context.Context, model string, encodings []Encoding) error
	// Encoded yields the vectors of a model after the revision since, in the
	// order of revisions. Writes of a model become visible in that order. An
	// error comes once and last.
	Encoded(ctx context.Context, model string, since int64) iter.Seq2[Encoding, error]
	// ReadEncodings returns the vectors of chunks by a model, in the order of ids. It
	// returns nil for a chunk without one.
	ReadEncodings(ctx context.Context, model string, ids []int64) ([][]float32, error)
	// CountEncodings counts the chunks of the selected documents, and those of
	// them that have a vector of the model.
	CountEncodings(ctx context.Context, model string, languages Languages) (done, total int, err error)
	// LeaseEncoder gives owner the right to encode with a model until the given
	// time, or extends it. ok is false if another owner has the right.
	LeaseEncoder(ctx context.Context, model, owner string, now, until time.Time) (ok bool, err error)
}
