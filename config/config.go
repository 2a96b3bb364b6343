// Package config turns flags, the environment and a file into one validated
// struct. Every setting is a row of one table, so that --help, the environment,
// the file, --print-config and the documentation cannot disagree.
package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"docent/internal/fault"
)

// Config is everything a user can set. The comment of each field ends with its
// default.
type Config struct {
	// Data is the folder for the database and what is derived from it; default
	// ~/.local/share/docent.
	Data string
	// DatabaseURL is a Postgres URL; default none: SQLite in Data.
	DatabaseURL string
	// Addr is the address serve listens on; default 127.0.0.1:8765.
	Addr string
	// Insecure allows an address that others can reach without authentication;
	// default false.
	Insecure bool
	// Auth says that everybody has to say who they are; default false.
	Auth bool
	// OIDC verifies tokens of an OpenID Connect issuer; default none.
	OIDC OIDC
	// TrustedProxies are the addresses of proxies that are believed where they
	// have a request from; default none.
	TrustedProxies []netip.Prefix
	// Sockets bounds WebSocket connections.
	Sockets Sockets
	// Origins are web origins allowed beside our own; default none.
	Origins []string
	// Hosts are names the server may be called by beside loopback ones and the
	// listening address; default none.
	Hosts []string
	// NoUI says that neither the page nor the widget is served; default false.
	NoUI bool
	// Agent is the assistant's name in the database and the page, that of
	// AgentFile if there is one; default docent.
	Agent string
	// AgentFile is the YAML file of the agent that is served; default none: the
	// built-in assistant.
	AgentFile string
	// K is how many passages an answer is made from; default 4.
	K int
	// History is how many earlier messages a session's answer may use; default 4.
	History int
	// SessionTimeout is how long a client of Agent WebSocket may be idle, at
	// least a second; default 30m.
	SessionTimeout time.Duration
	// ResumeByUser says that a BAF client which names its user by the header
	// X-User-ID, and no session, gets that user's latest one; default false.
	ResumeByUser bool
	// CheckInterval is how often conditions of an agent's states are looked at
	// that nothing else makes worth looking at; default 1s.
	CheckInterval time.Duration
	// MaxFileSize bounds one source, in bytes; default 64 MiB.
	MaxFileSize int64
	// OCRLanguages are those that tesseract expects in pictures, such as eng+deu;
	// default the installed ones.
	OCRLanguages string
	// VisionModel is a chat model that reads pictures in place of tesseract, on the
	// server of LLM; default none.
	VisionModel string
	// Sources are what sources that stay in sync may do.
	Sources Sourcing
	// LogLevel is debug, info, warn or error; default info.
	LogLevel string
	// LogFormat is text or json; default text.
	LogFormat string
	// LLM is the model that writes answers; default none: answers are quotes.
	LLM LLM
	// Embedder makes vectors; default the built-in model.
	Embedder Embedder
	// Speech turns recordings into text and text into recordings; default none.
	Speech Speech
}

// Sourcing says what sources that stay in sync may do.
type Sourcing struct {
	// Private lets sources reach private and loopback addresses; default false.
	Private bool
	// SecretKey encrypts the passwords and tokens of sources, 32 bytes in hex or
	// base64; default a key in the file secret.key in Data, made on first use.
	SecretKey string
}

// OIDC says whose tokens are taken beside docent's own. Without Issuer none are.
type OIDC struct {
	// Issuer is its URL, below which its configuration is found; default none.
	Issuer string
	// Audience has to be among those a token is for; default none.
	Audience string
	// Scopes are what who has such a token may do; default ask.
	Scopes string
}

// Sockets bounds WebSocket connections.
type Sockets struct {
	// FrameBytes bounds a frame; default 32 MiB.
	FrameBytes int64
	// MessageBytes bounds the message of a frame that holds no file; default
	// 256 KiB.
	MessageBytes int64
	// OutboxBytes bounds what waits to be sent to one client, but for long
	// frames; default 1 MiB.
	OutboxBytes int64
	// Rate is how many frames a connection may send a second; default 20.
	Rate float64
	// Burst is how many it may send at once; default 60.
	Burst int
	// UserRate is how many frames the connections of one user may send a second
	// together; default 100.
	UserRate float64
	// UserBurst is how many they may send at once; default 300.
	UserBurst int
	// MaxConnections bounds the connections; default 10,000.
	MaxConnections int
	// UserConnections bounds those of one user, where authentication is on;
	// default 100.
	UserConnections int
	// MailboxSize bounds the messages of one session that wait; default 64.
	MailboxSize int
	// PingInterval is the time between pings; default 25s.
	PingInterval time.Duration
	// Silence is how long nothing may be heard of a client; default 60s.
	Silence time.Duration
}

