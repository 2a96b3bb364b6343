package wiring

import (
	"context"
	"errors"

	"docent/config"
	"docent/embed/encoder"
	"docent/embed/hub"
	"docent/rag"
)

// entailment is an installed model of entailment.
type entailment struct{ *hub.Installed }

var _ rag.Entailment = entailment{}

// Accepts implements rag.Entailment.
func (e entailment) Accepts(language string) bool { return e.Multilingual || !foreign(language) }

// openEntailment returns the model of entailment that the setting names, or nil.
func openEntailment(cfg config.Config) (rag.Entailment, error) {
	if cfg.Entailment == "" {
		return nil, nil //nolint:nilnil // none is configured
	}
	if _, ok := encoder.Available(); !ok {
		return nil, unusable("--entailment-model", encoder.ErrUnavailable)
	}
	m, err := findInstalled(cfg, "--entailment-model", cfg.Entailment, hub.Entailment)
	if err != nil {
		return nil, err
	}
	return entailment{m}, nil
}

// CheckEntailment lets the configured model of entailment judge a sentence and its opposite.
// It returns a description for docent doctor.
func CheckEntailment(ctx context.Context, cfg config.Config) (string, error) {
	model, err := openEntailment(cfg)
	if err != nil {
		return "", err
	}
	if model == nil {
		return "none: the words of passages decide how well they support an answer", nil
	}
	const passage = "The server is on."
	entailed, contradicted, err := model.Judge(ctx, []string{passage, passage}, []string{passage, "The server is not on."})
	if err != nil {
		return "", err //nolint:wrapcheck // the error is complete
	}
	if entailed[0] <= entailed[1] || contradicted[0] >= contradicted[1] {
		return "", errors.New("the model does not tell a sentence from its opposite; is it a model of entailment?")
	}
	return cfg.Entailment + " decides the support marks, and whether answers are unsure", nil
}
