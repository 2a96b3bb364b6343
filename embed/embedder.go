package embed

import (
	"fmt"

	"github.com/tmc/langchaingo/embeddings"
)

// Embedder turns texts into vectors of length 1 whose dot product is their
// similarity. It is langchaingo's contract plus an identity, because vectors of
// different models must never be compared.
//
// EmbedDocuments returns one vector per text, in order, or an error and none;
// it batches as it needs. A text that means nothing (empty, no tokens) has the
// zero vector. It is safe for concurrent use.
type Embedder interface {
	embeddings.Embedder
	// Name identifies the model whose vectors these are, such as
	// "docent/static-v1" or "openai/text-embedding-3-small@256". Vectors of equal
	// names are comparable.
	Name() string
	// Dimensions is the vectors' length; a remote embedder learns it with its
	// first call and returns 0 before.
	Dimensions() int
}

// PanicError is a panic of an embedder, turned into an error so that the texts
// of one call fail and the process goes on.
type PanicError struct {
	// Value is what the embedder panicked with.
	Value any
	// Stack is the goroutine's stack.
	Stack []byte
}

// Error returns the value and the stack, for logs.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the embedder panicked: %v\n%s", e.Value, e.Stack)
}
