package ws

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
)

// Runtime runs the sessions of one or several agents.
type Runtime interface {
	// Open joins a session; see session.Agents.
	Open(ctx context.Context, req session.OpenRequest, listener session.Listener) (*session.Subscription, error)
	// Shutdown ends the runtime; see session.Runtime.
	Shutdown(ctx context.Context) error
}

// Config configures a Server.
type Config struct {
	// Runtime runs the sessions: a session.Runtime, or session.Agents. Required.
	Runtime Runtime
	// Dialects are additional dialects by path. All other paths serve BAF and
	// docent.v1. Default: nil, none.
	Dialects map[string]Dialect
	// Info returns the part of a welcome that is the same for all sessions.
	// Default: nil, no models or collections.
	Info func(ctx context.Context) Info
	// CheckOrigin decides whether a page may connect. Default: nil, which allows
	// requests without an origin and those from the same host.
	CheckOrigin func(r *http.Request) bool
	// Authenticate returns the principal whose token a hello contains. If it is
	// set, the server serves only authenticated clients. They authenticate with
	// this function or with the request's context, see auth.NewContext. Default:
	// nil, every client is auth.Anyone.
	Authenticate func(ctx context.Context, token string) (auth.Principal, error)
	// Valid fails with fault.Unauthorized if a connected principal may no longer
	// connect. The server calls it regularly, and closes the connection after this
	// error. Default: nil, connections are not checked again.
	Valid func(ctx context.Context, who auth.Principal) error
	// ResumeByUser applies to BAF clients that send the header X-User-ID and no
	// session. The server then resumes the latest session of the user. Default:
	// false.
	ResumeByUser bool
	// Transcriber transcribes recordings. Default: nil, recordings are declined.
	Transcriber Transcriber
	// Logger logs refusals and failures, with ids and without content. Default:
	// nil, which discards.
	Logger *slog.Logger
	// MaxConnections bounds the number of connections. With Authenticate, only
	// connections of authenticated clients count. Default: 10,000.
	MaxConnections int
	// UserConnections bounds the connections of one principal, with
	// Authenticate. Default: 100.
	UserConnections int
	// FrameBytes bounds a message on the wire. The server closes the connection
	// after a larger one. Default: 32 MiB.
	FrameBytes int64
	// MessageBytes bounds the message field of a frame. The server refuses larger
	// ones. agent.MaxTextBytes also bounds the texts of users. Default: 256 KiB.
	MessageBytes int
	// FileBytes bounds the message field of a frame with a file or a recording, in
	// base64. The server refuses larger ones. FrameBytes also bounds it. Default:
	// 32 MiB.
	FileBytes int
	// OutboxBytes bounds the queue of messages to one client, without messages over
	// 64 KiB. Default: 1 MiB.
	OutboxBytes int
	// Rate is the number of messages that a client may send per second. Default:
	// 20.
	Rate float64
	// Burst is the number of messages that a client may send at once. Default:
	// 60.
	Burst int
	// UserRate is the number of messages that all connections of one principal
	// may send per second, with Authenticate. Default: 100.
	UserRate float64
	// UserBurst is the number of messages that all connections of one principal may
	// send at once. Default: 300.
	UserBurst int
	// PingEvery is the time between pings. Default: 25s.
	PingEvery time.Duration
	// Silence is the time after which a client that sends nothing is closed.
	// Default: 60s.
	Silence time.Duration
	// Metrics receives the server's metrics. Default: nil, a private set.
	Metrics *metrics.Set

	fixed fixedLimits // tests set other values
}

// fixedLimits are the bounds of a Server that only tests change.
type fixedLimits struct {
	// UploadBytes bounds the total memory of messages over 64 KiB that are being
	// received and stored. Further messages are refused with fault.Busy.
	UploadBytes int64
	// UserUploadBytes bounds the part of UploadBytes that one principal may use.
	// Without Authenticate it applies to one address. It is at least two messages of
	// FileBytes.
	UserUploadBytes int64
	// LongOutboxBytes bounds the queued messages over 64 KiB.
	LongOutboxBytes int
	// WriteTimeout bounds the writing of one message. A message over 256 KiB gets
	// the timeout for each 256 KiB.
	WriteTimeout time.Duration
	// HelloTimeout is the time within which a docent.v1 client must say hello.
	HelloTimeout time.Duration
}

// stallAfter is the time after which an incomplete message without new data closes the
// connection. Pings and pongs do not count as data.
const stallAfter = 30 * time.Second

// Info is the part of a welcome that is the same for all sessions.
type Info struct {
	// Models are the chat models.
	Models []string
	// Collections are the document collections.
	Collections []string
	// Speaks reports whether the agent can read a text aloud.
	Speaks bool
}

// uploadShare is the part of UploadBytes that one client may use.
const uploadShare = 4

func (c *Config) defaults() error {
	if min(c.MaxConnections, c.UserConnections, c.MessageBytes, c.FileBytes, c.OutboxBytes, c.Burst, c.UserBurst) < 0 ||
		c.FrameBytes < 0 || min(c.Rate, c.UserRate) < 0 || min(c.PingEvery, c.Silence) < 0 {
		return fault.New(fault.Invalid, "config_ws_negative", "ws.Config: limits and times must not be negative")
	}
	if c.Info == nil {
		c.Info = func(context.Context) Info { return Info{} }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = metrics.NewSet()
	}
	c.MaxConnections = cmp.Or(c.MaxConnections, 10_000)
	c.UserConnections = cmp.Or(c.UserConnections, 100)
	c.FrameBytes = cmp.Or(c.FrameBytes, 32<<20)
	c.MessageBytes = cmp.Or(c.MessageBytes, 256<<10)
	c.FileBytes = cmp.Or(c.FileBytes, 32<<20)
	c.OutboxBytes = cmp.Or(c.OutboxBytes, 1<<20)
	c.Rate = cmp.Or(c.Rate, 20)
	c.Burst = cmp.Or(c.Burst, 60)
	c.UserRate = cmp.Or(c.UserRate, 100)
	c.UserBurst = cmp.Or(c.UserBurst, 300)
	c.PingEvery = cmp.Or(c.PingEvery, 25*time.Second)
	c.Silence = cmp.Or(c.Silence, 60*time.Second)
	l := &c.fixed
	l.UploadBytes = cmp.Or(l.UploadBytes, 256<<20)
	l.UserUploadBytes = cmp.Or(l.UserUploadBytes, max(l.UploadBytes/uploadShare, 2*int64(c.FileBytes+envelope+1)))
	l.LongOutboxBytes = cmp.Or(l.LongOutboxBytes, 64<<20)
	l.WriteTimeout = cmp.Or(l.WriteTimeout, 10*time.Second)
	l.HelloTimeout = cmp.Or(l.HelloTimeout, 10*time.Second)
	return nil
}
