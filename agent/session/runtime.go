package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/google/uuid"

	"docent/agent"
	"docent/agent/peer"
	"docent/agent/session/alarm"
	"docent/agent/session/incoming"
	"docent/agent/session/journal"
	"docent/agent/session/meters"
	"docent/internal/fault"
	"docent/payload"
)

// DefaultHistory is how many earlier messages are read along with one of a user
// unless RuntimeConfig.History says otherwise: short ones of that number fill
// DefaultHistoryTokens.
const DefaultHistory = 20

// RuntimeConfig makes a Runtime.
type RuntimeConfig struct {
	// Agent is run; it must be valid. Required.
	Agent *agent.Agent
	// Store keeps the conversations. Required.
	Store journal.Store
	// RAG answers for RunRAG. Default: nil, RunRAG then fails.
	RAG agent.RAG
	// Choices are what the options of a message may name. Default: nil, anything;
	// RAG then says what it does not know.
	Choices func(ctx context.Context) (agent.Choices, error)
	// Dialer connects to other agents, such as a client.Dialer. Default: nil,
	// SendToPeer then fails.
	Dialer peer.Dialer
	// Speaker speaks for ReplySpeech. Default: nil, it then says the text as Reply
	// does.
	Speaker agent.Speaker
	// Logger hears of failures, with session ids and nothing that users or
	// documents say, but the text of errors that the agent's own bodies
	// return, under "text": put no messages into it. Default: slog.Default.
	Logger *slog.Logger
	// Metrics counts sessions, turns, events and commits. Default: nil, a set of
	// its own.
	Metrics *metrics.Set
	// Now tells the time. Default: time.Now.
	Now func() time.Time
	// NewID makes the id of a session that comes without one. It must not be
	// guessable. Default: a random UUID.
	NewID func() string
	// MailboxSize bounds the events of one session that wait for their turn and
	// that no step has looked at, that of the running turn included. Default: 64.
	MailboxSize int
	// HeldEvents bounds the events of one session that steps have looked at and
	// that wait for a state which takes them; with more the turn of the oldest fails.
	// Default: 256.
	HeldEvents int
	// MaxSessions bounds the sessions in memory: those with clients or work.
	// Default: 20,000.
	MaxSessions int
	// MaxPeers bounds the connections to other agents, of all sessions together.
	// Default: 1,000.
	MaxPeers int
	// MaxHops bounds how often agents may answer each other without a user; see
	// Session.SendToPeer. The answer to the last request is heard. At most 999. Default: 16.
	MaxHops int
	// MaxExchange bounds the messages between agents that one message of a user may
	// cause, as this runtime sees them: what it sends to other agents, what they ask
	// and what they answer. Default: peer.DefaultExchange.
	MaxExchange int
	// History is how many messages before a user's one are read along with
	// storing it; a body that asks for more costs another trip. RunRAG takes as
	// many of them as it asks for, reasoning what fits Options.HistoryTokens: 20
	// short messages do, and large contents are not read. Default: 20.
	History int
	// ReplayLimit bounds the messages Subscription.History and
	// Session.ChatHistory return, the newest being kept. Default: 1,000.
	ReplayLimit int
	// ConditionInterval is how often conditions of State.When are asked that
	// nothing else makes worth asking. Default: 1s.
	ConditionInterval time.Duration
	// FlushAfter is how long a reply may wait for its turn's end before it is
	// stored and sent; negative waits for the end. Default: 100ms.
	FlushAfter time.Duration
	// Location is the zone of sessions that have no variable "timezone". Default:
	// time.Local.
	Location *time.Location
	// TurnTimeout bounds a turn. Default: 5m.
	TurnTimeout time.Duration
	// StoreTimeout bounds one trip to the store. Default: 10s.
	StoreTimeout time.Duration

	alarmPage int // alarms that are read at once; tests set it
}

