// Package config combines flags, environment variables, and a file into one
// validated struct. Each setting is a row of one table. The help, the environment
// variables, the file, --print-config, and the documentation are all made from
// this table.
package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
)

// Config holds all settings. The comment of each field ends with its default.
type Config struct {
	// Data is the folder for the database, its indexes, and caches; default
	// ~/.local/share/docent.
	Data string
	// Models is the folder for installed models. Load sets it: models in Data.
	Models string
	// DatabaseURL is a Postgres URL; default none: SQLite in Data.
	DatabaseURL string
	// Addr is the address that the server listens on; default 127.0.0.1:8765.
	Addr string
	// Insecure allows an Addr that other machines can reach without Auth; default
	// false.
	Insecure bool
	// Auth requires users and programs to sign in; default false.
	Auth bool
	// ExposedFile is a configuration file with secrets that other users can read; ""
	// without one.
	ExposedFile string
	// UnusedModel is the value of MODEL if no setting names its server; "" otherwise.
	UnusedModel string
	// OIDC configures tokens of an OpenID Connect issuer; default none.
	OIDC OIDC
	// SignIn configures the sign-in with an OpenID Connect provider; default none.
	SignIn SignIn
	// TrustedProxies are the addresses of proxies whose X-Forwarded-For header the
	// server trusts; default none.
	TrustedProxies []netip.Prefix
	// BasePath is the path below which a proxy serves docent, such as /docent, or "".
	BasePath string
	// Sockets limits WebSocket connections.
	Sockets Sockets
	// Quota limits the work for one principal in a day; default 20,000 questions, 20
	// million tokens, 10 GiB, and an hour of drawing pages.
	Quota Quota
	// AddressQuota limits the work in a day for one address without a user; default
	// 1,000 questions, 2 million tokens, 1 GiB, and 10 minutes of drawing pages.
	AddressQuota Quota
	// Searches limits the concurrent searches over HTTP; default 16.
	Searches int
	// HTTPConnections limits the HTTP connections; default 4,096.
	HTTPConnections int
	// ReadConversations allows administrators to read the conversations of other users;
	// default false.
	ReadConversations bool
	// KeepQuestions is the number of days for which facts about questions are kept. 0 keeps only
	// totals; default 90.
	KeepQuestions int
	// KeepConversations is the number of days after their last use for which conversations are kept,
	// unless they are pinned or in a folder. 0 keeps all.
	KeepConversations int
	// KeepLog is the number of days for which records of the audit log are kept. 0 keeps them until
	// newer ones displace them.
	KeepLog int
	// Backups configures backups that the server makes.
	Backups Backups
	// Mail configures the mail server.
	Mail Mail
	// Digest configures the weekly digest.
	Digest Digest
	// Page configures the name, color, and logo of the page.
	Page Page
	// OwnInstructions lets users give models their own instructions; default true.
	OwnInstructions bool
	// PublicLinks allows shared links that are readable without a sign-in; default false.
	PublicLinks bool
	// Origins are additional web origins that may connect; default none.
	Origins []string
	// Hosts are additional host names of the server, beside loopback names and the
	// listening address; default none.
	Hosts []string
	// NoUI turns off the page and the widget; default false.
	NoUI bool
	// Agent is the name of the agent in the database and on the page. With
	// AgentFiles, the names in the files count; default docent.
	Agent string
	// AgentFiles are the YAML files of the served agents, or BuiltInAgent. The first is the
	// default of new sessions; default none: the built-in assistant.
	AgentFiles []string
	// K is the number of passages that an answer is based on; default 4.
	K int
	// History is the number of earlier messages that an answer may use; default 4.
	History int
	// SessionTimeout is the idle timeout of clients of Agent WebSocket, at least a
	// second; default 30m.
	SessionTimeout time.Duration
	// ResumeByUser resumes the latest session of a user for BAF clients that send
	// the header X-User-ID and no session id; default false.
	ResumeByUser bool
	// CheckInterval is the interval at which conditions of an agent's states are
	// evaluated without an event; default 1s.
	CheckInterval time.Duration
	// MaxFileSize limits one file, in bytes; default 64 MiB.
	MaxFileSize int64
	// OCRLanguages are the languages for tesseract, such as eng+deu; default the
	// installed ones.
	OCRLanguages string
	// VisionModel is a chat model on the server of LLM that reads pictures instead
	// of tesseract; default none.
	VisionModel string
	// Sources holds the settings of document sources.
	Sources Sourcing
	// LogLevel is debug, info, warn, or error; default info.
	LogLevel string
	// LogFormat is text or json; default text.
	LogFormat string
	// LLM is the model that writes answers; default none: answers are quotes.
	LLM LLM
	// MinEvidence is the evidence from which quotes count as an answer; default
	// 0: the default of package pipeline.
	MinEvidence float64
	// MinShown is the evidence below which docent quotes nothing and says that it found nothing; default
	// 0: the default of package pipeline.
	MinShown float64
	// ChatModels are further chat models with names; default none.
	ChatModels []Model
	// Embedder is the embedding model; default the built-in model.
	Embedder Embedder
	// Encoder selects the encoder: EncoderAuto, EncoderOff, or the name of an
	// installed model; default EncoderAuto.
	Encoder string
	// Index selects the vector index; default IndexAuto.
	Index string
	// Weaviate are the base URLs of the nodes for IndexWeaviate; default none.
	Weaviate []string
	// WeaviateKey is the API key of these nodes; default none.
	WeaviateKey string
	// Rerank is the reranking server; default none.
	Rerank Rerank
	// Entailment is the name of the installed model that judges whether passages support
	// answers; default none.
	Entailment string
	// Speech transcribes recordings and speaks replies; default none.
	Speech Speech
	// Traces is the URL of an OpenTelemetry collector; default none.
	Traces string

	origins map[string]Origin // of settings with a value, by key
	env     func(string) (string, bool)
}

