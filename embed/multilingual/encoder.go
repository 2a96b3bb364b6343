package multilingual

import (
	"context"
	"fmt"
	"os"
	"strings"

	"docent/embed"
	"docent/embed/encoder"
)

// Name identifies the vectors of the model.
const Name = "docent/multilingual-e5-small-v1"

// The model was trained with a word before each text.
const (
	queryPrefix   = "query: "
	passagePrefix = "passage: "
)

// Encoder is the model. It implements [embed.Embedder]. It needs no network. It is
// safe for concurrent use.
type Encoder struct{ encoder *encoder.Encoder }

var _ embed.Embedder = (*Encoder)(nil)

// Open reads the model from a file that Install wrote. It takes about 0.2 s and
// keeps about 100 MB.
func Open(path string, cfg encoder.Config) (*Encoder, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("multilingual: %w", err)
	}
	e, err := open(data, cfg)
	if err != nil {
		return nil, fmt.Errorf("multilingual: %s: %w", path, err)
	}
	return e, nil
}

func open(data []byte, cfg encoder.Config) (*Encoder, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	w := encoder.Weights{
		Name: Name, Shape: encoder.BuiltIn, Tokens: f.pieces.tokens, Word: f.word,
		Places: f.places(), Start: f.norm("emb.ln"), Layers: f.layers, Layer: func(i int) (encoder.Layer, error) { return f.layer(i), nil },
	}
	e, err := encoder.NewFrom(w, cfg)
	if err != nil {
		return nil, fmt.Errorf("make the encoder: %w", err)
	}
	return &Encoder{e}, nil
}

// Name returns Name.
func (e *Encoder) Name() string { return Name }

// Dimensions returns 384.
func (e *Encoder) Dimensions() int { return encoder.Width }

// EmbedQuery returns the vector of a question. It does not wait for a core.
func (e *Encoder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	v, err := e.encoder.EmbedQuery(ctx, queryPrefix+text)
	if err == nil && text == "" {
		clear(v)
	}
	return v, err
}

// EmbedDocuments returns the vectors of passages, in order. A blank text has the
// zero vector.
func (e *Encoder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	prefixed := make([]string, len(texts))
	for i, text := range texts {
		prefixed[i] = passagePrefix + text
	}
	out, err := e.encoder.EmbedDocuments(ctx, prefixed)
	for i := range out {
		if strings.TrimSpace(texts[i]) == "" {
			clear(out[i])
		}
	}
	return out, err
}
