package wiring

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"docent/config"
	"docent/embed/encoder"
	"docent/embed/multilingual"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// byLanguage is a Reranker of two models. One of them scores all passages of a
// question, so that their scores can be compared.
type byLanguage struct {
	// english scores passages that are all in English.
	english retrieve.Reranker
	// others returns the Reranker for passages in other languages. It opens the
	// model on the first call.
	others func() (retrieve.Reranker, error)
}

// Score implements retrieve.Reranker.
func (b *byLanguage) Score(ctx context.Context, question string, passages []corpus.Passage) ([]retrieve.Score, error) {
	reranker := b.english
	if slices.ContainsFunc(passages, foreign) {
		var err error
		if reranker, err = b.others(); err != nil {
			return nil, err
		}
	}
	scores, err := reranker.Score(ctx, question, passages)
	if err != nil {
		return nil, fmt.Errorf("rerank by language: %w", err)
	}
	return scores, nil
}

// foreign reports whether a passage is not in English.
func foreign(p corpus.Passage) bool {
	return p.Document.Language != "" && p.Document.Language != "en"
}

// withLanguages lets the multilingual model of a folder score passages that are
// not in English.
func withLanguages(english retrieve.Reranker, folder string) retrieve.Reranker {
	return &byLanguage{english: english, others: sync.OnceValues(func() (retrieve.Reranker, error) {
		e, err := multilingual.Open(multilingual.Path(folder), encoder.Config{})
		if err != nil {
			return nil, fmt.Errorf("installed model: %w", err)
		}
		return retrieve.NewSimilarity(e, nil), nil
	})}
}

// CheckLanguages opens the multilingual model if it is installed. It returns a
// description for docent doctor.
func (p *Parts) CheckLanguages(context.Context) (string, error) {
	if multilingual.Installed(p.Config.Models) == 0 {
		return "no multilingual model: docent model --help explains how to install one", nil
	}
	if _, err := multilingual.Open(multilingual.Path(p.Config.Models), encoder.Config{AllowPlain: true}); err != nil {
		return "", fmt.Errorf("installed model: %w", err)
	}
	if _, ok := encoder.Available(); !ok || p.Config.Encoder == config.EncoderOff || p.Config.Embedder.Remote() {
		return multilingual.Model + " is installed, but docent does not use it without the encoder", nil
	}
	return multilingual.Model + " orders passages that are not in English", nil
}
