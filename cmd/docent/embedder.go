package main

import (
	"context"
	"fmt"
	"strings"

	"docent/embed"
)

// sized is an embedder on a server, named by the length of its vectors as well:
// a server that has another model under the same name is another embedder, so
// that its vectors are not mixed with those stored.
type sized struct{ *embed.OpenAI }

// Name is the model's name with the length of its vectors.
func (s sized) Name() string {
	name, length := s.OpenAI.Name(), fmt.Sprintf("@%d", s.Dimensions())
	if strings.HasSuffix(name, length) {
		return name
	}
	return name + length
}

// addEmbedder makes the built-in embedder and, if one is configured, that on a
// server, which is called once to learn the length of its vectors.
func (a *app) addEmbedder(ctx context.Context) error {
	var err error
	if a.static, err = embed.NewStatic(); err != nil {
		return fmt.Errorf("built-in embedding model: %w", err)
	}
	a.embedder = a.static
	e := a.cfg.Embedder
	if !e.Remote() {
		return nil
	}
	remote, err := embed.NewOpenAI(embed.Config{
		BaseURL: e.URL, APIKey: e.Key, Model: e.Model, Dimensions: e.Dimensions, Logger: a.log,
		Settings: embed.Settings{URL: "DOCENT_EMBEDDER_URL", Key: "DOCENT_EMBEDDER_KEY", Model: "DOCENT_EMBEDDER_MODEL"},
	})
	if err != nil {
		return fmt.Errorf("embedder: %w", err)
	}
	if _, err := remote.EmbedQuery(ctx, "How long are the vectors?"); err != nil {
		return fmt.Errorf("embedder: %w", err)
	}
	a.embedder = sized{remote}
	return nil
}
