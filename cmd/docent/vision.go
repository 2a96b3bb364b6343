package main

import (
	"context"
	"fmt"

	"docent/ingest/worker"
	"docent/llm"
)

// visionPrompt asks for the text of a picture.
const visionPrompt = "Write down all text in this picture, in reading order, exactly as it stands. " +
	"Divide paragraphs by blank lines. Write table rows as one line each, with \" | \" between cells. " +
	"Write nothing else. If there is no text, write nothing at all."

// vision reads the text in pictures with a chat model.
type vision struct{ model llm.Model }

// newVision returns nil if no vision model is configured.
func (a *app) newVision() (worker.Recognizer, error) {
	if a.cfg.VisionModel == "" {
		return nil, nil //nolint:nilnil // no recognizer, as documented
	}
	l := a.cfg.LLM
	cfg := llm.Config{BaseURL: l.URL, APIKey: l.Key, Model: a.cfg.VisionModel, MaxTokens: 4096, Timeout: l.Timeout, Logger: a.log, Metrics: a.metrics}
	cfg.Settings = llm.Settings{URL: "DOCENT_LLM_URL", Key: "OPENAI_API_KEY", Model: "DOCENT_VISION_MODEL", Timeout: "DOCENT_LLM_TIMEOUT"}
	model, err := llm.NewOpenAI(cfg)
	if err != nil {
		return nil, fmt.Errorf("vision model: %w", err)
	}
	return vision{model}, nil
}

// Recognize asks the model for the text of a PNG. It does not say where words
// are.
func (v vision) Recognize(ctx context.Context, png []byte) (worker.Recognized, error) {
	answer, err := llm.Ask(ctx, v.model, llm.Request{Messages: []llm.Message{{
		Role: llm.User, Text: visionPrompt, Images: []llm.Image{{MediaType: "image/png", Data: png}},
	}}})
	if err != nil {
		return worker.Recognized{}, fmt.Errorf("read a picture: %w", err)
	}
	return worker.Recognized{Text: answer.Text}, nil
}
