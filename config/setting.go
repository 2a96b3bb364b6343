package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scope selects the commands that have the flag of a setting.
type Scope int

// The scopes.
const (
	// Global settings apply to every command.
	Global Scope = iota
	// Serving settings apply to serve.
	Serving
	// Answering settings apply to serve and ask.
	Answering
	// Chatting settings apply to commands that call the chat model: those of Answering and Ingesting.
	Chatting
	// Embedding settings apply to commands that read or search documents.
	Embedding
	// Ingesting settings apply to serve, ingest, and source.
	Ingesting
	// Sourced settings apply to serve and source.
	Sourced
)

// Storage says whether the database may hold a value of a setting.
type Storage int

// The storages.
const (
	// Outside settings have no value in the database.
	Outside Storage = iota
	// AfterRestart settings apply when docent starts.
	AfterRestart
	// Live settings apply to the next turn.
	Live
)

// String says when a change in the console applies, or "" if the console cannot change the setting.
func (s Storage) String() string { return [...]string{"", "after a restart", "at once"}[s] }

// Setting is one row of the table.
type Setting struct {
	// Key is the name in the file, with dots for nesting.
	Key string
	// Flag is the name on the command line.
	Flag string
	// Env are the names of environment variables. The first that is set wins.
	Env []string
	// Help describes the setting in one line.
	Help string
	// Default is the default value as text.
	Default string
	// Secret marks values that are never printed.
	Secret bool
	// Bool marks flags that need no value.
	Bool bool
	// Many marks flags that may be repeated.
	Many bool
	// Scope selects the commands that have the flag.
	Scope Scope
	// Storage says whether the database may hold a value. It is Outside for settings of one machine, for
	// addresses and keys of servers, and for settings that protect users from administrators.
	Storage Storage
	// Values are the possible values, if there are only a few.
	Values []string

	set func(*Config, string) error
	get func(Config) string
}

// Takes returns the type of the value for the help: duration, bytes, number, int,
// color, picture, or string.
func (s Setting) Takes() string {
	takes := func(value string) bool { return s.set(new(Config), value) == nil }
	if takes("x") {
		return "string"
	}
	for _, kind := range []struct{ example, name string }{
		{"1s", "duration"},
		{"1KiB", "bytes"},
		{"1.5", "number"},
		{"1", "int"},
		{"#000000", "color"},
		{smallPicture, "picture"},
	} {
		if takes(kind.example) {
			return kind.name
		}
	}
	return "string"
}

func text(p func(*Config) *string) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error { *p(c) = s; return nil },
		func(c Config) string { return *p(&c) }
}

func number(p func(*Config) *int) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			n, err := strconv.Atoi(s)
			if err != nil {
				return fmt.Errorf("%q is not a whole number", s)
			}
			*p(c) = n
			return nil
		}, func(c Config) string {
			return strconv.Itoa(*p(&c))
		}
}

func list(p func(*Config) *[]string) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			*p(c) = slices.DeleteFunc(strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }),
				func(s string) bool { return s == "" })
			return nil
		}, func(c Config) string {
			return strings.Join(*p(&c), ",")
		}
}

// BuiltInAgent stands for the built-in assistant among the agent files.
const BuiltInAgent = "built-in"

// files is a list of file names, which may contain spaces.
func files(p func(*Config) *[]string) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			*p(c) = nil
			for _, name := range strings.Split(s, ",") {
				if name = strings.TrimSpace(name); name != "" {
					*p(c) = append(*p(c), name)
				}
			}
			return nil
		}, func(c Config) string {
			return strings.Join(*p(&c), ",")
		}
}

func oneOf(p func(*Config) *string, values ...string) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			if !slices.Contains(values, s) {
				return fmt.Errorf("%q is none of %s", s, strings.Join(values, ", "))
			}
			*p(c) = s
			return nil
		}, func(c Config) string {
			return *p(&c)
		}
}

func flag(p func(*Config) *bool) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			b, err := strconv.ParseBool(s)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", s)
			}
			*p(c) = b
			return nil
		}, func(c Config) string {
			return strconv.FormatBool(*p(&c))
		}
}

func decimal(p func(*Config) *float64) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return fmt.Errorf("%q is not a number", s)
			}
			*p(c) = f
			return nil
		}, func(c Config) string {
			return strconv.FormatFloat(*p(&c), 'g', -1, 64)
		}
}

