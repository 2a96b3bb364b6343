package wiring

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"docent/agent/definition"
	"docent/config"
	"docent/ingest/worker"
	"docent/insight/today"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/speech"
	"docent/rag/pipeline"
)

// Models are the chat models.
type Models struct {
	// Chat is the model for answers with its fallbacks; nil without one. It counts no tokens.
	Chat llm.Model
	// Served are the models on servers.
	Served []*llm.OpenAI

	pool   *llm.Fallback            // knows which models answer; nil without a model
	chains map[string]*llm.Fallback // each model with its fallbacks, by name
	base   Base
	with   service
}

// OpenModels opens the chat models that are configured, and those of the program.
func OpenModels(b Base) (*Models, error) { return openModels(b, service{}) }

func openModels(b Base, with service) (*Models, error) {
	m := &Models{base: b, with: with, chains: map[string]*llm.Fallback{}}
	l := b.Config.LLM
	if !l.Enabled() {
		return m, nil
	}
	var pool []llm.Model
	fallbacks := map[string][]string{l.Model: l.Fallbacks}
	add := func(name string, model llm.Model, err error) error {
		if err != nil {
			return fmt.Errorf("chat model %s: %w", name, err)
		}
		if served, ok := model.(*llm.OpenAI); ok {
			m.Served = append(m.Served, served)
		}
		pool = append(pool, reported(b, with, model))
		return nil
	}
	for i, name := range append([]string{l.Model}, l.Fallbacks...) { // on the configured server
		if _, named := b.Config.Named(name); named || slices.ContainsFunc(pool, func(m llm.Model) bool { return m.Name() == name }) {
			continue
		}
		setting := "--model or DOCENT_MODEL"
		if i > 0 {
			setting = "--model-fallbacks or DOCENT_MODEL_FALLBACKS"
		}
		cfg := modelConfig(b, with, name, setting)
		cfg.MaxTokens = l.MaxTokens
		model, err := llm.NewOpenAI(withTemperature(cfg, l))
		if err := add(name, model, err); err != nil {
			return nil, err
		}
	}
	for _, named := range b.Config.ChatModels {
		model, err := b.openNamed(with, named)
		if err := add(named.Name, model, err); err != nil {
			return nil, err
		}
		fallbacks[named.Name] = append(slices.Clone(named.Fallbacks), fallbacks[named.Name]...)
	}
	var err error
	m.pool, err = llm.NewFallback(llm.FallbackConfig{
		Models: pool, FirstToken: l.FirstToken, Logger: b.Log, Metrics: b.metrics,
		Watched: with.quotas != nil, // a server runs watchModels
	})
	if err != nil {
		return nil, fmt.Errorf("chat model: %w", err)
	}
	for _, model := range pool {
		name := model.Name()
		if m.chains[name], err = m.pool.From(append([]string{name}, fallbacks[name]...)...); err != nil {
			return nil, fmt.Errorf("chat model %s: %w", name, err)
		}
	}
	m.Chat = m.chains[l.Model]
	return m, nil
}

// openNamed opens a model of the section models, or of the program.
func (b Base) openNamed(with service, named config.Model) (llm.Model, error) {
	if own := b.Models[named.Name]; own != nil {
		return ownModel{own, named.Name}, nil
	}
	l := b.Config.LLM
	if named.URL == "" && named.Key == "" && l.URL == "" && l.Key == "" {
		return nil, fault.New(fault.Invalid, "model_without_server", "it needs url, provider, or key")
	}
	cfg := modelConfig(b, with, named.Model, "model of "+named.Name+" in models")
	cfg.Name = named.Name
	if named.URL != "" { // the key of the configured server is not for other servers
		cfg.BaseURL, cfg.APIKey = named.URL, named.Key
		cfg.Settings.URL, cfg.Settings.Key = "url of "+named.Name+" in models", "key of "+named.Name+" in models"
	}
	if named.Key != "" {
		cfg.APIKey = named.Key
	}
	cfg.MaxTokens, cfg.Timeout = cmp.Or(named.MaxTokens, l.MaxTokens), cmp.Or(named.Timeout, l.Timeout)
	cfg = withTemperature(cfg, l)
	if named.Temperature != nil {
		cfg.Temperature = named.Temperature
	}
	return llm.NewOpenAI(cfg)
}

// withTemperature adds the temperature of the settings.
func withTemperature(cfg llm.Config, l config.LLM) llm.Config {
	if l.Temperature >= 0 {
		cfg.Temperature = &l.Temperature
	}
	return cfg
}

