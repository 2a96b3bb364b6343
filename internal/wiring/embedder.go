package wiring

import (
	"context"
	"fmt"
	"strings"

	"docent/config"
	"docent/embed"
	"docent/embed/encoder"
	"docent/embed/multilingual"
	"docent/ingest/encode"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/rerank"
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
		BaseURL: e.URL, APIKey: e.Key, Model: e.Model, Dimensions: e.Dimensions, HTTPClient: tracedClient(), Logger: p.Log,
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

// english selects the documents that the built-in encoder takes: those in English,
// and those without a known language, such as source code.
var english = corpus.Languages{Listed: []string{"en", ""}}

// addEncoder adds the built-in encoder and the multilingual model, if that is
// installed. It adds none if this processor cannot run them or the settings do not
// allow it. The multilingual model takes all documents: a question in another
// language can then find English ones.
func (p *Parts) addEncoder() error {
	if _, ok := encoder.Available(); !ok || p.Config.Encoder == config.EncoderOff {
		return nil
	}
	e, err := encoder.New(encoder.Config{})
	if err != nil {
		return fmt.Errorf("built-in encoder: %w", err)
	}
	p.encoders = append(p.encoders, encode.Model{Embedder: e, Languages: english})
	p.comparer = &byLanguage{english: rerank.NewSimilarity(e, storedVectors{p})}
	if multilingual.Installed(p.Config.Models) > 0 {
		m := multilingual.NewLazy(multilingual.Path(p.Config.Models), encoder.Config{})
		p.encoders = append(p.encoders, encode.Model{Embedder: m, Languages: corpus.Languages{Except: true}})
		p.comparer.others = rerank.NewSimilarity(m, storedVectors{p})
	}
	return nil
}

// storedVectors gives the vectors of the retriever to a Reranker, and new ones
// to the worker of a server.
type storedVectors struct{ p *Parts }

func (v storedVectors) Stored(ctx context.Context, model string, ids []int64) ([][]float32, error) {
	return v.p.Retriever.Stored(ctx, model, ids)
}

func (v storedVectors) Computed(model string, passages []corpus.Passage, vectors [][]float32) {
	if v.p.encodings != nil {
		v.p.encodings.Computed(model, passages, vectors)
	}
}

// Encode embeds all chunks with the encoders. It takes about a minute for 8,000
// passages.
func (p *Parts) Encode(ctx context.Context) error {
	for _, m := range p.encoders {
		if err := encode.All(ctx, p.DB.Encodings, m); err != nil {
			return err
		}
	}
	return nil
}

// Encoded returns the progress of each encoder in the database.
func (p *Parts) Encoded(ctx context.Context) ([]retrieve.EncoderProgress, error) {
	var out []retrieve.EncoderProgress
	for _, m := range p.encoders {
		at := retrieve.EncoderProgress{Model: m.Embedder.Name()}
		var err error
		if at.Done, at.Total, err = p.DB.Encodings.CountEncodings(ctx, at.Model, m.Languages); err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	return out, nil
}

// addEncodings adds the worker of a server that embeds chunks with the encoders.
// It uses all cores, but rests while somebody waits for an answer.
func (p *Parts) addEncodings(context.Context) error {
	if len(p.encoders) == 0 {
		return nil
	}
	var err error
	p.encodings, err = encode.NewWorker(encode.Config{
		Store: p.DB.Encodings, Corpus: p.DB.Corpus, Models: p.encoders, Cores: p.cores, Log: p.Log,
	})
	return err
}

// runEncodings runs the worker until ctx ends.
func (p *Parts) runEncodings(ctx context.Context) error {
	if p.encodings == nil {
		return nil
	}
	return p.encodings.Run(ctx)
}

// DescribeEncoder describes the built-in encoder for docent doctor. It gives the
// reason if docent does not use it.
func (p *Parts) DescribeEncoder() string {
	kernel, ok := encoder.Available()
	switch {
	case p.Config.Embedder.Remote():
		return "no encoder beside a model on a server"
	case p.Config.Encoder == config.EncoderOff:
		return "the encoder is off"
	case !ok:
		return "no encoder: this processor lacks AVX2, or NEON with dot products"
	}
	return fmt.Sprintf("%s orders the best passages (%s)", encoder.Name, kernel)
}
