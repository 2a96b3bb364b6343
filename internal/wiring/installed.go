package wiring

import (
	"context"
	"fmt"

	"docent/config"
	"docent/embed/encoder"
	"docent/embed/hub"
	"docent/ingest/encode"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve/rerank"
)

// findInstalled returns an installed model that a setting names.
func findInstalled(cfg config.Config, setting, name string, kind hub.Kind) (*hub.Installed, error) {
	m, err := hub.Find(cfg.Models, name, kind, hub.Config{})
	if err != nil {
		return nil, unusable(setting, err)
	}
	return m, nil
}

func unusable(setting string, err error) error {
	return fault.New(fault.Invalid, "cli_model_setting", "%s names a model that docent cannot use: %w", setting, err)
}

// addInstalled adds the installed model that replaces the built-in encoder. It takes the
// documents in English, or all if it is multilingual.
func (x *Embedders) addInstalled(cfg config.Config) error {
	m, err := findInstalled(cfg, "--encoder", cfg.Encoder, hub.Encoder)
	if err != nil {
		return err
	}
	languages := english
	if m.Multilingual {
		languages = corpus.Languages{Except: true}
		x.others = m
	}
	x.english, x.encoders = m, append(x.encoders, encode.Model{Embedder: m, Languages: languages})
	return nil
}

// scaled turns the cosines of an installed model into the scale of the built-in encoder.
type scaled struct {
	scorer
	scale, shift float64
}

// Compare returns the cosines of the question and the texts.
func (s scaled) Compare(ctx context.Context, question string, texts []string) ([]float64, error) {
	values, err := s.scorer.Compare(ctx, question, texts)
	if err != nil {
		return nil, fmt.Errorf("compare with the installed model: %w", err)
	}
	for i, v := range values {
		values[i] = s.scale*v + s.shift
	}
	return values, nil
}

// installedReranker returns the cross-encoder that the setting names.
func installedReranker(cfg config.Config) (*rerank.Local, error) {
	if _, ok := encoder.Available(); !ok {
		return nil, unusable("--rerank-model", encoder.ErrUnavailable)
	}
	m, err := findInstalled(cfg, "--rerank-model", cfg.Rerank.Model, hub.Reranker)
	if err != nil {
		return nil, err
	}
	return rerank.NewLocal(m, 0), nil
}
