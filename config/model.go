package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"docent/internal/fault"
)

// Limits of models.
const (
	// MaxModels is the largest number of models.
	MaxModels = 50
	// maxModelName limits the name of a model, in bytes.
	maxModelName = 64
)

// Use is a task of a model.
type Use string

// The uses.
const (
	// UseAnswers writes answers if a request names no model.
	UseAnswers Use = "answers"
	// UseTitles writes the titles that chat clients ask for.
	UseTitles Use = "titles"
	// UseRewriting rewrites questions for searches.
	UseRewriting Use = "rewriting"
	// UseEnrichment writes searchable text about passages.
	UseEnrichment Use = "enrichment"
)

// Uses returns all uses.
func Uses() []Use { return []Use{UseAnswers, UseTitles, UseRewriting, UseEnrichment} }

// Model is a chat model with a name. Questions, agent files, and agents use the name.
type Model struct {
	// Name is the name of the model. Required.
	Name string
	// Model is the name of the model on its server. Default: Name.
	Model string
	// Provider selects a known server; see Providers. Default: "", URL.
	Provider string
	// URL is the base URL of an OpenAI-compatible server. Default: that of Provider, or
	// LLM.URL.
	URL string
	// Key is the API key. Default: the environment variable of Provider, or LLM.Key
	// without URL and Provider.
	Key string
	// MaxTokens limits an answer. Default: LLM.MaxTokens.
	MaxTokens int
	// Temperature is sent if it is not nil. Default: LLM.Temperature.
	Temperature *float64
	// Timeout limits one call. Default: LLM.Timeout.
	Timeout time.Duration
	// Fallbacks are the names of models that answer if this one fails. Default: none.
	Fallbacks []string
	// Price is the price of a million tokens. Default: unknown.
	Price Price
	// Choose lets users choose the model. Default: false. They may always use the model
	// for answers.
	Choose bool
	// Uses are the tasks of the model. Default: none. Tasks without a model get the model
	// for answers, and that is the first model by default.
	Uses []Use

	// Problem, if set, says why a stored model cannot be used.
	Problem error

	fromFile bool
	stored   bool
	// keyInFile says that a file holds the key itself, not the name of a variable.
	keyInFile bool
}

// FromFile reports whether the model is from the configuration file.
func (m Model) FromFile() bool { return m.fromFile }

// ShownURL returns the URL without a password.
func (m Model) ShownURL() string {
	if m.URL == "" {
		return ""
	}
	return redactURL(m.URL)
}

// Origin says where the model is from.
func (m Model) Origin() Origin {
	switch {
	case m.fromFile:
		return Origin{Kind: FromFile}
	case m.stored:
		return Origin{Kind: FromDatabase}
	}
	return Origin{Kind: FromProgram}
}

// Price is the price of a million tokens, in any currency.
type Price struct {
	// Input is the price of read tokens. Output is the price of written ones.
	Input, Output float64
}

// Of returns the price of tokens.
func (p Price) Of(input, output int) float64 {
	return (p.Input*float64(input) + p.Output*float64(output)) / 1e6
}

// Provider is a known server of chat models.
type Provider struct {
	// Name is its name in Model.Provider.
	Name string
	// URL is its base URL.
	URL string
	// KeyEnv is the environment variable with its key; "" for local servers.
	KeyEnv string
}

