package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"time"
)

// accessSettings are the settings of proxies and OpenID Connect.
func accessSettings() []Setting {
	return []Setting{
		with(Setting{
			Storage: AfterRestart,
			Key:     "public-links", Flag: "public-links", Env: []string{"DOCENT_PUBLIC_LINKS"}, Scope: Serving, Bool: true,
			Help: "allow shared links that are readable without a sign-in, for at most 90 days", Default: "false",
		})(flag(func(c *Config) *bool { return &c.PublicLinks })),
		with(Setting{
			Storage: AfterRestart,
			Key:     "own-instructions", Flag: "own-instructions", Env: []string{"DOCENT_OWN_INSTRUCTIONS"}, Scope: Serving, Bool: true,
			Help: "let users give chat models their own instructions for the form of answers", Default: "true",
		})(flag(func(c *Config) *bool { return &c.OwnInstructions })),
		with(Setting{
			Key: "trusted-proxies", Flag: "trusted-proxies", Env: []string{"DOCENT_TRUSTED_PROXIES"}, Scope: Serving,
			Help: "addresses or networks (CIDR) of trusted reverse proxies, which append the client address to X-Forwarded-For; comma-separated",
		})(networks(func(c *Config) *[]netip.Prefix { return &c.TrustedProxies })),
		with(Setting{
			Key: "base-path", Flag: "base-path", Env: []string{"DOCENT_BASE_PATH"}, Scope: Serving,
			Help: "path below which a reverse proxy serves docent, such as /docent; docent answers with and without it",
		})(func(c *Config, s string) error {
			s = strings.TrimSuffix(s, "/")
			if s != "" && (!strings.HasPrefix(s, "/") || path.Clean(s) != s || s != (&url.URL{Path: s}).EscapedPath()) {
				return fmt.Errorf("%.64q is not a path such as /docent", s)
			}
			c.BasePath = s
			return nil
		}, func(c Config) string { return c.BasePath }),
		with(Setting{
			Key: "oidc.issuer", Flag: "oidc-issuer", Env: []string{"DOCENT_OIDC_ISSUER"}, Scope: Serving,
			Help: "URL of an OpenID Connect issuer whose tokens (JWT) are accepted",
		})(text(func(c *Config) *string { return &c.OIDC.Issuer })),
		with(Setting{
			Key: "oidc.audience", Flag: "oidc-audience", Env: []string{"DOCENT_OIDC_AUDIENCE"}, Scope: Serving,
			Help: "required audience of tokens from the OpenID Connect issuer",
		})(text(func(c *Config) *string { return &c.OIDC.Audience })),
		with(Setting{
			Key: "oidc.scopes", Flag: "oidc-scopes", Env: []string{"DOCENT_OIDC_SCOPES"}, Scope: Serving,
			Help: "scopes of users with a token from the OpenID Connect issuer: ask, ingest, admin", Default: "ask",
		})(text(func(c *Config) *string { return &c.OIDC.Scopes })),
		with(Setting{
			Key: "oidc.groups-claim", Flag: "oidc-groups-claim", Env: []string{"DOCENT_OIDC_GROUPS_CLAIM"}, Scope: Serving,
			Help: "claim that lists the groups of a user, in tokens from the OpenID Connect issuer", Default: "groups",
		})(text(func(c *Config) *string { return &c.OIDC.GroupsClaim })),
	}
}

// networks is a list of networks. An address counts as the network with this
// address alone.
func networks(p func(*Config) *[]netip.Prefix) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			var out []netip.Prefix
			for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
				prefix, err := netip.ParsePrefix(word)
				if addr, failed := netip.ParseAddr(word); failed == nil {
					addr = addr.Unmap().WithZone("")
					prefix, err = addr.Prefix(addr.BitLen())
				}
				if err != nil {
					return fmt.Errorf("%.64q is neither an address nor a network such as 10.0.0.0/8", word)
				}
				out = append(out, prefix)
			}
			*p(c) = out
			return nil
		}, func(c Config) string {
			texts := make([]string, len(*p(&c)))
			for i, prefix := range *p(&c) {
				texts[i] = prefix.String()
			}
			return strings.Join(texts, ",")
		}
}

