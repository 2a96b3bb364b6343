package embed_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"docent/embed"
	"docent/internal/cores"
)

func TestUseCores(t *testing.T) {
	t.Parallel()
	s, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	s.UseCores(cores.New(1))
	texts := strings.Fields(strings.Repeat("pump seal valve ", 500))
	vectors, err := s.EmbedDocuments(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if len(v) != s.Dimensions() {
			t.Fatalf("text %d has a vector of %d", i, len(v))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.EmbedDocuments(ctx, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end", err)
	}
}
