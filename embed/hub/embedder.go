package hub

import (
	"context"
	"fmt"
	"sync"

	"docent/embed"
)

// Installed is an installed model. It is opened when it is first used, so that
// processes without such a use need neither time nor memory for it. It is safe for
// concurrent use.
type Installed struct {
	Manifest
	open func() (*Model, error)
}

var _ embed.Embedder = (*Installed)(nil)

// Name identifies the vectors of the model. Another model with this name has another
// checksum.
func (i *Installed) Name() string { return "local/" + i.Manifest.Name + "@" + i.Checksum[:8] }

// Dimensions returns the length of the vectors.
func (i *Installed) Dimensions() int { return i.Width }

// EmbedQuery returns the vector of a question. A blank text has the zero vector.
func (i *Installed) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	m, err := i.open()
	if err != nil {
		return nil, err
	}
	v, err := m.vectors(ctx, m.query, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// EmbedDocuments returns the vectors of passages, in order.
func (i *Installed) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	m, err := i.open()
	if err != nil {
		return nil, err
	}
	return m.vectors(ctx, m.passage, texts)
}

// Score returns the scores of passages for a question. Higher is better.
func (i *Installed) Score(ctx context.Context, question string, passages []string) ([]float64, error) {
	m, err := i.open()
	if err != nil {
		return nil, err
	}
	return m.scores(ctx, question, passages)
}

// Judge returns the probabilities that each passage entails or contradicts its statement.
// There are as many statements as passages.
func (i *Installed) Judge(ctx context.Context, passages, statements []string) (entailed, contradicted []float64, err error) {
	m, err := i.open()
	if err != nil {
		return nil, nil, err
	}
	return m.judge(ctx, passages, statements)
}

// Find returns the installed model of a kind with a name.
func Find(folder, name string, kind Kind, cfg Config) (*Installed, error) {
	list, err := List(folder)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.Name != name {
			continue
		}
		if m.Kind != kind {
			return nil, fmt.Errorf("the model %s is of the kind %s, not %s", name, m.Kind, kind)
		}
		i := &Installed{Manifest: m}
		i.open = sync.OnceValues(func() (*Model, error) {
			opened, err := open(m.Folder, i.Name(), cfg)
			if err != nil {
				return nil, fmt.Errorf("model %s: %w", name, err)
			}
			return opened, nil
		})
		return i, nil
	}
	return nil, fmt.Errorf("there is no model %q: docent model ls lists the installed models", name)
}
