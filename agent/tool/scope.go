package tool

import (
	"context"
	"slices"

	"docent/rag/corpus"
)

// Scope narrows the results of the knowledge tools.
type Scope struct {
	// Collections are the accessible collections. None means all.
	Collections []string
	// Documents are the ids of the documents to search. None means all.
	Documents []int64
	// K is the number of passages per search and overrides the model. 0 lets the model choose.
	K int
}

type scopeKey struct{}

// WithScope returns a context that limits the knowledge tools to a scope.
func WithScope(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

func scope(ctx context.Context) Scope {
	s, _ := ctx.Value(scopeKey{}).(Scope)
	return s
}

// allows reports whether the scope contains a collection.
func (s Scope) allows(collection string) bool {
	return len(s.Collections) == 0 || slices.Contains(s.Collections, collection)
}

// has reports whether the scope contains a document.
func (s Scope) has(d corpus.Document) bool {
	return s.allows(d.Collection) && (len(s.Documents) == 0 || slices.Contains(s.Documents, d.ID))
}