// ownModel is a model of the program under its name in docent.
type ownModel struct {
	llm.Model

	name string
}

// Name implements llm.Model.
func (o ownModel) Name() string { return o.name }

// probeTimeout limits the test of a model at the start of a server. A model that is
// loaded first may take minutes.
const probeTimeout = 5 * time.Minute

// probe tests the chat models at the start of a server and logs the results. A failure
// does not stop the server, because docent answers with quotes meanwhile.
func (m *Models) probe(ctx context.Context) error {
	for _, model := range m.Served {
		call, cancel := context.WithTimeout(ctx, probeTimeout)
		report, err := model.Probe(call)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the server stops
		case err != nil:
			level := slog.LevelWarn
			if fault.TextOf(err).ID == "model_not_on_server" { // it does not change by itself
				level = slog.LevelError
			}
			m.base.Log.Log(ctx, level, "the test of the chat model failed; docent doctor repeats it", "model", model.Name(),
				"reason", fault.Message(err), "server", llm.Reason(err))
		default:
			m.base.Log.Info("the chat model works", "model", model.Name(), "result", report.String())
		}
		m.pool.Note(ctx, model.Name(), err)
	}
	return nil
}

// trialPause is the time between looks for models that hang.
const trialPause = 2 * time.Second

// watchModels asks models that hang until they answer again.
func watchModels(ctx context.Context, s *Server) error {
	var trials sync.WaitGroup
	defer trials.Wait()
	tick := time.NewTicker(trialPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if pool := s.now().pool; pool != nil {
			pool.Try(ctx, trials.Go)
		}
	}
}

// retire removes the metrics of models that next does not have.
func (m *Models) retire(next *Models) {
	if m.pool != nil {
		m.pool.Retire(next.pool)
	}
}

// states describes the chat models for /api/ready.
func (m *Models) states() map[string]string {
	if m.pool == nil {
		return nil
	}
	out := map[string]string{}
	for _, s := range m.pool.States() {
		switch {
		case s.Failed != nil:
			out[s.Model] = "does not answer"
		case !s.Known:
			out[s.Model] = "not asked yet"
		default:
			out[s.Model] = "ok"
		}
	}
	return out
}

// failing describes the chat models for the list of things to do.
func (m *Models) failing() (out []today.ModelState) {
	if m.pool == nil {
		return nil
	}
	answers := map[string]bool{}
	if chain := m.chains[m.base.Config.LLM.Model]; chain != nil {
		for _, s := range chain.States() {
			answers[s.Model] = true
		}
	}
	for _, s := range m.pool.States() {
		out = append(out, today.ModelState{Name: s.Model, Answers: answers[s.Model], Failed: s.Failed, Since: s.Since})
	}
	return out
}

// modelConfig configures a model on the chat server. setting names the model's
// setting in errors.
func modelConfig(b Base, with service, model, setting string) llm.Config {
	l := b.Config.LLM
	return llm.Config{
		HTTPClient: tracedClient(),
		ForUsers:   with.quotas != nil, // only a server has users
		BaseURL:    l.URL, APIKey: l.Key, Model: model, Timeout: l.Timeout, FirstToken: l.FirstToken, Logger: b.Log, Metrics: b.metrics,
		Settings: llm.Settings{
			URL: "--llm-url or DOCENT_LLM_URL", Key: "--llm-key or OPENAI_API_KEY", Model: setting, Timeout: "--llm-timeout or DOCENT_LLM_TIMEOUT",
		},
	}
}

// NeedModel fails if a setting has no effect without a chat model, and there is none.
// It does not know the models of agent files.
func NeedModel(cfg config.Config) error {
	l := cfg.LLM
	useless := ""
	switch {
	case l.Enabled():
	case pipeline.SecondQuery(l.SecondQuery) != pipeline.SecondQueryOff && cfg.Origin("llm.second-query").Locked():
		useless = "llm.second-query"
	case l.Prompts != "":
		useless = "llm.prompts"
	}
	if useless == "" {
		return nil
	}
	return fault.New(fault.Invalid, "setting_problem", "setting %s: %s", useless, "is set but no model is: add --model NAME")
}

// DefaultModel returns the model for answers, or nil without one. In a server, it counts
// tokens for the quota of the user.
func (m *Models) DefaultModel() llm.Model { return m.ModelFor(config.UseAnswers) }

// ModelFor returns the model for a task, or nil without a model. It counts tokens like
// DefaultModel.
func (m *Models) ModelFor(use config.Use) llm.Model {
	name := m.base.Config.UsedFor(use)
	if name == "" || use == config.UseAnswers {
		name = m.base.Config.LLM.Model
	}
	return m.Model(name)
}

