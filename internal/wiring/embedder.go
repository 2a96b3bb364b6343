package wiring

import (
	"cmp"
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

// Embedders embed passages and questions.
type Embedders struct {
	// Embedder is the configured embedder, or the built-in one.
	Embedder embed.Embedder

	static *embed.Static
	// encoders are the models that embed chunks in the background.
	encoders []encode.Model
	// english and others are the encoders that compare texts; see byLanguage. They are nil without
	// these encoders.
	english, others embed.Embedder
}

// OpenEmbedders opens the built-in embedder and the configured one on a server. It
// calls the server once to check its vectors and learn their length.
func OpenEmbedders(ctx context.Context, b Base) (*Embedders, error) {
	static, err := embed.NewStatic()
	if err != nil {
		return nil, fmt.Errorf("built-in embedding model: %w", err)
	}
	x := &Embedders{Embedder: static, static: static}
	e := b.Config.Embedder
	if !e.Remote() {
		return x, x.addEncoders(b.Config)
	}
	remote, err := embed.NewOpenAI(embed.Config{
		BaseURL: e.URL, APIKey: e.Key, Model: e.Model, Dimensions: e.Dimensions, HTTPClient: tracedClient(), Logger: b.Log,
		Texts: e.Texts, TextBytes: int(e.TextBytes), QueryPrefix: e.QueryPrefix, PassagePrefix: e.PassagePrefix,
		Settings: embed.Settings{URL: "DOCENT_EMBEDDER_URL", Key: "DOCENT_EMBEDDER_KEY", Model: "DOCENT_EMBEDDER_MODEL"},
	})
	if err != nil {
		return nil, fmt.Errorf("embedder: %w", err)
	}
	if err := remote.Check(ctx); err != nil {
		return nil, fmt.Errorf("embedder: %w", err)
	}
	x.Embedder = sized{remote}
	return x, nil
}

// english selects the documents that the built-in encoder takes: those in English,
// and those without a known language, such as source code.
var english = corpus.Languages{Listed: []string{"en", ""}}

// addEncoders adds the encoder that the setting names, or the built-in encoder and the multilingual model, if that is
// installed. It adds none if this processor cannot run them or the settings do not
// allow it. The multilingual model takes all documents: a question in another
// language can then find English ones.
func (x *Embedders) addEncoders(cfg config.Config) error {
	if _, ok := encoder.Available(); !ok || cfg.Encoder == config.EncoderOff {
		return nil
	}
	if cfg.InstalledEncoder() != "" {
		return x.addInstalled(cfg)
	}
	e, err := encoder.New(encoder.Config{})
	if err != nil {
		return fmt.Errorf("built-in encoder: %w", err)
	}
	x.encoders, x.english = append(x.encoders, encode.Model{Embedder: e, Languages: english}), e
	if multilingual.Installed(cfg.Models) > 0 {
		m := multilingual.NewLazy(multilingual.Path(cfg.Models), encoder.Config{})
		x.encoders, x.others = append(x.encoders, encode.Model{Embedder: m, Languages: corpus.Languages{Except: true}}), m
	}
	return nil
}

// Encode embeds all chunks with the encoders. It takes about a minute for 8,000
// passages.
func (x *Embedders) Encode(ctx context.Context, s *Store) error {
	for _, m := range x.encoders {
		if err := encode.All(ctx, s.DB.Encodings, m); err != nil {
			return err
		}
	}
	return nil
}

// Encoded returns the progress of each encoder in the database.
func (x *Embedders) Encoded(ctx context.Context, s *Store) ([]retrieve.EncoderProgress, error) {
	var out []retrieve.EncoderProgress
	for _, m := range x.encoders {
		at := retrieve.EncoderProgress{Model: m.Embedder.Name()}
		var err error
		if at.Done, at.Total, err = s.DB.Encodings.CountEncodings(ctx, at.Model, m.Languages); err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	return out, nil
}

// newEncodings returns the worker of a server that embeds chunks with the encoders, or
// nil without encoders. It uses all cores, but rests while somebody waits for an answer.
func newEncodings(s *Store, e *Embedders, with service) (*encode.Worker, error) {
	if len(e.encoders) == 0 {
		return nil, nil //nolint:nilnil // no worker, as documented
	}
	return encode.NewWorker(encode.Config{
		Store: s.DB.Encodings, Corpus: s.DB.Corpus, Models: e.encoders, Cores: with.cores, Log: s.Log,
	})
}

// DescribeEncoder describes the built-in encoder for docent doctor. It gives the
// reason if docent does not use it.
func DescribeEncoder(cfg config.Config) string {
	kernel, ok := encoder.Available()
	switch {
	case cfg.Embedder.Remote():
		return "no encoder beside a model on a server"
	case cfg.Encoder == config.EncoderOff:
		return "the encoder is off"
	case !ok:
		return "no encoder: this processor lacks AVX2, or NEON with dot products"
	}
	return fmt.Sprintf("%s orders the best passages (%s)", cmp.Or(cfg.InstalledEncoder(), encoder.Name), kernel)
}
