package wiring

import (
	"context"
	"fmt"

	"docent/ingest/worker"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/speech"
	"docent/rag/pipeline"
)

// AddModel adds the chat model, if one is configured.
func (p *Parts) AddModel(context.Context) error {
	l := p.Config.LLM
	if !l.Enabled() {
		return nil
	}
	cfg := p.modelConfig(l.Model, "--model or DOCENT_MODEL")
	cfg.MaxTokens = l.MaxTokens
	if l.Temperature >= 0 {
		cfg.Temperature = &l.Temperature
	}
	var err error
	if p.Model, err = llm.NewOpenAI(cfg); err != nil {
		return fmt.Errorf("chat model: %w", err)
	}
	return nil
}

// modelConfig configures a model on the chat server. setting names the model's
// setting in errors.
func (p *Parts) modelConfig(model, setting string) llm.Config {
	l := p.Config.LLM
	return llm.Config{
		HTTPClient: tracedClient(),
		ForUsers:   p.quotas != nil, // only a server has users
		BaseURL:    l.URL, APIKey: l.Key, Model: model, Timeout: l.Timeout, Logger: p.Log, Metrics: p.metrics,
		Settings: llm.Settings{
			URL: "--llm-url or DOCENT_LLM_URL", Key: "--llm-key or OPENAI_API_KEY", Model: setting, Timeout: "--llm-timeout or DOCENT_LLM_TIMEOUT",
		},
	}
}

// NeedModel fails if a setting has no effect without a chat model, and there is none.
// It does not know the models of agent files.
func NeedModel(p *Parts, _ context.Context) error {
	l := p.Config.LLM
	useless := ""
	switch {
	case l.Enabled():
	case pipeline.SecondQuery(l.SecondQuery) != pipeline.SecondQueryOff:
		useless = "llm.second-query"
	case l.Prompts != "":
		useless = "llm.prompts"
	}
	if useless == "" {
		return nil
	}
	return fault.New(fault.Invalid, "setting_problem", "setting %s: %s", useless, "is set but no model is: add --model NAME")
}

// models returns the chat models by name, and the name of the default model.
func (p *Parts) models() (all map[string]llm.Model, name string) {
	if p.Model == nil {
		return nil, ""
	}
	return map[string]llm.Model{p.Model.Name(): metered(p, p.Model)}, p.Model.Name()
}

// ModelHint explains how to get written answers.
func ModelHint() fault.Text {
	return fault.NewText("model_hint",
		"docent answers with quotes; for written answers, set DOCENT_MODEL and OPENAI_API_KEY, or DOCENT_LLM_URL for your own server.")
}

// visionPrompt asks for the text of a picture.
const visionPrompt = "Write down all text in this picture, in reading order, exactly as it stands. " +
	"Divide paragraphs by blank lines. Write table rows as one line each, with \" | \" between cells. " +
	"Write nothing else. If there is no text, write nothing at all."

// vision reads the text in pictures with a chat model.
type vision struct{ model llm.Model }

// newVision returns nil if no vision model is configured.
func (p *Parts) newVision() (worker.Recognizer, error) {
	if p.Config.VisionModel == "" {
		return nil, nil //nolint:nilnil // no recognizer, as documented
	}
	cfg := p.modelConfig(p.Config.VisionModel, "--vision-model or DOCENT_VISION_MODEL")
	cfg.MaxTokens = 4096
	model, err := llm.NewOpenAI(cfg)
	if err != nil {
		return nil, fmt.Errorf("vision model: %w", err)
	}
	return vision{model}, nil
}

// Recognize asks the model for the text of a PNG, without the positions of words.
func (v vision) Recognize(ctx context.Context, png []byte) (worker.Recognized, error) {
	answer, err := llm.Ask(ctx, v.model, llm.Request{Messages: []llm.Message{{
		Role: llm.User, Text: visionPrompt, Images: []llm.Image{{MediaType: "image/png", Data: png}},
	}}})
	if err != nil {
		return worker.Recognized{}, fmt.Errorf("read a picture: %w", err)
	}
	return worker.Recognized{Text: answer.Text}, nil
}

// AddSpeech adds the client of the speech server, if one is configured.
func (p *Parts) AddSpeech(context.Context) error {
	if !p.Listens() && !p.Speaks() {
		return nil
	}
	c := p.Config.Speech
	client, err := speech.New(speech.Config{
		BaseURL: c.URL, APIKey: c.Key, Transcription: c.Transcription, Model: c.Model, Voice: c.Voice, Metrics: p.metrics,
		HTTPClient: tracedClient(),
	})
	if err != nil {
		return fmt.Errorf("speech: %w", err)
	}
	p.speech = client
	return nil
}

// Listens reports whether docent transcribes recordings.
func (p *Parts) Listens() bool { return p.Config.Speech.Transcription != "" }

// Speaks reports whether docent turns text into speech.
func (p *Parts) Speaks() bool { return p.Config.Speech.Model != "" }
