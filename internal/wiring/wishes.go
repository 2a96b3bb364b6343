package wiring

import (
	"context"

	"docent/config"
	"docent/profile"
	"docent/rag"
	"docent/rag/corpus"
)

// wishesOf returns a function that reads the wishes of the reader in a context. With authentication, a
// reader without a name has none.
func wishesOf(cfg config.Config, choices profile.Choices) func(context.Context) (rag.Wishes, error) {
	return func(ctx context.Context) (rag.Wishes, error) {
		reader, ok := corpus.ReaderOf(ctx)
		if !ok || cfg.Auth && reader.Principal == "" {
			return rag.Wishes{}, nil
		}
		p, err := choices.Preferences(ctx, reader.Principal)
		if !cfg.OwnInstructions {
			p.Instructions = ""
		}
		return rag.Wishes(p), err //nolint:wrapcheck // the store names the operation
	}
}