// socketSettings are the limits of WebSocket connections.
func socketSettings() []Setting {
	return []Setting{
		with(Setting{
			Key: "sockets.frame-size", Flag: "frame-size", Env: []string{"DOCENT_FRAME_SIZE"}, Scope: Serving,
			Help: "maximum size of a WebSocket frame, and so of a file sent in a conversation", Default: "32MiB",
		})(size(func(c *Config) *int64 { return &c.Sockets.FrameBytes })),
		with(Setting{
			Key: "sockets.message-size", Flag: "message-size", Env: []string{"DOCENT_MESSAGE_SIZE"}, Scope: Serving,
			Help: "maximum size of a WebSocket message without a file", Default: "256KiB",
		})(size(func(c *Config) *int64 { return &c.Sockets.MessageBytes })),
		with(Setting{
			Key: "sockets.outbox-size", Flag: "outbox-size", Env: []string{"DOCENT_OUTBOX_SIZE"}, Scope: Serving,
			Help: "maximum size of the frames that wait for a slow WebSocket client", Default: "1MiB",
		})(size(func(c *Config) *int64 { return &c.Sockets.OutboxBytes })),
		with(Setting{
			Key: "sockets.rate", Flag: "rate", Env: []string{"DOCENT_RATE"}, Scope: Serving,
			Help: "frames per second of one WebSocket connection", Default: "20",
		})(decimal(func(c *Config) *float64 { return &c.Sockets.Rate })),
		with(Setting{
			Key: "sockets.burst", Flag: "burst", Env: []string{"DOCENT_BURST"}, Scope: Serving,
			Help: "frames one WebSocket connection may send at once", Default: "60",
		})(number(func(c *Config) *int { return &c.Sockets.Burst })),
		with(Setting{
			Key: "sockets.user-rate", Flag: "user-rate", Env: []string{"DOCENT_USER_RATE"}, Scope: Serving,
			Help: "frames per second of all connections of one user (with --auth)", Default: "100",
		})(decimal(func(c *Config) *float64 { return &c.Sockets.UserRate })),
		with(Setting{
			Key: "sockets.user-burst", Flag: "user-burst", Env: []string{"DOCENT_USER_BURST"}, Scope: Serving,
			Help: "frames all connections of one user may send at once (with --auth)", Default: "300",
		})(number(func(c *Config) *int { return &c.Sockets.UserBurst })),
		with(Setting{
			Key: "sockets.connections", Flag: "connections", Env: []string{"DOCENT_CONNECTIONS"}, Scope: Serving,
			Help: "maximum number of WebSocket connections", Default: "10000",
		})(number(func(c *Config) *int { return &c.Sockets.MaxConnections })),
		with(Setting{
			Key: "sockets.user-connections", Flag: "user-connections", Env: []string{"DOCENT_USER_CONNECTIONS"}, Scope: Serving,
			Help: "maximum number of WebSocket connections of one user (with --auth)", Default: "100",
		})(number(func(c *Config) *int { return &c.Sockets.UserConnections })),
		with(Setting{
			Key: "sockets.mailbox-size", Flag: "mailbox-size", Env: []string{"DOCENT_MAILBOX_SIZE"}, Scope: Serving,
			Help: "size of the queue of a session: the maximum number of waiting messages", Default: "64",
		})(number(func(c *Config) *int { return &c.Sockets.MailboxSize })),
		with(Setting{
			Key: "sockets.ping-interval", Flag: "ping-interval", Env: []string{"DOCENT_PING_INTERVAL"}, Scope: Serving,
			Help: "interval between WebSocket pings", Default: "25s",
		})(duration(func(c *Config) *time.Duration { return &c.Sockets.PingInterval })),
		with(Setting{
			Key: "sockets.silence", Flag: "silence", Env: []string{"DOCENT_SILENCE"}, Scope: Serving,
			Help: "time without any frame or pong after which a client is disconnected", Default: "1m0s",
		})(duration(func(c *Config) *time.Duration { return &c.Sockets.Silence })),
	}
}

// speechSettings are the settings of the speech server.
func speechSettings() []Setting {
	return []Setting{
		with(Setting{
			Key: "speech.transcription-model", Flag: "transcription-model", Env: []string{"DOCENT_TRANSCRIPTION_MODEL"}, Scope: Serving,
			Help: "model that transcribes recordings, such as whisper-1; without one, recordings are declined",
		})(text(func(c *Config) *string { return &c.Speech.Transcription })),
		with(Setting{
			Key: "speech.model", Flag: "speech-model", Env: []string{"DOCENT_SPEECH_MODEL"}, Scope: Serving,
			Help: "model that reads replies aloud, such as tts-1; without one, they are sent as text",
		})(text(func(c *Config) *string { return &c.Speech.Model })),
		with(Setting{
			Key: "speech.voice", Flag: "speech-voice", Env: []string{"DOCENT_SPEECH_VOICE"}, Scope: Serving,
			Help: "voice of the speech model", Default: "alloy",
		})(text(func(c *Config) *string { return &c.Speech.Voice })),
		with(Setting{
			Key: "speech.url", Flag: "speech-url", Env: []string{"DOCENT_SPEECH_URL", "OPENAI_BASE_URL"}, Scope: Serving,
			Help: "base URL of an OpenAI-compatible speech server",
		})(text(func(c *Config) *string { return &c.Speech.URL })),
		with(Setting{
			Key: "speech.key", Flag: "speech-key", Env: []string{"DOCENT_SPEECH_KEY", "OPENAI_API_KEY"}, Scope: Serving, Secret: true,
			Help: "API key of the speech server; OPENAI_API_KEY is sent only to OpenAI and to OPENAI_BASE_URL",
		})(text(func(c *Config) *string { return &c.Speech.Key })),
	}
}
