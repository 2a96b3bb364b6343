package agent

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"docent/internal/fault"
)

// MaxNameBytes bounds the ids and names given at a handshake.
const MaxNameBytes = 255

// RuntimeConfig makes a Runtime.
type RuntimeConfig struct {
	// Agent is run; it must be valid. Required.
	Agent *Agent
	// Store keeps the conversations. Required.
	Store Store
	// RAG answers for RunRAG. Default: nil, RunRAG then fails.
	RAG RAG
	// Logger hears of failures, with session ids and no content. Default: nil,
	// which discards.
	Logger *slog.Logger
	// Now tells the time. Default: time.Now.
	Now func() time.Time
	// NewID makes the id of a session that comes without one. It must not be
	// guessable. Default: a random UUID.
	NewID func() string
	// MailboxSize bounds the messages of one session that wait for their turn,
	// the running one included. Default: 64.
	MailboxSize int
	// MaxSessions bounds the sessions in memory: those with clients or work.
	// Default: 20,000.
	MaxSessions int
	// History is how many messages before a user's one are read along with
	// storing it; a body that asks for more costs another trip. Default: 4.
	History int
	// ReplayLimit bounds the messages Subscription.History returns, the newest
	// being kept. Default: 1,000.
	ReplayLimit int
	// TurnTimeout bounds a body. Default: 5m.
	TurnTimeout time.Duration
	// StoreTimeout bounds one trip to the store. Default: 10s.
	StoreTimeout time.Duration
}

func (c *RuntimeConfig) defaults() error {
	if c.Agent == nil || c.Store == nil {
		return fault.New(fault.Invalid, "RuntimeConfig.Agent and RuntimeConfig.Store are required")
	}
	if c.MailboxSize < 0 || c.MaxSessions < 0 || c.History < 0 || c.ReplayLimit < 0 || c.TurnTimeout < 0 || c.StoreTimeout < 0 {
		return fault.New(fault.Invalid, "RuntimeConfig: sizes and times must not be negative")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	orInt := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	orInt(&c.MailboxSize, 64)
	orInt(&c.MaxSessions, 20_000)
	orInt(&c.History, 4)
	orInt(&c.ReplayLimit, 1000)
	if c.TurnTimeout == 0 {
		c.TurnTimeout = 5 * time.Minute
	}
	if c.StoreTimeout == 0 {
		c.StoreTimeout = 10 * time.Second
	}
	return c.Agent.Validate()
}

// Runtime runs the sessions of an agent. Each has one goroutine, and only
// while there is work; sessions without work and clients are only in the
// store. It is safe for concurrent use.
type Runtime struct {
	cfg RuntimeConfig

	// closing is closed when Shutdown begins.
	closing chan struct{}
	// running waits for the sessions' goroutines.
	running sync.WaitGroup

	mu       sync.Mutex // guards what follows
	closed   bool
	sessions map[SessionKey]*conversation
}

// NewRuntime returns a runtime without sessions.
func NewRuntime(cfg RuntimeConfig) (*Runtime, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	return &Runtime{cfg: cfg, closing: make(chan struct{}), sessions: map[SessionKey]*conversation{}}, nil
}

var errClosing = fault.New(fault.Unavailable, "docent is shutting down; try again in a moment")

// begin reports whether a goroutine may be started; whoever got true calls
// running.Done when it ends.
func (r *Runtime) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.running.Add(1)
	return true
}

// join puts a client into the session of that key, which it begins to load if
// it is not in memory; false if the session was just being dropped from it.
func (r *Runtime) join(ctx context.Context, key SessionKey, req OpenRequest, s *Subscription) (bool, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return false, errClosing
	}
	if c := r.sessions[key]; c != nil {
		r.mu.Unlock()
		s.c = c
		return s.join(), nil
	}
	if len(r.sessions) >= r.cfg.MaxSessions {
		r.mu.Unlock()
		return false, fault.New(fault.Busy, "docent has as many conversations as it can hold; try again in a moment")
	}
	c := newConversation(r, key, req)
	s.c = c
	c.listeners = []*Subscription{s} // before it starts, or nobody might hear the greeting
	r.sessions[key] = c
	r.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startLocked(ctx)
	return true, nil
}

// forget drops a conversation from memory.
func (r *Runtime) forget(c *conversation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions[c.key] == c {
		delete(r.sessions, c.key)
	}
}

// Sessions counts the sessions in memory.
func (r *Runtime) Sessions() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sessions)
}

// interruptGrace is how long interrupted bodies may take to return.
const interruptGrace = 2 * time.Second

// errInterrupted is why a body's context ended when it took longer than
// Shutdown may.
var errInterrupted = fault.New(fault.Canceled, "docent is shutting down")

// Shutdown takes no more messages and waits for the running turns. Turns that
// wait are left to the store and run when their session is opened next, as are
// running ones that are interrupted because ctx ends first. It may be called
// more than once.
func (r *Runtime) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.closing)
	}
	r.mu.Unlock()
	done := make(chan struct{})
	go func() { // ends with the last session's goroutine
		r.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	interrupted := make([]*conversation, 0, len(r.sessions))
	for _, c := range r.sessions {
		interrupted = append(interrupted, c)
	}
	r.mu.Unlock()
	for _, c := range interrupted {
		c.stop(errInterrupted)
	}
	select {
	case <-done:
	case <-time.After(interruptGrace):
	}
	return errors.Join(errors.New("turns were interrupted"), ctx.Err())
}

// checkName refuses what no store can keep as a name.
func checkName(what, name string) error {
	if len(name) > MaxNameBytes {
		return fault.New(fault.Invalid, "%s may have at most %d bytes", what, MaxNameBytes)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.New(fault.Invalid, "%s must be plain text without control characters", what)
	}
	return nil
}