// Model returns the model with a name, or nil. It counts tokens like DefaultModel.
func (m *Models) Model(name string) llm.Model {
	chain := m.chains[name]
	if chain == nil {
		return nil
	}
	return m.metered(chain)
}

// byName returns all chat models by name, and the name of the default model.
func (m *Models) byName() (all map[string]llm.Model, name string) {
	if m.Chat == nil {
		return nil, ""
	}
	all = map[string]llm.Model{}
	for name := range m.chains {
		all[name] = m.Model(name)
	}
	return all, m.Chat.Name()
}

// choosable returns the models that users may choose, among them the default model.
func (m *Models) choosable() map[string]llm.Model {
	out := map[string]llm.Model{}
	for name := range m.chains {
		if named, _ := m.base.Config.Named(name); named.Choose || name == m.base.Config.LLM.Model {
			out[name] = m.Model(name)
		}
	}
	return out
}

// chatModels returns the names of the models that users may choose, among them quotes and the
// default model. It returns none without a chat model.
func (a *Answers) chatModels() []string {
	if names := a.RAG.Models(); len(names) > 1 {
		return names
	}
	return nil
}

// maxTitleTokens limits the answers of writer. Models that reason need more than a title.
const maxTitleTokens = 1000

// write lets the model for titles answer a prompt. Without a model, it returns "".
func (p present) write(ctx context.Context, prompt string) (string, error) {
	model := p.server.now().ModelFor(config.UseTitles)
	if model == nil {
		return "", nil
	}
	answer, err := llm.Ask(ctx, model, llm.Request{Messages: []llm.Message{llm.Text(llm.User, prompt)}, MaxTokens: maxTitleTokens})
	if err != nil {
		return "", err
	}
	return answer.Text, nil
}

// open returns a model of an agent file. Without a URL, it is on the configured
// chat server.
func (m *Models) open(s definition.ModelServer) (llm.Model, error) {
	cfg := modelConfig(m.base, m.with, s.Model, "model in the agent file")
	if s.URL != "" { // the key of the configured server is not for other servers
		cfg.BaseURL, cfg.APIKey = s.URL, s.Key
		cfg.Settings.URL, cfg.Settings.Key = "url in the agent file", "key in the agent file"
	}
	cfg.MaxTokens = m.base.Config.LLM.MaxTokens
	model, err := llm.NewOpenAI(cfg)
	if err != nil {
		return nil, err
	}
	return m.metered(reported(m.base, m.with, model)), nil
}

// ModelHint explains how to get written answers.
func ModelHint() fault.Text {
	return fault.NewText("model_hint",
		"docent answers with quotes; for written answers, add a chat model in the console, or set DOCENT_MODEL and OPENAI_API_KEY, or DOCENT_LLM_URL for your own server.")
}

// visionPrompt asks for the text of a picture.
const visionPrompt = "Write down all text in this picture, in reading order, exactly as it stands. " +
	"Divide paragraphs by blank lines. Write table rows as one line each, with \" | \" between cells. " +
	"Write nothing else. If there is no text, write nothing at all."

// vision reads the text in pictures with a chat model.
type vision struct{ model llm.Model }

// newVision returns nil if no vision model is configured.
func newVision(b Base, with service) (worker.Recognizer, error) {
	if b.Config.VisionModel == "" {
		return nil, nil //nolint:nilnil // no recognizer, as documented
	}
	cfg := modelConfig(b, with, b.Config.VisionModel, "--vision-model or DOCENT_VISION_MODEL")
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

// OpenSpeech returns the client of the speech server, or nil if none is configured.
func OpenSpeech(b Base) (*speech.Client, error) {
	if !Listens(b.Config) && !Speaks(b.Config) {
		return nil, nil //nolint:nilnil // no client, as documented
	}
	c := b.Config.Speech
	client, err := speech.New(speech.Config{
		BaseURL: c.URL, APIKey: c.Key, Transcription: c.Transcription, Model: c.Model, Voice: c.Voice, Metrics: b.metrics,
		HTTPClient: tracedClient(),
	})
	if err != nil {
		return nil, fmt.Errorf("speech: %w", err)
	}
	return client, nil
}

// Listens reports whether docent transcribes recordings.
func Listens(cfg config.Config) bool { return cfg.Speech.Transcription != "" }

// Speaks reports whether docent turns text into speech.
func Speaks(cfg config.Config) bool { return cfg.Speech.Model != "" }