func duration(p func(*Config) *time.Duration) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			d, err := time.ParseDuration(s)
			if err != nil {
				return fmt.Errorf("%q is not a duration such as 30s or 2m", s)
			}
			*p(c) = d
			return nil
		}, func(c Config) string {
			return p(&c).String()
		}
}

// maxMinutes bounds a number of minutes: ten years.
const maxMinutes = 10 * 366 * 24 * 60

// minutes is a duration. A number without a unit counts minutes.
func minutes(p func(*Config) *time.Duration) (func(*Config, string) error, func(Config) string) {
	set, get := duration(p)
	return func(c *Config, s string) error {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return set(c, s)
		}
		if !(n >= 0 && n <= maxMinutes) { // nor NaN
			return fmt.Errorf("%q is no number of minutes up to %d", s, maxMinutes)
		}
		*p(c) = time.Duration(n * float64(time.Minute))
		return nil
	}, get
}

// units are the suffixes of sizes, longest first.
var units = []struct {
	name   string
	factor int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1}}

func size(p func(*Config) *int64) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			for _, u := range units {
				digits, ok := strings.CutSuffix(s, u.name)
				if !ok {
					continue
				}
				n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
				if err != nil || n < 0 || n > (1<<62)/u.factor {
					break
				}
				*p(c) = n * u.factor
				return nil
			}
			return fmt.Errorf("%q is not a size such as 64MiB", s)
		}, func(c Config) string {
			n := *p(&c)
			for _, u := range units[:3] {
				if n != 0 && n%u.factor == 0 {
					return strconv.FormatInt(n/u.factor, 10) + u.name
				}
			}
			return strconv.FormatInt(n, 10)
		}
}

// row sets the accessors of a setting.
func row(s Setting, set func(*Config, string) error, get func(Config) string) Setting {
	s.set, s.get = set, get
	return s
}

// with is row for the pair of accessors that the functions above return.
func with(s Setting) func(func(*Config, string) error, func(Config) string) Setting {
	return func(set func(*Config, string) error, get func(Config) string) Setting { return row(s, set, get) }
}