// Sourcing holds the settings of document sources.
type Sourcing struct {
	// Private allows sources to connect to private and loopback addresses; default
	// false.
	Private bool
	// SecretKey encrypts the passwords and tokens of sources. It has 32 bytes, in
	// hex or base64. By default docent uses the key in the file secret.key in Data,
	// and creates the file on first use.
	SecretKey string
}

// OIDC configures tokens of an OpenID Connect issuer. Without Issuer, only
// docent's own tokens are accepted.
type OIDC struct {
	// Issuer is the URL of the issuer; default none.
	Issuer string
	// Audience is the required audience of a token; default none.
	Audience string
	// Scopes are the scopes of users with such a token; default ask.
	Scopes string
	// GroupsClaim is the claim that lists the user's groups; default groups.
	GroupsClaim string
}

// Sockets limits WebSocket connections.
type Sockets struct {
	// FrameBytes limits a frame; default 32 MiB.
	FrameBytes int64
	// MessageBytes limits the message of a frame without a file; default 256 KiB.
	MessageBytes int64
	// OutboxBytes limits the queue for one client; long frames do not count.
	// Default 1 MiB.
	OutboxBytes int64
	// Rate limits the frames per second of a connection; default 20.
	Rate float64
	// Burst limits the frames that a connection may send at once; default 60.
	Burst int
	// UserRate limits the frames per second of all connections of one user; default
	// 100.
	UserRate float64
	// UserBurst limits the frames that a user may send at once; default 300.
	UserBurst int
	// MaxConnections limits the connections; default 10,000.
	MaxConnections int
	// UserConnections limits the connections of one user if authentication is on;
	// default 100.
	UserConnections int
	// MailboxSize limits the waiting messages of one session; default 64.
	MailboxSize int
	// PingInterval is the interval between pings; default 25s.
	PingInterval time.Duration
	// Silence is the time without any frame or pong after which a client is
	// disconnected; default 60s.
	Silence time.Duration
}