// Providers returns the known servers.
func Providers() []Provider {
	return []Provider{
		{"openai", "https://api.openai.com/v1", sharedKey},
		{"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
		{"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
		{"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"},
		{"mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"},
		{"deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"},
		{"groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"},
		{"together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"},
		{"ollama", "http://127.0.0.1:11434/v1", ""},
		{"llamacpp", "http://127.0.0.1:8080/v1", ""},
		{"vllm", "http://127.0.0.1:8000/v1", ""},
		{"lmstudio", "http://127.0.0.1:1234/v1", ""},
	}
}

// addModels completes the models of the file and of the program, and selects the model for
// answers. Models of the file replace those of the program with the same name.
func (c *Config) addModels(src Sources, file []Model) error {
	all := slices.Clone(file)
	for _, m := range src.Models {
		if !slices.ContainsFunc(file, func(f Model) bool { return f.Name == m.Name }) {
			all = append(all, m)
		}
	}
	for i := range all {
		if err := all[i].complete(src.Env); err != nil {
			return err
		}
	}
	c.ChatModels = all
	if len(all) > 0 && c.LLM.Model == "" {
		c.LLM.Model = cmp.Or(c.UsedFor(UseAnswers), all[0].Name)
	}
	return nil
}

// complete applies the defaults of the provider.
func (m *Model) complete(env func(string) (string, bool)) error {
	m.Model = cmp.Or(m.Model, m.Name)
	if m.Provider == "" {
		return nil
	}
	i := slices.IndexFunc(Providers(), func(p Provider) bool { return p.Name == m.Provider })
	if i < 0 {
		var names []string
		for _, p := range Providers() {
			names = append(names, p.Name)
		}
		return m.problem("there is no provider %q; there are: %s; or write url", m.Provider, strings.Join(names, ", "))
	}
	p := Providers()[i]
	m.URL = cmp.Or(m.URL, p.URL)
	if m.Key == "" && p.KeyEnv != "" && m.URL == p.URL {
		m.Key, _ = env(p.KeyEnv)
		if m.Key == "" {
			return m.problem("the provider %s needs a key: set %s, or write key", p.Name, p.KeyEnv)
		}
	}
	return nil
}

func (m *Model) problem(format string, args ...any) error {
	return fault.New(fault.Invalid, "setting_model", "model %q in models: %w", m.Name, fmt.Errorf(format, args...))
}

// UsedFor returns the name of the model for a task, or "".
func (c Config) UsedFor(use Use) string {
	for _, m := range c.ChatModels {
		if slices.Contains(m.Uses, use) {
			return m.Name
		}
	}
	return ""
}

// Named returns the model with a name, if it is one of the ChatModels.
func (c Config) Named(name string) (Model, bool) {
	i := slices.IndexFunc(c.ChatModels, func(m Model) bool { return m.Name == name })
	if i < 0 {
		return Model{}, false
	}
	return c.ChatModels[i], true
}

// wrongModel returns the problem of the model for answers, or "".
func (c Config) wrongModel() string {
	l := c.LLM
	_, named := c.Named(l.Model)
	switch {
	case named, !l.Enabled(), l.URL != "", l.Key != "":
		return ""
	case len(c.ChatModels) > 0:
		return c.noModel(l.Model)
	}
	return l.Model + " needs OPENAI_API_KEY (or --llm-key), or --llm-url for a server of your own"
}

// noModel says that the ChatModels have no model with a name.
func (c Config) noModel(name string) string {
	var names []string
	for _, m := range c.ChatModels {
		names = append(names, m.Name)
	}
	return fmt.Sprintf("there is no model %q in models; there are: %s", name, strings.Join(names, ", "))
}

// wrongFallbacks returns the problem of the fallbacks, or "". If the model is one of the ChatModels, other names would
// mean another server.
func (c Config) wrongFallbacks() string {
	if !c.LLM.Enabled() && len(c.LLM.Fallbacks) > 0 {
		return "needs a first model: --model or DOCENT_MODEL"
	}
	if _, named := c.Named(c.LLM.Model); !named {
		return ""
	}
	for _, name := range c.LLM.Fallbacks {
		if _, ok := c.Named(name); !ok {
			return c.noModel(name)
		}
	}
	return ""
}

// noBase says what an address is that isBase refuses.
const noBase = "must not have a password, a query, or a fragment; the key is a setting of its own, and Azure's address ends in /openai/v1"

// isBase reports whether paths such as /chat/completions can be added to the address of a server.
func isBase(u *url.URL) bool { return u.User == nil && u.RawQuery == "" && u.Fragment == "" }

// modelsFit returns the first problem of the models.
func (c Config) modelsFit() error {
	if len(c.ChatModels) > MaxModels {
		return fault.New(fault.Invalid, "setting_models_many", "there are %d models, at most %d are allowed", len(c.ChatModels), MaxModels)
	}
	for i, m := range c.ChatModels {
		var problem string
		u, err := url.Parse(m.URL)
		unknown := slices.IndexFunc(m.Fallbacks, func(name string) bool { _, ok := c.Named(name); return !ok })
		wrongUse := slices.IndexFunc(m.Uses, func(u Use) bool { return !slices.Contains(Uses(), u) })
		switch {
		case m.Name == "" || len(m.Name) > maxModelName || m.Name == "extractive":
			problem = fmt.Sprintf("a name has 1 to %d bytes and is not extractive", maxModelName)
		case slices.ContainsFunc(c.ChatModels[:i], func(other Model) bool { return other.Name == m.Name }):
			problem = "there are two models with this name"
		case m.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
			problem = "url must begin with http:// or https:// and a host"
		case m.URL != "" && !isBase(u):
			problem = "url " + noBase
		case m.Key != "" && m.URL == "" && !openAI(c.LLM.URL):
			problem = "key belongs to url or provider, and both are missing"
		case m.MaxTokens < 0 || m.Timeout < 0 || m.Price.Input < 0 || m.Price.Output < 0:
			problem = "max-tokens, timeout, and price must not be negative"
		case m.Temperature != nil && (*m.Temperature < 0 || *m.Temperature > 2):
			problem = "temperature must be between 0 and 2"
		case slices.Contains(m.Fallbacks, m.Name):
			problem = "it cannot be its own fallback"
		case unknown >= 0:
			problem = fmt.Sprintf("there is no model %q for fallbacks", m.Fallbacks[unknown])
		case wrongUse >= 0:
			problem = fmt.Sprintf("there is no use %q; there are: answers, titles, rewriting, enrichment", m.Uses[wrongUse])
		default:
			continue
		}
		return m.problem("%s", problem)
	}
	return nil
}

// readModels reads the section models of a file. The names are its keys.
func readModels(n *yaml.Node, env func(string) (string, bool)) ([]Model, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: models takes names of models with their settings", n.Line)
	}
	var out []Model
	for i := 0; i+1 < len(n.Content); i += 2 {
		m := Model{Name: n.Content[i].Value, fromFile: true}
		value := n.Content[i+1]
		if value.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("line %d: the model %s takes settings such as url", value.Line, m.Name)
		}
		for k := 0; k+1 < len(value.Content); k += 2 {
			key, v := value.Content[k].Value, value.Content[k+1]
			if err := m.read(key, v, env); err != nil {
				return nil, fmt.Errorf("line %d: model %s: %w", v.Line, m.Name, err)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// read reads one key of a model.
func (m *Model) read(key string, n *yaml.Node, env func(string) (string, bool)) error {
	switch key {
	case "model":
		m.Model = n.Value
	case "provider":
		m.Provider = n.Value
	case "url", "key":
		value, err := expand(n.Value, env)
		if err != nil {
			return err
		}
		if key == "url" {
			m.URL = value
		} else {
			m.Key, m.keyInFile = value, value == n.Value && value != ""
		}
	case "max-tokens":
		return n.Decode(&m.MaxTokens)
	case "temperature":
		return n.Decode(&m.Temperature)
	case "timeout":
		var err error
		m.Timeout, err = time.ParseDuration(n.Value)
		return err
	case "fallbacks":
		return n.Decode(&m.Fallbacks)
	case "uses":
		return n.Decode(&m.Uses)
	case "choose":
		var err error
		m.Choose, err = strconv.ParseBool(n.Value)
		return err
	case "price":
		if n.Kind != yaml.MappingNode {
			return errors.New("price takes input and output, per million tokens")
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			part := map[string]*float64{"input": &m.Price.Input, "output": &m.Price.Output}[n.Content[i].Value]
			if part == nil {
				return fmt.Errorf("price has no key %q, only input and output", n.Content[i].Value)
			}
			if err := n.Content[i+1].Decode(part); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("there is no key %q; there are: model, provider, url, key, max-tokens, temperature, timeout, fallbacks, "+
			"price, choose, uses", key)
	}
	return nil
}

// reference matches a reference to an environment variable.
var reference = regexp.MustCompile(`\$\{(\w+)\}`)

// expand replaces references such as ${NAME} with environment variables.
func expand(value string, env func(string) (string, bool)) (string, error) {
	var missing error
	out := reference.ReplaceAllStringFunc(value, func(ref string) string {
		name := ref[2 : len(ref)-1]
		found, ok := env(name)
		if !ok {
			missing = fmt.Errorf("the environment variable %s is not set", name)
		}
		return found
	})
	return out, missing
}

// printModels writes the models as the section of a file, with keys hidden.
func (c Config) printModels(b *strings.Builder) {
	if len(c.ChatModels) == 0 {
		return
	}
	b.WriteString("models:\n")
	for _, m := range c.ChatModels {
		fmt.Fprintf(b, "  %s:\n    model: %s\n", yamlScalar(m.Name), yamlScalar(m.Model))
		field := func(key, value string) {
			if value != "" {
				fmt.Fprintf(b, "    %s: %s\n", key, value)
			}
		}
		if m.URL != "" {
			field("url", yamlScalar(redactURL(m.URL)))
		}
		if m.Key != "" {
			field("key", "(hidden)")
		}
		if m.MaxTokens > 0 {
			field("max-tokens", strconv.Itoa(m.MaxTokens))
		}
		if m.Temperature != nil {
			field("temperature", strconv.FormatFloat(*m.Temperature, 'g', -1, 64))
		}
		if m.Timeout > 0 {
			field("timeout", m.Timeout.String())
		}
		if len(m.Fallbacks) > 0 {
			field("fallbacks", "["+strings.Join(m.Fallbacks, ", ")+"]")
		}
		if m.Price != (Price{}) {
			field("price", fmt.Sprintf("{input: %g, output: %g}", m.Price.Input, m.Price.Output))
		}
		if m.Choose {
			field("choose", "true")
		}
		var uses []string
		for _, u := range m.Uses {
			uses = append(uses, string(u))
		}
		if len(uses) > 0 {
			field("uses", "["+strings.Join(uses, ", ")+"]")
		}
	}
}
