package embed

import (
	"context"
	"fmt"
)

// Embedder turns texts into vectors of length 1. The dot product of two vectors
// is the similarity of their texts. The vector of a text without tokens is zero.
// An Embedder has the methods of langchaingo's embedders and the name of its
// model. Vectors of different models must never be compared. It is safe for
// concurrent use.
type Embedder interface {
	// Name identifies the model, such as "docent/static-v1" or
	// "openai/text-embedding-3-small@256". Only vectors of embedders with the same
	// name can be compared.
	Name() string
	// Dimensions is the length of the vectors. A remote embedder learns it from
	// its first call and returns 0 before.
	Dimensions() int
	// EmbedQuery returns the vector of a question.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
	// EmbedDocuments returns one vector for each text, in the order of the texts.
	// It may send the texts in several batches. On an error it returns no vectors.
	EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error)
}

// PanicError reports that an embedder panicked. The call fails, and the process
// continues.
type PanicError struct {
	// Value is the value of the panic.
	Value any
	// Stack is the stack of the goroutine.
	Stack []byte
}

// Error returns the value and the stack, for logs.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the embedder panicked: %v\n%s", e.Value, e.Stack)
}