// Speech configures a speech server. Without Transcription, recordings are
// declined. Without Model, spoken replies are sent as text.
type Speech struct {
	// URL is the base URL of an OpenAI-compatible server; default OpenAI's.
	URL string
	// Key is the API key; default none. OPENAI_API_KEY is sent only to OpenAI and to
	// OPENAI_BASE_URL.
	Key string
	// Transcription is the model that transcribes recordings; default none.
	Transcription string
	// Model is the model that speaks; default none.
	Model string
	// Voice is the voice of Model; default alloy.
	Voice string
}

// LLM configures a chat model. Without Model, there is none.
type LLM struct {
	// URL is the base URL of an OpenAI-compatible server; default OpenAI's.
	URL string
	// Key is the API key; default none.
	Key string
	// Model is the name of the model; default none.
	Model string
	// Temperature is sent if it is not negative; default -1.
	Temperature float64
	// MaxTokens limits an answer; default 1500.
	MaxTokens int
	// Timeout limits one call; default 2m.
	Timeout time.Duration
	// Fallbacks are models on the same server that answer if Model fails; default none.
	Fallbacks []string
	// FirstToken limits the time to the first word of a model; default 0, Timeout.
	FirstToken time.Duration
	// OnFailure is the answer if the models fail before their first word; default
	// FailureQuotes.
	OnFailure string
	// ShowThinking shows the reasoning of models before their answers; default true.
	ShowThinking bool
	// Prompts is the version of the prompts; default 1, because docent's tests favor no version.
	Prompts string
	// SecondQuery says how the model helps to search if the first results are weak:
	// off, wordings, or passage; default off.
	SecondQuery string
}

// Enabled reports whether a model is configured.
func (l LLM) Enabled() bool { return l.Model != "" }

// The values of LLM.OnFailure. FailureQuotes answers with quotes and says so.
const (
	FailureQuotes = "quotes"
	FailureError  = "error"
)

// The values of Config.Index. IndexAuto uses chromem-go for up to a few thousand
// passages, and index/flat for more. IndexPGVector keeps the indexes in Postgres.
// IndexWeaviate keeps the vectors in a Weaviate cluster.
const (
	IndexAuto     = "auto"
	IndexFlat     = "flat"
	IndexChromem  = "chromem"
	IndexPGVector = "pgvector"
	IndexWeaviate = "weaviate"
)

// The values of Config.Encoder. EncoderAuto uses the encoder on processors that
// are fast enough, unless an embedding model on a server is configured.
const (
	EncoderAuto = "auto"
	EncoderOff  = "off"
)

// InstalledEncoder returns the name of the installed model that is the encoder, or "".
func (c Config) InstalledEncoder() string {
	if c.Encoder == EncoderAuto || c.Encoder == EncoderOff {
		return ""
	}
	return c.Encoder
}

// Rerank configures the model that orders the best passages: one on a server, or an
// installed one. Without URL and Model, the encoder orders them.
type Rerank struct {
	// URL is the address in front of /rerank; default none.
	URL string
	// Key is the API key; default none.
	Key string
	// Model is the name of the model, without URL that of an installed one; default
	// none.
	Model string
	// Texts is the largest number of passages in a request; default 0: docent finds
	// it.
	Texts int
}

// Enabled reports whether a reranking server is configured.
func (r Rerank) Enabled() bool { return r.URL != "" }

// Installed reports whether an installed model is configured.
func (r Rerank) Installed() bool { return r.URL == "" && r.Model != "" }

// Embedder configures an embedding model. Without Model, docent uses the built-in
// one.
type Embedder struct {
	// URL is the base URL of an OpenAI-compatible server; default OpenAI's.
	URL string
	// Key is the API key; default none.
	Key string
	// Model is the name of the model; default none.
	Model string
	// Dimensions is the number of dimensions to request; default 0: the model's
	// default.
	Dimensions int
	// Texts is the largest number of texts in a request, and TextBytes the longest
	// text; default 0: docent finds them.
	Texts     int
	TextBytes int64
	// QueryPrefix and PassagePrefix are put before questions and passages; default
	// those of the model.
	QueryPrefix, PassagePrefix string
}