func (c *RuntimeConfig) defaults() error {
	if c.Agent == nil || c.Store == nil {
		return fault.New(fault.Invalid, "config_runtime_incomplete", "RuntimeConfig.Agent and RuntimeConfig.Store are required")
	}
	if c.MailboxSize < 0 || c.HeldEvents < 0 || c.MaxSessions < 0 || c.History < 0 || c.ReplayLimit < 0 || c.MaxPeers < 0 || c.MaxHops < 0 ||
		c.MaxExchange < 0 ||
		c.ConditionInterval < 0 || c.TurnTimeout < 0 || c.StoreTimeout < 0 {
		return fault.New(fault.Invalid, "config_runtime_negative", "RuntimeConfig: sizes and times must not be negative")
	}
	if c.MaxHops >= payload.MaxHops { // frames cannot count further, and no loop would end
		return fault.New(fault.Invalid, "config_runtime_hops", "RuntimeConfig.MaxHops must be below %d", payload.MaxHops)
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Metrics == nil {
		c.Metrics = metrics.NewSet()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Location == nil {
		c.Location = time.Local
	}
	orElse(&c.MailboxSize, 64)
	orElse(&c.HeldEvents, 256)
	orElse(&c.MaxSessions, 20_000)
	orElse(&c.History, DefaultHistory)
	orElse(&c.ReplayLimit, 1000)
	orElse(&c.MaxPeers, 1000)
	orElse(&c.MaxHops, 16)
	orElse(&c.MaxExchange, peer.DefaultExchange)
	orElse(&c.ConditionInterval, time.Second)
	orElse(&c.FlushAfter, 100*time.Millisecond)
	orElse(&c.TurnTimeout, 5*time.Minute)
	orElse(&c.StoreTimeout, 10*time.Second)
	return nil
}

// orElse sets what is not set.
func orElse[T int | time.Duration](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// Runtime runs the sessions of an agent. Each has one goroutine, and only
// while there is work; sessions without work and clients are only in the
// store. It is safe for concurrent use.
type Runtime struct {
	cfg     RuntimeConfig
	machine *agent.Machine
	alarms  *alarm.Clock
	peers   *peer.Network
	meters  *meters.Meters

	// closing is closed when Shutdown begins.
	closing chan struct{}
	// running waits for the sessions' goroutines.
	running sync.WaitGroup

	mu       sync.Mutex // guards what follows
	closed   bool
	sessions map[journal.SessionKey]*conversation
}

// NewRuntime returns a runtime without sessions.
func NewRuntime(cfg RuntimeConfig) (*Runtime, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	m, err := cfg.Agent.Compile()
	if err != nil {
		return nil, err
	}
	r := &Runtime{cfg: cfg, machine: m, closing: make(chan struct{}), sessions: map[journal.SessionKey]*conversation{}}
	r.meters = meters.New(cfg.Metrics, r.Sessions)
	r.alarms = alarm.New(alarm.Config{
		Now: cfg.Now, Logger: cfg.Logger, Go: r.goes, Read: r.storedAlarms, Loaded: r.inMemory, Wake: r.wake,
		Interval: cfg.ConditionInterval, Page: cfg.alarmPage,
	})
	r.peers = peer.New(peer.Config{
		Dialer: cfg.Dialer, MaxLinks: cfg.MaxPeers, MaxHops: cfg.MaxHops, MaxExchange: cfg.MaxExchange, Logger: cfg.Logger, Go: r.goes,
	})
	return r, nil
}

var errClosing = fault.New(fault.Unavailable, "shutting_down", "docent is shutting down; try again in a moment")

// isClosing reports whether Shutdown has begun.
func (r *Runtime) isClosing() bool {
	select {
	case <-r.closing:
		return true
	default:
		return false
	}
}

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

// goes runs f in a goroutine that Shutdown waits for; false if it shuts down.
func (r *Runtime) goes(f func()) bool {
	if !r.begin() {
		return false
	}
	go func() {
		defer r.running.Done()
		f()
	}()
	return true
}

// conversation returns the session of that key. If it is not in memory it
// begins to be loaded, with s as its first client, or, if s is nil, with a user
// whom the caller has to take out again; fresh reports that.
func (r *Runtime) conversation(
	ctx context.Context, key journal.SessionKey, req OpenRequest, s *Subscription,
) (c *conversation, fresh bool, err error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, false, errClosing
	}
	if c := r.sessions[key]; c != nil {
		r.mu.Unlock()
		return c, false, nil
	}
	if len(r.sessions) >= r.cfg.MaxSessions {
		r.mu.Unlock()
		return nil, false, fault.New(fault.Busy,
			"sessions_full", "docent has as many conversations as it can handle; try again in a moment")
	}
	c = newConversation(r, key, req)
	if s != nil {
		s.c = c
		c.clients.list = []*Subscription{s} // before it starts, or nobody might hear the greeting
	} else {
		c.mail.users++
	}
	r.sessions[key] = c
	r.running.Add(1)
	r.mu.Unlock()
	r.alarms.Start(ctx)
	c.sched.alarm = r.alarms.Take(key.ID)
	// Work outlives the client that asked for it: a disconnect stops nothing.
	go c.run(context.WithoutCancel(ctx))
	return c, true, nil
}

// with calls f with a session that stays in memory meanwhile.
func (r *Runtime) with(ctx context.Context, id string, f func(*conversation) error) error {
	if id == "" {
		return fault.New(fault.Invalid, "session_id_missing", "which session?")
	}
	if err := incoming.CheckName("session_id", id); err != nil {
		return err
	}
	key := journal.SessionKey{Agent: r.cfg.Agent.Name(), ID: id}
	if err := r.exists(ctx, key); err != nil {
		return err
	}
	for {
		c, fresh, err := r.conversation(ctx, key, OpenRequest{ID: id}, nil)
		if err != nil {
			return err
		}
		if !fresh && !c.mail.use() {
			continue
		}
		defer c.mail.leave()
		select {
		case <-c.loaded:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := c.mail.failure(); err != nil {
			return err
		}
		return f(c)
	}
}

// exists refuses a session that is not there: opening it would make it.
func (r *Runtime) exists(ctx context.Context, key journal.SessionKey) error {
	r.mu.Lock()
	_, here := r.sessions[key]
	r.mu.Unlock()
	if here {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.cfg.StoreTimeout)
	defer cancel()
	if _, err := r.cfg.Store.Session(ctx, key); err != nil {
		return fmt.Errorf("session %s: %w", key.ID, err)
	}
	return nil
}

// inMemory returns the ids of the sessions in memory.
func (r *Runtime) inMemory() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make(map[string]bool, len(r.sessions))
	for key := range r.sessions {
		ids[key.ID] = true
	}
	return ids
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
var errInterrupted = fault.New(fault.Canceled, "shut_down", "docent is shutting down")

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
	open := slices.Collect(maps.Values(r.sessions))
	r.mu.Unlock()
	r.alarms.Stop()
	for _, c := range open {
		c.mu.Lock()
		c.links.Close(errClosing)
		c.mu.Unlock()
	}
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
	interrupted := slices.Collect(maps.Values(r.sessions))
	r.mu.Unlock()
	for _, c := range interrupted {
		c.mu.Lock()
		if c.current != nil {
			c.current.interrupt(errInterrupted)
		}
		c.mu.Unlock()
	}
	select {
	case <-done:
	case <-time.After(interruptGrace):
	}
	return errors.Join(errors.New("turns were interrupted"), ctx.Err())
}
