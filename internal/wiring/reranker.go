package wiring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docent/config"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/rerank"
)

// newReranker returns the configured reranking server or installed model, or the
// encoders.
// share is the share of its scores in the order of passages; nil means that it
// decides the order alone.
func (x *Indexes) newReranker(cfg config.Config) (r retrieve.Reranker, share func(string, corpus.Passage) float64, err error) {
	switch {
	case cfg.Rerank.Enabled():
		server, err := rerankServer(cfg)
		if err != nil {
			return nil, nil, err
		}
		return server, nil, nil
	case cfg.Rerank.Installed():
		local, err := installedReranker(cfg)
		if err != nil {
			return nil, nil, err
		}
		return local, nil, nil
	case x.comparer == nil:
		return nil, nil, nil
	default:
		return x.comparer, x.encoderShare, nil
	}
}

func rerankServer(cfg config.Config) (*rerank.Server, error) {
	c := cfg.Rerank
	server, err := rerank.New(rerank.Config{BaseURL: c.URL, APIKey: c.Key, Model: c.Model, Documents: c.Texts, HTTPClient: tracedClient()})
	if err != nil {
		return nil, fmt.Errorf("reranking server: %w", err)
	}
	return server, nil
}

// CheckReranker lets the configured reranker score two short passages. It
// returns a description for docent doctor.
func CheckReranker(ctx context.Context, cfg config.Config) (string, error) {
	var server retrieve.Reranker
	var err error
	name := cfg.Rerank.URL
	switch {
	case cfg.Rerank.Enabled():
		server, err = rerankServer(cfg)
	case cfg.Rerank.Installed():
		name = cfg.Rerank.Model
		server, err = installedReranker(cfg)
	default:
		return "none: no reranking model is configured", nil
	}
	if err != nil {
		return "", err
	}
	passages := []corpus.Passage{{Chunk: corpus.Chunk{Text: "It is raining."}}, {Chunk: corpus.Chunk{Text: "The server is on."}}}
	start := time.Now()
	scores, err := server.Score(ctx, "Is the server on?", passages)
	if err != nil {
		return "", err
	}
	if scores[1].Relevance <= scores[0].Relevance {
		return "", errors.New("the model prefers a passage about rain for the question \"Is the server on?\"; is it a reranking model?")
	}
	return name + " orders the best passages in place of the encoder" + answered(start), nil
}