// Settings returns all settings in the order of the documentation.
func Settings() []Setting {
	return append([]Setting{
		with(Setting{
			Key: "data", Flag: "data", Env: []string{"DOCENT_DATA"}, Scope: Global,
			Help: "folder for the database, its indexes, and caches", Default: "~/.local/share/docent",
		})(text(func(c *Config) *string { return &c.Data })),
		with(Setting{
			Key: "database-url", Flag: "database-url", Env: []string{"DATABASE_URL"}, Scope: Global, Secret: true,
			Help: "Postgres URL; default: SQLite in the data folder",
		})(text(func(c *Config) *string { return &c.DatabaseURL })),
		with(Setting{
			Key: "log-level", Flag: "log-level", Env: []string{"DOCENT_LOG_LEVEL"}, Scope: Global,
			Help: "log level: debug, info, warn, or error", Default: "info",
		})(oneOf(func(c *Config) *string { return &c.LogLevel }, "debug", "info", "warn", "error")),
		with(Setting{
			Key: "log-format", Flag: "log-format", Env: []string{"DOCENT_LOG_FORMAT"}, Scope: Global,
			Help: "log format: text or json", Default: "text",
		})(oneOf(func(c *Config) *string { return &c.LogFormat }, "text", "json")),

		with(Setting{
			Key: "addr", Flag: "addr", Env: []string{"DOCENT_ADDR"}, Scope: Serving,
			Help: "address to listen on", Default: "127.0.0.1:8765",
		})(text(func(c *Config) *string { return &c.Addr })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "auth", Flag: "auth", Env: []string{"DOCENT_AUTH"}, Scope: Serving, Bool: true,
			Help: "require a token (docent token create) or a password (docent user create)", Default: "false",
		})(flag(func(c *Config) *bool { return &c.Auth })),
		with(Setting{
			Key: "read-conversations", Flag: "read-conversations", Env: []string{"DOCENT_READ_CONVERSATIONS"}, Scope: Serving, Bool: true,
			Help: "allow administrators to read the conversations of other users (with --auth); each reading is recorded in the audit log", Default: "false",
		})(flag(func(c *Config) *bool { return &c.ReadConversations })),
		with(Setting{
			Key: "insecure", Flag: "insecure", Env: []string{"DOCENT_INSECURE"}, Scope: Serving, Bool: true,
			Help: "allow --addr to be reachable from other machines without --auth", Default: "false",
		})(flag(func(c *Config) *bool { return &c.Insecure })),
		with(Setting{
			Key: "origins", Flag: "origins", Env: []string{"DOCENT_ORIGINS"}, Scope: Serving,
			Help: "additional web origins that may connect, comma-separated",
		})(list(func(c *Config) *[]string { return &c.Origins })),
		with(Setting{
			Key: "hosts", Flag: "hosts", Env: []string{"DOCENT_HOSTS"}, Scope: Serving,
			Help: "additional host names of the server, comma-separated",
		})(list(func(c *Config) *[]string { return &c.Hosts })),
		with(Setting{
			Key: "no-ui", Flag: "no-ui", Env: []string{"DOCENT_NO_UI"}, Scope: Serving, Bool: true,
			Help: "serve the API and WebSocket only, without the page and the widget", Default: "false",
		})(flag(func(c *Config) *bool { return &c.NoUI })),
		with(Setting{
			Key: "agent", Flag: "agent-name", Env: []string{"DOCENT_AGENT_NAME", "AGENT_NAME"}, Scope: Serving,
			Help: "name of the built-in assistant", Default: "docent",
		})(text(func(c *Config) *string { return &c.Agent })),
		with(Setting{
			Key: "agent-file", Flag: "agent", Env: []string{"DOCENT_AGENT_FILE"}, Scope: Serving,
			Help: "YAML file of the agent to serve, or " + BuiltInAgent + "; repeat it for several agents; default: the built-in assistant",
			Many: true,
		})(files(func(c *Config) *[]string { return &c.AgentFiles })),
		with(Setting{
			Storage: Live,
			Key:     "history", Flag: "history", Env: []string{"DOCENT_HISTORY", "MAX_HISTORY"}, Scope: Serving,
			Help: "number of earlier messages an answer may use", Default: "4",
		})(number(func(c *Config) *int { return &c.History })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "session-timeout", Flag: "session-timeout", Env: []string{"DOCENT_SESSION_TIMEOUT", "SESSION_TIMEOUT"}, Scope: Serving,
			Help: "idle timeout of clients at /agent_websocket; a number without a unit is minutes", Default: "30m0s",
		})(minutes(func(c *Config) *time.Duration { return &c.SessionTimeout })),
		with(Setting{
			Key: "resume-by-user", Flag: "resume-by-user", Env: []string{"DOCENT_RESUME_BY_USER"}, Scope: Serving, Bool: true,
			Help: "resume the user's latest session for BAF clients that send X-User-ID and no session id", Default: "false",
		})(flag(func(c *Config) *bool { return &c.ResumeByUser })),
		with(Setting{
			Key: "check-interval", Flag: "check-interval", Env: []string{"DOCENT_CHECK_INTERVAL"}, Scope: Serving,
			Help: "interval at which an agent's timed conditions are evaluated", Default: "1s",
		})(duration(func(c *Config) *time.Duration { return &c.CheckInterval })),
		with(Setting{
			Storage: Live,
			Key:     "k", Flag: "passages", Env: []string{"DOCENT_K"}, Scope: Serving,
			Help: "number of passages an answer is based on", Default: "4",
		})(number(func(c *Config) *int { return &c.K })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "max-file-size", Flag: "max-file-size", Env: []string{"DOCENT_MAX_FILE_SIZE"}, Scope: Ingesting,
			Help: "maximum file size", Default: "64MiB",
		})(size(func(c *Config) *int64 { return &c.MaxFileSize })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "ocr.languages", Flag: "ocr-languages", Env: []string{"DOCENT_OCR_LANGUAGES"}, Scope: Ingesting,
			Help: "tesseract languages for scans and pictures, such as eng+deu; default: up to four of the installed ones",
		})(text(func(c *Config) *string { return &c.OCRLanguages })),
		with(Setting{
			Key: "ocr.model", Flag: "vision-model", Env: []string{"DOCENT_VISION_MODEL"}, Scope: Ingesting,
			Help: "chat model on the --llm-url server that reads scans and pictures instead of tesseract",
		})(text(func(c *Config) *string { return &c.VisionModel })),
	}, slices.Concat(
		sourceSettings(), accessSettings(), signInSettings(), socketSettings(),
		quotaSettings(), backupSettings(), digestSettings(), pageSettings(),
		modelSettings(), embedderSettings(), speechSettings(),
	)...)
}

