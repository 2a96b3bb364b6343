// Package typed implements the Agent WebSocket dialect: messages with a type,
// such as query, command, and response. Its talks are handlers of a WebSocket
// server.
package typed

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/payload"
	"docent/ws/dialect"
)

// Path is the path of the dialect.
const Path = "/agent_websocket"

// Name is the name of the dialect in metrics.
const Name = "agent_websocket"

// sessionTimeout is the default of Config.SessionTimeout.
const sessionTimeout = 30 * time.Minute

// thinking is the status of an accepted query.
const thinking = "Thinking..."

// Config configures an Endpoint.
type Config struct {
	// SessionTimeout is the time after which an idle client is closed. A client is
	// idle if it neither sends a message nor receives an answer. Default: 30m.
	SessionTimeout time.Duration
}

// Endpoint holds the clients of the dialect. It is safe for concurrent use.
type Endpoint struct {
	timeout time.Duration

	mu      sync.Mutex         // guards clients
	clients map[string][]*Talk // by the session's id
}

// New returns an Endpoint without clients.
func New(cfg Config) *Endpoint {
	return &Endpoint{timeout: cmp.Or(cfg.SessionTimeout, sessionTimeout), clients: map[string][]*Talk{}}
}

// Connection is the connection of one client. *ws.Connection implements it.
type Connection interface {
	// Session returns the client's view of its session, or nil before the session
	// is open.
	Session() *session.Subscription
	// Send queues a message. It never blocks.
	Send(data []byte)
	// Allow counts a message of the client. It returns fault.RateLimited if the
	// message exceeds a rate limit.
	Allow() error
	// Wait waits until the rate limits allow another message.
	Wait(ctx context.Context) error
	// Verify reports whether the client may still be connected, and closes the
	// connection otherwise.
	Verify(ctx context.Context) bool
	// CheckSize returns an error if a message is too long. text reports whether it
	// is a text.
	CheckSize(message json.RawMessage, text bool) error
	// Refuse counts and logs a refusal and passes it to Talk.Refuse.
	Refuse(err error, id string)
	// CloseGone closes the connection to a session that was deleted.
	CloseGone()
	// CloseIdle closes the connection of an idle client.
	CloseIdle()
	// Logger returns the server's logger.
	Logger() *slog.Logger
}

// Begin returns the talk with a new client.
func (e *Endpoint) Begin(c Connection) *Talk { return &Talk{c: c, endpoint: e} }

// NotWebSocket answers plain HTTP requests.
func NotWebSocket(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "Expected WebSocket request", http.StatusBadRequest)
}

// Notify sends a notification to the clients in a session and returns the number
// of these clients. It fails with fault.NotFound if no client of the session is
// connected to this process.
func (e *Endpoint) Notify(session, message string) (int, error) {
	e.mu.Lock()
	clients := slices.Clone(e.clients[session])
	e.mu.Unlock()
	if len(clients) == 0 {
		return 0, fault.New(fault.NotFound, "no_client_connected_at", "no client of this session is connected at %s", Path)
	}
	m := payload.NewTyped(payload.TypedNotification, message, time.Now())
	for _, t := range clients {
		t.send(m)
	}
	return len(clients), nil
}

// add adds a client in a session.
func (e *Endpoint) add(t *Talk, session string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clients[session] = append(e.clients[session], t)
}

// remove removes a client from a session.
func (e *Endpoint) remove(t *Talk, session string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := slices.DeleteFunc(e.clients[session], func(other *Talk) bool { return other == t })
	if len(left) == 0 {
		delete(e.clients, session)
	} else {
		e.clients[session] = left
	}
}

// Talk speaks the dialect with one client. It is a ws.Handler.
type Talk struct {
	c        Connection
	endpoint *Endpoint

	mu    sync.Mutex  // guards the fields below
	id    string      // id of the session; "" before it is open
	idle  *time.Timer // closes the connection; nil before the session is open
	ended bool
}

// Opened implements session.Listener. The welcome contains the session's id.
func (t *Talk) Opened(o session.Opened) {
	t.open(o.SessionID)
	m := payload.NewTyped(payload.TypedNotification, "Connected to Agent WebSocket. Session ID: "+o.SessionID, time.Now())
	m.Kind, m.Data = "welcome", payload.TypedWelcome{SessionID: o.SessionID, Resumed: o.Resumed}
	t.send(m)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.idle = time.AfterFunc(t.endpoint.timeout, t.timeOut)
	}
}

// open records the id of the client's session.
func (t *Talk) open(id string) {
	t.mu.Lock()
	t.id = id
	t.mu.Unlock()
	t.endpoint.add(t, id)
}

