package rag

import "context"

// Entailment judges whether passages say what statements say. It is safe for concurrent
// use.
type Entailment interface {
	// Accepts reports whether the model knows a language: its ISO 639-1 code, or "" for
	// an unknown one.
	Accepts(language string) bool
	// Judge returns the probabilities that each passage entails or contradicts its
	// statement. There are as many statements as passages. Each pair costs about as much
	// as the vector of a text with 512 tokens. Judge returns early if ctx ends.
	Judge(ctx context.Context, passages, statements []string) (entailed, contradicted []float64, err error)
}