// Speech says which server listens and speaks. Without Transcription nobody
// listens, without Model nobody speaks.
type Speech struct {
	// URL is the base URL of an OpenAI-compatible server; default OpenAI's.
	URL string
	// Key is the API key; default none. OPENAI_API_KEY goes to OpenAI and to
	// OPENAI_BASE_URL only.
	Key string
	// Transcription is the model that turns recordings into text; default none.
	Transcription string
	// Model is the model that turns text into recordings; default none.
	Model string
	// Voice is its voice; default alloy.
	Voice string
}

// LLM says which chat model to use. Without Model there is none.
type LLM struct {
	// URL is the base URL of an OpenAI-compatible server; default OpenAI's.
	URL string
	// Key is the API key; default none.
	Key string
	// Model is the model's name; default none.
	Model string
	// Temperature is sent if not negative; default -1.
	Temperature float64
	// MaxTokens bounds an answer; default 1500.
	MaxTokens int
	// Timeout bounds one call; default 2m.
	Timeout time.Duration
}

// Enabled reports whether a model is configured.
func (l LLM) Enabled() bool { return l.Model != "" }

// Embedder says which embedding model to use. Without Model it is the built-in
// one.
type Embedder struct {
	// URL is the base URL of an OpenAI-compatible server; default OpenAI's.
	URL string
	// Key is the API key; default none.
	Key string
	// Model is the model's name; default none.
	Model string
	// Dimensions asks the server for shorter vectors; default 0: the model's own.
	Dimensions int
}

// Remote reports whether vectors come from a server.
func (e Embedder) Remote() bool { return e.Model != "" }

// SQLitePath is the embedded database's file.
func (c Config) SQLitePath() string { return filepath.Join(c.Data, "docent.db") }

// CacheDir is the folder for what can be derived again.
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

// validate names the first setting that cannot be used.
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
		return wrong("addr", "%s can be reached by others (host %q) and authentication is off: use 127.0.0.1, or turn it on with --auth, or say --insecure if something in front of it decides who may use it", c.Addr, host)
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
	case c.LLM.MaxTokens < 1:
		return wrong("llm.max-tokens", "has to be at least 1")
	case c.LLM.Enabled() && c.LLM.URL == "" && c.LLM.Key == "":
		return wrong("llm.model", "%s needs OPENAI_API_KEY (or --llm-key), or --llm-url for a server of your own", c.LLM.Model)
	case !c.LLM.Enabled() && c.LLM.URL != "":
		return wrong("llm.url", "is set but no model is: add --model NAME")
	case c.Embedder.Remote() && c.Embedder.URL == "" && c.Embedder.Key == "":
		return wrong("embedder.model", "%s needs OPENAI_API_KEY (or --embedder-key), or --embedder-url for a server of your own", c.Embedder.Model)
	case c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://"):
		return wrong("database-url", "has to begin with postgres:// (leave it unset for the built-in SQLite)")
	}
	for key, u := range map[string]string{
		"llm.url": c.LLM.URL, "embedder.url": c.Embedder.URL, "speech.url": c.Speech.URL, "oidc.issuer": c.OIDC.Issuer,
	} {
		if u == "" {
			continue
		}
		if p, err := url.Parse(u); err != nil || (p.Scheme != "http" && p.Scheme != "https") || p.Host == "" {
			return wrong(key, "%q is not an http(s) URL", u)
		}
	}
	return c.fits()
}

// enabled reports whether anybody listens or speaks.
func (s Speech) enabled() bool { return s.Transcription != "" || s.Model != "" }

// wrong is the key of the first bound that is none; "" if all are.
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

// redactURL hides a URL's passwords, and the values of its query, which may be
// some as well.
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