// sessionID returns the id of the session, or "" before it is open.
func (t *Talk) sessionID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// Deliver implements session.Listener. It sends replies, steps, and errors, and
// announces accepted queries.
func (t *Talk) Deliver(d session.Delivery) {
	if m, ok := delivered(d); ok {
		t.active()
		t.send(m)
	}
}

// Decode implements ws.Handler.
func (t *Talk) Decode(m dialect.Message) func(ctx context.Context) {
	var request payload.TypedRequest
	refusal := m.Refusal
	if refusal == nil {
		if request, refusal = payload.DecodeTyped(m.Data); refusal != nil {
			_, refusal = dialect.Undecoded(m.Data, refusal)
		}
	}
	return func(ctx context.Context) {
		t.active()
		t.handle(ctx, request, refusal)
	}
}

// MayBeFile implements ws.Handler. The dialect has no files.
func (t *Talk) MayBeFile([]byte) bool { return false }

// Refuse implements ws.Handler.
func (t *Talk) Refuse(err error, _ string) (told bool) {
	kind := fault.KindOf(err)
	m := payload.NewTyped(payload.TypedError, fault.Message(err), time.Now())
	m.Data = payload.TypedFault{Code: string(kind), Sentence: fault.TextOf(err).Sentence, Retryable: kind.Retryable()}
	t.send(m)
	return true
}

// End implements ws.Handler.
func (t *Talk) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.idle != nil {
		t.idle.Stop()
	}
	t.endpoint.remove(t, t.id)
}

// handle acts on a message or refuses it. Queries that arrive too fast are
// refused, so that commands after them are read. Other messages wait.
func (t *Talk) handle(ctx context.Context, m payload.TypedRequest, refusal error) {
	if tooFast := t.c.Allow(); tooFast != nil {
		if m.Type == payload.TypedQuery {
			refusal = tooFast
		} else if t.c.Wait(ctx) != nil {
			return
		}
	}
	if refusal == nil {
		if !t.c.Verify(ctx) {
			return
		}
		refusal = t.act(ctx, m)
	}
	if refusal == nil || ctx.Err() != nil {
		return
	}
	kind := fault.KindOf(refusal)
	if kind == fault.Internal || kind == fault.Unavailable {
		t.c.Logger().ErrorContext(ctx, "message failed", "session", t.sessionID(), "type", m.Type, errlog.Attr(refusal))
	}
	t.c.Refuse(refusal, "")
	if kind == fault.NotFound {
		t.c.CloseGone()
	}
}

// act acts on a message.
func (t *Talk) act(ctx context.Context, m payload.TypedRequest) error {
	if err := t.c.CheckSize(m.Content, true); err != nil {
		return err
	}
	switch m.Type {
	case payload.TypedCommand:
		return t.command(ctx, m.Command())
	case payload.TypedHumanFeedback:
		return t.feedback(ctx, m)
	default:
		// A full queue refuses a query at once. If the query waited, later commands would wait too.
		return t.c.Session().Send(ctx, session.Message{Content: m.Content, Human: true})
	}
}

// feedbackData is the data of the notification that feedback is stored.
type feedbackData struct {
	Turn   int64 `json:"turn"`
	Rating *int  `json:"rating"`
}

// feedback stores the user's feedback on the last answer.
func (t *Talk) feedback(ctx context.Context, m payload.TypedRequest) error {
	f, err := m.Feedback()
	if err != nil {
		return err
	}
	turn, err := t.c.Session().Feedback(ctx, journal.Feedback{Rating: f.Rating, Comment: f.Comment})
	if err != nil {
		return err
	}
	stored := payload.NewTyped(payload.TypedNotification, "Your feedback is stored.", time.Now())
	stored.Kind, stored.Data = "feedback", feedbackData{turn, f.Rating}
	t.send(stored)
	return nil
}

// send queues a message. It never blocks.
func (t *Talk) send(m payload.Typed) {
	data, err := payload.Marshal(m)
	if err != nil { // the structs of package payload always encode
		t.c.Logger().Error("encode", "type", m.Type, "error", err)
		return
	}
	t.c.Send(data)
}

// active restarts the client's idle time.
func (t *Talk) active() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.idle != nil && !t.ended {
		t.idle.Reset(t.endpoint.timeout)
	}
}

// timeOut closes an idle connection. A client that waits for an answer is not
// idle.
func (t *Talk) timeOut() {
	if s := t.c.Session(); s == nil || s.Progress().Running != 0 {
		t.active()
		return
	}
	m := payload.NewTyped(payload.TypedNotification, "Session closed due to inactivity", time.Now())
	m.Kind = "timeout"
	t.send(m)
	t.c.CloseIdle()
}
