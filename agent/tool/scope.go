package tool

import (
	"context"
	"slices"
)

// Scope narrows what the knowledge tools find.
type Scope struct {
	// Collections are those that can be searched and read; none means all.
	Collections []string
	// K is how many passages a search shows, whatever the model says; 0 leaves it
	// to the model.
	K int
}

type scopeKey struct{}

// WithScope has the knowledge tools that are called with the context keep to a
// scope.
func WithScope(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

func scope(ctx context.Context) Scope {
	s, _ := ctx.Value(scopeKey{}).(Scope)
	return s
}

// allows reports whether a collection is in the scope.
func (s Scope) allows(collection string) bool {
	return len(s.Collections) == 0 || slices.Contains(s.Collections, collection)
}