// Remote reports whether vectors come from a server.
func (e Embedder) Remote() bool { return e.Model != "" }

// SQLitePath returns the file of the embedded database.
func (c Config) SQLitePath() string { return filepath.Join(c.Data, "docent.db") }

// CacheDir returns the folder for data that docent can compute again.
func (c Config) CacheDir() string { return filepath.Join(c.Data, "cache") }

// Loopback reports whether only this machine can reach Addr.
func (c Config) Loopback() bool {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// validate returns an error for the first invalid setting.
func (c Config) validate() error {
	wrong := func(key, format string, args ...any) error {
		return fault.New(fault.Invalid, "setting_invalid_value", "setting %s: %w", key, fmt.Errorf(format, args...))
	}
	host, port, err := net.SplitHostPort(c.Addr)
	switch {
	case c.Data == "":
		return wrong("data", "no folder: set --data DIR")
	case err != nil || port == "":
		return wrong("addr", "%q is not HOST:PORT", c.Addr)
	case !c.Loopback() && !c.Auth && !c.Insecure:
		return wrong("addr", "others can reach %s (host %q) and authentication is off: use 127.0.0.1, or turn authentication on with --auth, "+
			"or set --insecure if a proxy in front of docent controls the access", c.Addr, host)
	case c.OIDC.Issuer != "" && !c.Auth:
		return wrong("oidc.issuer", "is set but authentication is off: add --auth")
	case c.OIDC.Issuer != "" && c.OIDC.Audience == "":
		return wrong("oidc.audience", "is needed, or tokens that the issuer made for other programs would be taken: set --oidc-audience")
	case c.K < 1 || c.K > 50:
		return wrong("k", "%d is not between 1 and 50", c.K)
	case c.History < 0 || c.History > 100:
		return wrong("history", "%d is not between 0 and 100", c.History)
	case c.SessionTimeout < time.Second:
		return wrong("session-timeout", "has to be at least a second")
	case c.CheckInterval <= 0:
		return wrong("check-interval", "has to be positive")
	case c.Sockets.wrong() != "":
		return wrong(c.Sockets.wrong(), "has to be positive")
	case c.Speech.enabled() && c.Speech.URL == "" && c.Speech.Key == "":
		return wrong("speech.url", "listening and speaking need OPENAI_API_KEY (or --speech-key), or --speech-url for a server of your own")
	case c.MaxFileSize < 1:
		return wrong("max-file-size", "has to be at least 1")
	case c.Agent == "":
		return wrong("agent", "is empty")
	case c.LLM.Timeout <= 0:
		return wrong("llm.timeout", "has to be positive")
	case c.LLM.FirstToken < 0:
		return wrong("llm.first-token", "must not be negative")
	case c.wrongFallbacks() != "":
		return wrong("llm.fallbacks", "%s", c.wrongFallbacks())
	case c.LLM.MaxTokens < 1:
		return wrong("llm.max-tokens", "has to be at least 1")
	case c.wrongModel() != "":
		return wrong("llm.model", "%s", c.wrongModel())
	case !c.LLM.Enabled() && c.LLM.URL != "":
		return wrong("llm.url", "is set but no model is: add --model NAME")
	case c.Embedder.Remote() && c.Embedder.URL == "" && c.Embedder.Key == "":
		return wrong("embedder.model", "%s needs OPENAI_API_KEY (or --embedder-key), or --embedder-url for a server of your own", c.Embedder.Model)
	case c.Embedder.Texts < 0:
		return wrong("embedder.batch", "must not be negative; 0 means that docent finds the number")
	case c.Rerank.Texts < 0:
		return wrong("rerank.batch", "must not be negative; 0 means that docent finds the number")
	case c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://"):
		return wrong("database-url", "has to begin with postgres:// (leave it unset for the built-in SQLite)")
	}
	if key, reason := c.wrongURL(); key != "" {
		return wrong(key, "%s", reason)
	}
	for prefix, q := range map[string]Quota{"quota": c.Quota, "address-quota": c.AddressQuota} {
		if name := q.wrong(); name != "" {
			return wrong(prefix+"."+name, "must not be negative; 0 means no limit")
		}
	}
	if c.Searches < 1 {
		return wrong("limits.searches", "has to be positive")
	}
	if c.KeepQuestions < 0 {
		return wrong("keep-questions", "must not be negative; 0 keeps only daily totals")
	}
	if c.KeepConversations < 0 {
		return wrong("keep-conversations", "must not be negative; 0 means no limit")
	}
	if c.KeepLog < 0 {
		return wrong("keep-log", "must not be negative; 0 means no limit")
	}
	if c.Backups.Keep < 0 {
		return wrong("backup.keep", "must not be negative; 0 keeps all backups")
	}
	if key, reason := c.Mail.wrong(); key != "" {
		return wrong(key, "%s", reason)
	}
	if c.HTTPConnections < 1 {
		return wrong("limits.http-connections", "has to be positive")
	}
	if !(c.MinEvidence >= 0 && c.MinEvidence <= 1) { // nor NaN
		return wrong("min-evidence", "%v is not between 0 and 1", c.MinEvidence)
	}
	if !(c.MinShown >= 0 && c.MinShown <= 1) {
		return wrong("min-shown", "%v is not between 0 and 1", c.MinShown)
	}
	return c.fits()
}

// wrongURL returns the setting with a wrong address of a server, and the reason; "" without one.
func (c Config) wrongURL() (key, reason string) {
	for key, u := range map[string]string{
		"llm.url": c.LLM.URL, "embedder.url": c.Embedder.URL, "speech.url": c.Speech.URL, "oidc.issuer": c.OIDC.Issuer,
		"rerank.url": c.Rerank.URL, "traces.url": c.Traces,
	} {
		if u == "" {
			continue
		}
		p, err := url.Parse(u)
		if err != nil || (p.Scheme != "http" && p.Scheme != "https") || p.Host == "" {
			return key, fmt.Sprintf("%q is not an http(s) URL", redactURL(u))
		}
		if slices.Contains([]string{"llm.url", "embedder.url", "speech.url"}, key) && !isBase(p) {
			return key, noBase
		}
	}
	return "", ""
}

// enabled reports whether a speech model is set.
func (s Speech) enabled() bool { return s.Transcription != "" || s.Model != "" }

// wrong returns the key of the first limit that is not positive, or "".
func (s Sockets) wrong() string {
	switch {
	case s.FrameBytes < 1:
		return "sockets.frame-size"
	case s.MessageBytes < 1:
		return "sockets.message-size"
	case s.OutboxBytes < 1:
		return "sockets.outbox-size"
	case !(s.Rate > 0): // nor NaN
		return "sockets.rate"
	case s.Burst < 1:
		return "sockets.burst"
	case !(s.UserRate > 0):
		return "sockets.user-rate"
	case s.UserBurst < 1:
		return "sockets.user-burst"
	case s.MaxConnections < 1:
		return "sockets.connections"
	case s.UserConnections < 1:
		return "sockets.user-connections"
	case s.MailboxSize < 1:
		return "sockets.mailbox-size"
	case s.PingInterval <= 0:
		return "sockets.ping-interval"
	case s.Silence <= 0:
		return "sockets.silence"
	}
	return ""
}

// redactURL hides the password of a URL and the values of its query, which can be
// passwords too.
func redactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "(hidden)"
	}
	if query := u.Query(); len(query) > 0 {
		for key := range query {
			if key != "sslmode" && key != "host" && key != "port" {
				query.Set(key, "xxxxx")
			}
		}
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}
