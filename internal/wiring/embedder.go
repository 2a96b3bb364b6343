package wiring

import (
	"context"
	"fmt"
	"strings"

	"docent/config"
	"docent/embed"
	"docent/embed/encoder"
	"docent/rag/retrieve"
)

// sized is an embedder on a server. Its name contains the length of its vectors.
// A server can offer another model under the same name. If its vectors have
// another length, docent does not mix them with the stored ones.
type sized struct{ *embed.OpenAI }

// Name returns the name of the model with the length of its vectors.
func (s sized) Name() string {
	name, length := s.OpenAI.Name(), fmt.Sprintf("@%d", s.Dimensions())
	if strings.HasSuffix(name, length) {
		return name
	}
	return name + length
}

// AddEmbedder adds the built-in embedder and the configured one on a server. It
// calls the server once to learn the length of its vectors.
func (p *Parts) AddEmbedder(ctx context.Context) error {
	var err error
	if p.static, err = embed.NewStatic(); err != nil {
		return fmt.Errorf("built-in embedding model: %w", err)
	}
	p.Embedder = p.static
	e := p.Config.Embedder
	if !e.Remote() {
		return p.addEncoder()
	}
	remote, err := embed.NewOpenAI(embed.Config{
		BaseURL: e.URL, APIKey: e.Key, Model: e.Model, Dimensions: e.Dimensions, Logger: p.Log,
		Settings: embed.Settings{URL: "DOCENT_EMBEDDER_URL", Key: "DOCENT_EMBEDDER_KEY", Model: "DOCENT_EMBEDDER_MODEL"},
	})
	if err != nil {
		return fmt.Errorf("embedder: %w", err)
	}
	if _, err := remote.EmbedQuery(ctx, "How long are the vectors?"); err != nil {
		return fmt.Errorf("embedder: %w", err)
	}
	p.Embedder = sized{remote}
	return nil
}

// addEncoder adds the built-in encoder, which orders the best passages of a
// question, if this processor can run it and the settings allow it.
func (p *Parts) addEncoder() error {
	if _, ok := encoder.Available(); !ok || p.Config.Encoder == config.EncoderOff {
		return nil
	}
	e, err := encoder.New(encoder.Config{})
	if err != nil {
		return fmt.Errorf("built-in encoder: %w", err)
	}
	p.reranker = retrieve.NewSimilarity(e)
	p.addLanguages()
	return nil
}