// sourceSettings are the settings of document sources.
func sourceSettings() []Setting {
	return []Setting{
		with(Setting{
			Key: "sources.private", Flag: "sources-private", Env: []string{"DOCENT_SOURCES_PRIVATE"}, Scope: Sourced, Bool: true,
			Help: "allow sources to connect to private and loopback addresses", Default: "false",
		})(flag(func(c *Config) *bool { return &c.Sources.Private })),
		with(Setting{
			Key: "sources.secret-key", Flag: "sources-secret-key", Env: []string{"DOCENT_SECRET_KEY"}, Scope: Sourced, Secret: true,
			Help: "key that encrypts the secrets of sources, 32 bytes in hex; default: the file secret.key in the data folder",
		})(text(func(c *Config) *string { return &c.Sources.SecretKey })),
	}
}

// secondQueries are the values of LLM.SecondQuery.
var secondQueries = []string{"off", "wordings", "passage"}

// modelSettings are the settings of chat models.
func modelSettings() []Setting {
	return []Setting{
		with(Setting{
			Storage: Live,
			Key:     "min-evidence", Flag: "min-evidence", Env: []string{"DOCENT_MIN_EVIDENCE"}, Scope: Answering,
			Help: "evidence from 0 to 1 below which quotes are shown as unsure; 0 means .4", Default: "0",
		})(decimal(func(c *Config) *float64 { return &c.MinEvidence })),
		with(Setting{
			Storage: Live,
			Key:     "min-shown", Flag: "min-shown", Env: []string{"DOCENT_MIN_SHOWN"}, Scope: Answering,
			Help: "evidence from 0 to 1 below which nothing is quoted and the answer is \"I don't know\"; 0 means .003", Default: "0",
		})(decimal(func(c *Config) *float64 { return &c.MinShown })),
		with(Setting{
			Key: "entailment-model", Flag: "entailment-model", Env: []string{"DOCENT_ENTAILMENT_MODEL"}, Scope: Answering,
			Help: "installed model of entailment, which judges whether passages support an answer; default: their words decide",
		})(text(func(c *Config) *string { return &c.Entailment })),
		with(Setting{
			Key: "llm.model", Flag: "model", Env: []string{"DOCENT_MODEL"}, Scope: Chatting,
			Help: "chat model that writes answers; without one, answers are quotes",
		})(text(func(c *Config) *string { return &c.LLM.Model })),
		with(Setting{
			Key: "llm.url", Flag: "llm-url", Env: []string{"DOCENT_LLM_URL", "OPENAI_BASE_URL"}, Scope: Chatting,
			Help: "base URL of an OpenAI-compatible chat server, such as http://127.0.0.1:11434/v1",
		})(text(func(c *Config) *string { return &c.LLM.URL })),
		with(Setting{
			Key: "llm.key", Flag: "llm-key", Env: []string{"DOCENT_LLM_KEY", "OPENAI_API_KEY"}, Scope: Chatting, Secret: true,
			Help: "API key of the chat server",
		})(text(func(c *Config) *string { return &c.LLM.Key })),
		with(Setting{
			Storage: Live,
			Key:     "llm.temperature", Flag: "temperature", Env: []string{"DOCENT_TEMPERATURE", "TEMPERATURE"}, Scope: Chatting,
			Help: "sampling temperature; if negative, the server's default", Default: "-1",
		})(decimal(func(c *Config) *float64 { return &c.LLM.Temperature })),
		with(Setting{
			Storage: Live,
			Key:     "llm.max-tokens", Flag: "max-tokens", Env: []string{"DOCENT_MAX_TOKENS", "MAX_TOKENS"}, Scope: Answering,
			Help: "maximum length of an answer in tokens", Default: "1500",
		})(number(func(c *Config) *int { return &c.LLM.MaxTokens })),
		with(Setting{
			Storage: Live,
			Key:     "llm.timeout", Flag: "llm-timeout", Env: []string{"DOCENT_LLM_TIMEOUT"}, Scope: Chatting,
			Help: "timeout of a call to the chat model", Default: "2m0s",
		})(duration(func(c *Config) *time.Duration { return &c.LLM.Timeout })),
		with(Setting{
			Storage: Live,
			Key:     "llm.first-token", Flag: "llm-first-token", Env: []string{"DOCENT_LLM_FIRST_TOKEN"}, Scope: Chatting,
			Help: "time that a model has for its first word, or for its reasoning to begin; 0 means --llm-timeout", Default: "0s",
		})(duration(func(c *Config) *time.Duration { return &c.LLM.FirstToken })),
		with(Setting{
			Key: "llm.fallbacks", Flag: "model-fallbacks", Env: []string{"DOCENT_MODEL_FALLBACKS"}, Scope: Chatting,
			Help: "chat models that answer if --model fails before its first word: names in models, or models on the same server; comma-separated, in order",
		})(list(func(c *Config) *[]string { return &c.LLM.Fallbacks })),
		with(Setting{
			Storage: Live, Values: []string{FailureQuotes, FailureError}, Default: FailureQuotes,
			Key: "llm.on-failure", Flag: "on-model-failure", Env: []string{"DOCENT_ON_MODEL_FAILURE"}, Scope: Answering,
			Help: "answer if all models fail before their first word: quotes, or error",
		})(oneOf(func(c *Config) *string { return &c.LLM.OnFailure }, FailureQuotes, FailureError)),
		with(Setting{
			Storage: Live,
			Key:     "llm.show-thinking", Flag: "show-thinking", Env: []string{"DOCENT_SHOW_THINKING"}, Scope: Answering, Bool: true,
			Help: "show users the reasoning of a model before its answer, and store it with the answer", Default: "true",
		})(flag(func(c *Config) *bool { return &c.LLM.ShowThinking })),
		with(Setting{
			Key: "llm.prompts", Flag: "prompts", Env: []string{"DOCENT_PROMPTS"}, Scope: Answering,
			Help: "version of the prompts for the chat model; default: 1, because docent's tests favor no version",
		})(text(func(c *Config) *string { return &c.LLM.Prompts })),
		with(Setting{
			Storage: Live, Values: secondQueries,
			Key: "llm.second-query", Flag: "second-query", Env: []string{"DOCENT_SECOND_QUERY"}, Scope: Answering,
			Help:    "search again if the first results are weak: off, wordings (other wordings by the chat model), or passage (a possible answer)",
			Default: "off",
		})(oneOf(func(c *Config) *string { return &c.LLM.SecondQuery }, secondQueries...)),
	}
}

