package multilingual

import (
	"context"
	"sync"

	"docent/embed"
	"docent/embed/encoder"
)

// Lazy is the model in a file. It opens the file when the first text is embedded,
// so that processes without such a text need neither time nor memory for it. It
// is safe for concurrent use.
type Lazy struct{ open func() (*Encoder, error) }

var _ embed.Embedder = (*Lazy)(nil)

// NewLazy returns the model in a file that Install wrote.
func NewLazy(path string, cfg encoder.Config) *Lazy {
	return &Lazy{sync.OnceValues(func() (*Encoder, error) { return Open(path, cfg) })}
}

// Name returns Name.
func (l *Lazy) Name() string { return Name }

// Dimensions returns 384.
func (l *Lazy) Dimensions() int { return encoder.Width }

// EmbedQuery returns the vector of a question, as [Encoder.EmbedQuery] does.
func (l *Lazy) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	e, err := l.open()
	if err != nil {
		return nil, err
	}
	return e.EmbedQuery(ctx, text)
}

// EmbedDocuments returns the vectors of passages, as [Encoder.EmbedDocuments]
// does.
func (l *Lazy) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	e, err := l.open()
	if err != nil {
		return nil, err
	}
	return e.EmbedDocuments(ctx, texts)
}