// embedderSettings are the settings of embedders and rerankers.
func embedderSettings() []Setting {
	return []Setting{
		with(Setting{
			Key: "embedder.model", Flag: "embedder-model", Env: []string{"DOCENT_EMBEDDER_MODEL"}, Scope: Embedding,
			Help: "embedding model on a server; default: the built-in model",
		})(text(func(c *Config) *string { return &c.Embedder.Model })),
		with(Setting{
			Key: "embedder.url", Flag: "embedder-url", Env: []string{"DOCENT_EMBEDDER_URL", "OPENAI_BASE_URL"}, Scope: Embedding,
			Help: "base URL of an OpenAI-compatible embeddings server",
		})(text(func(c *Config) *string { return &c.Embedder.URL })),
		with(Setting{
			Key: "embedder.key", Flag: "embedder-key", Env: []string{"DOCENT_EMBEDDER_KEY", "OPENAI_API_KEY"}, Scope: Embedding, Secret: true,
			Help: "API key of the embeddings server",
		})(text(func(c *Config) *string { return &c.Embedder.Key })),
		with(Setting{
			Key: "embedder.dimensions", Flag: "embedder-dimensions", Env: []string{"DOCENT_EMBEDDER_DIMENSIONS"}, Scope: Embedding,
			Help: "number of dimensions to request; 0 means the model's default", Default: "0",
		})(number(func(c *Config) *int { return &c.Embedder.Dimensions })),
		with(Setting{
			Key: "embedder.batch", Flag: "embedder-batch", Env: []string{"DOCENT_EMBEDDER_BATCH"}, Scope: Embedding,
			Help: "number of texts that the embeddings server takes at once; 0 means up to 64, and fewer if the server refuses them", Default: "0",
		})(number(func(c *Config) *int { return &c.Embedder.Texts })),
		with(Setting{
			Key: "embedder.max-text", Flag: "embedder-max-text", Env: []string{"DOCENT_EMBEDDER_MAX_TEXT"}, Scope: Embedding,
			Help: "longest text that the embeddings server takes; longer ones are divided; 0 means that docent finds the length", Default: "0",
		})(size(func(c *Config) *int64 { return &c.Embedder.TextBytes })),
		with(Setting{
			Key: "embedder.query-prefix", Flag: "embedder-query-prefix", Env: []string{"DOCENT_EMBEDDER_QUERY_PREFIX"}, Scope: Embedding,
			Help: "text before each question for the embedding model; none turns it off; default: the prefix of the model, if docent knows it",
		})(text(func(c *Config) *string { return &c.Embedder.QueryPrefix })),
		with(Setting{
			Key: "embedder.passage-prefix", Flag: "embedder-passage-prefix", Env: []string{"DOCENT_EMBEDDER_PASSAGE_PREFIX"}, Scope: Embedding,
			Help: "text before each passage for the embedding model; none turns it off; default: the prefix of the model, if docent knows it",
		})(text(func(c *Config) *string { return &c.Embedder.PassagePrefix })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "encoder", Flag: "encoder", Env: []string{"DOCENT_ENCODER"}, Scope: Embedding, Default: EncoderAuto,
			Help: "encoder that orders the best passages: auto, off, or the name of an installed model; auto is the built-in one; it needs AVX2, or NEON with dot products",
		})(text(func(c *Config) *string { return &c.Encoder })),
		with(Setting{
			Key: "index", Flag: "index", Env: []string{"DOCENT_INDEX"}, Scope: Embedding, Default: IndexAuto,
			Help: "vector index: auto, flat, chromem, pgvector, or weaviate; auto is chromem for up to 4,000 passages, and flat for more; pgvector needs Postgres",
		})(oneOf(func(c *Config) *string { return &c.Index }, IndexAuto, IndexFlat, IndexChromem, IndexPGVector, IndexWeaviate)),
		with(Setting{
			Key: "weaviate.nodes", Flag: "weaviate", Env: []string{"DOCENT_WEAVIATE"}, Scope: Embedding,
			Help: "base URLs of the nodes for the index weaviate, separated by commas, such as http://node1:8080,http://node2:8080",
		})(list(func(c *Config) *[]string { return &c.Weaviate })),
		with(Setting{
			Key: "weaviate.key", Flag: "weaviate-key", Env: []string{"DOCENT_WEAVIATE_KEY"}, Scope: Embedding, Secret: true,
			Help: "API key of the Weaviate nodes",
		})(text(func(c *Config) *string { return &c.WeaviateKey })),

		with(Setting{
			Key: "rerank.url", Flag: "rerank-url", Env: []string{"DOCENT_RERANK_URL"}, Scope: Embedding,
			Help: "base URL of a reranking server, such as https://api.jina.ai/v1; it replaces the built-in encoder",
		})(text(func(c *Config) *string { return &c.Rerank.URL })),
		with(Setting{
			Key: "rerank.model", Flag: "rerank-model", Env: []string{"DOCENT_RERANK_MODEL"}, Scope: Embedding,
			Help: "model of the reranking server; without --rerank-url, an installed model; default: the server's only model",
		})(text(func(c *Config) *string { return &c.Rerank.Model })),
		with(Setting{
			Key: "rerank.key", Flag: "rerank-key", Env: []string{"DOCENT_RERANK_KEY"}, Scope: Embedding, Secret: true,
			Help: "API key of the reranking server",
		})(text(func(c *Config) *string { return &c.Rerank.Key })),
		with(Setting{
			Key: "rerank.batch", Flag: "rerank-batch", Env: []string{"DOCENT_RERANK_BATCH"}, Scope: Embedding,
			Help: "number of passages that the reranking server takes at once; 0 means all, and fewer if the server refuses them", Default: "0",
		})(number(func(c *Config) *int { return &c.Rerank.Texts })),
	}
}
