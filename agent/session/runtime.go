package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/peer"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/quota"
)

// DefaultHistory is the default of RuntimeConfig.History. That many short messages fill
// DefaultHistoryTokens.
const DefaultHistory = 20

// Fixed bounds of a runtime.
const (
	// MaxHops bounds how often agents may answer each other without a user; see Session.SendToPeer.
	// The answer to the last allowed request is still delivered.
	MaxHops = 16
	// ReplayLimit bounds the messages that Subscription.History and Session.ChatHistory return.
	// They return the newest messages.
	ReplayLimit = 1000
	// storeTimeout bounds one call of the store.
	storeTimeout = 10 * time.Second
)

// limits are the bounds of a runtime that only tests change.
type limits struct {
	Held      int // events of one session that wait for a state that takes them
	Sessions  int // sessions in memory
	Peers     int // connections to other agents
	Hops      int // see MaxHops
	Exchange  int // messages between agents that one message of a user may cause
	Replay    int // see ReplayLimit
	AlarmPage int // alarms in one read
}

// RuntimeConfig configures a Runtime.
type RuntimeConfig struct {
	// Agent must be valid. Required.
	Agent *agent.Agent
	// Store keeps the conversations. Required.
	Store journal.Store
	// Unused removes the sessions without an event from Store when their last client leaves. Default:
	// nil, which keeps them.
	Unused journal.Unused
	// Versions shows versions of answers. Default: nil, only the newest are shown.
	Versions journal.Versions
	// Memories keeps facts about users. Default: nil, agents remember nothing.
	Memories journal.Memories
	// RAG answers for RunRAG, which fails without it.
	RAG agent.RAG
	// Models are the chat models of Session.Ask, which fails without one.
	Models agent.Models
	// Retire, if set, is called once when Runtime.Replace has replaced the agent and its last turn has ended.
	Retire func()
	// Choices returns the valid names for the options of a message. Default: nil,
	// which accepts all names.
	Choices func(ctx context.Context) (chat.Choices, error)
	// Dialer connects to other agents. SendToPeer fails without it.
	Dialer peer.Dialer
	// Replicas are the processes that use the same database. Default: nil, there are no others.
	Replicas Replicas
	// Speaker speaks for ReplySpeech, which replies with text without it.
	Speaker agent.Speaker
	// Logger receives failures with session ids, but without the texts of users and documents. It
	// logs the errors of bodies under "text", so bodies must not put messages into their errors.
	// Default: slog.Default.
	Logger *slog.Logger
	// Metrics counts sessions, turns, events, and commits. Default: a new set.
	Metrics *metrics.Set
	// Quotas limits the work for one client in a day. Default: nil, no limits.
	Quotas *quota.Quotas
	// Now returns the current time. Default: time.Now.
	Now func() time.Time
	// QueueSize bounds the events of one session that no step has considered. The event of the
	// running turn counts. Default: 64.
	QueueSize int
	// History is the number of earlier messages that the runtime reads when it stores a message. A
	// body that needs more causes another read. Default: DefaultHistory.
	History int
	// ConditionInterval is the time between checks of conditions of State.When that may change on
	// their own. Default: 1s.
	ConditionInterval time.Duration
	// FlushAfter bounds how long a reply waits for the end of its turn. Then the runtime stores and
	// sends it early. A negative value means no bound. Default: 100ms.
	FlushAfter time.Duration
	// Location is the time zone of sessions without the variable "timezone".
	// Default: time.Local.
	Location *time.Location
	// TurnTimeout bounds a turn. The turn of a brief may take six times as long. Default: 5m.
	TurnTimeout time.Duration

	limits limits // tests set other values
}

func (c *RuntimeConfig) defaults() error {
	if c.Agent == nil || c.Store == nil {
		return fault.New(fault.Invalid, "config_runtime_incomplete", "RuntimeConfig.Agent and RuntimeConfig.Store are required")
	}
	if c.QueueSize < 0 || c.History < 0 || c.ConditionInterval < 0 || c.TurnTimeout < 0 {
		return fault.New(fault.Invalid, "config_runtime_negative", "RuntimeConfig: sizes and times must not be negative")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Logger = cmp.Or(c.Logger, slog.Default())
	c.Metrics = cmp.Or(c.Metrics, metrics.NewSet())
	c.Location = cmp.Or(c.Location, time.Local)
	c.QueueSize = cmp.Or(c.QueueSize, 64)
	c.History = cmp.Or(c.History, DefaultHistory)
	c.ConditionInterval = cmp.Or(c.ConditionInterval, time.Second)
	c.FlushAfter = cmp.Or(c.FlushAfter, 100*time.Millisecond)
	c.TurnTimeout = cmp.Or(c.TurnTimeout, 5*time.Minute)
	l := &c.limits
	l.Held = cmp.Or(l.Held, 256)
	l.Sessions = cmp.Or(l.Sessions, 20_000)
	l.Peers = cmp.Or(l.Peers, 1000)
	l.Hops = cmp.Or(l.Hops, MaxHops)
	l.Exchange = cmp.Or(l.Exchange, peer.DefaultExchange)
	l.Replay = cmp.Or(l.Replay, ReplayLimit)
	return nil
}

// Runtime runs the sessions of an agent. Each session has one goroutine, but only while it has work
// or clients. All other sessions are only in the store. A Runtime is safe for concurrent use.
type Runtime struct {
	cfg      RuntimeConfig
	programs programs
	alarms   *alarmClock
	peers    *peer.Network
	meters   *meters

	// closing is closed when Shutdown begins.
	closing chan struct{}
	// running waits for the sessions' goroutines.
	running sync.WaitGroup

	mu       sync.Mutex // guards the following fields
	sessions map[journal.SessionKey]*conversation
	briefs   map[string]string // ids of the messages with a brief that arrive, by owner
}

// NewRuntime returns a runtime without sessions. It fails if cfg or its agent is invalid.
func NewRuntime(cfg RuntimeConfig) (*Runtime, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	r := &Runtime{cfg: cfg, closing: make(chan struct{}), sessions: map[journal.SessionKey]*conversation{}, briefs: map[string]string{}}
	first, err := r.compile(Program{Agent: cfg.Agent, RAG: cfg.RAG, Models: cfg.Models, Location: cfg.Location, Retire: cfg.Retire})
	if err != nil {
		return nil, err
	}
	r.programs.current = first
	r.meters = newMeters(cfg.Metrics)
	r.alarms = newAlarmClock(alarmClockConfig{
		Now: cfg.Now, Logger: cfg.Logger, Go: r.goes, Read: r.storedAlarms, Loaded: r.inMemory, Wake: r.wake,
		Interval: cfg.ConditionInterval, Page: cfg.limits.AlarmPage,
	})
	r.peers = peer.New(peer.Config{
		Dialer: cfg.Dialer, Logger: cfg.Logger, Go: r.goes,
		MaxLinks: cfg.limits.Peers, MaxHops: cfg.limits.Hops, MaxExchange: cfg.limits.Exchange,
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

// begin reports whether the caller may start a goroutine. If so, the goroutine must call
// running.Done at its end.
func (r *Runtime) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isClosing() {
		return false
	}
	r.running.Add(1)
	return true
}

// goes runs f in a goroutine that Shutdown waits for. It returns false during the shutdown.
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

// conversation returns the session with a key. If the session is not in memory, conversation starts
// to load it and returns fresh as true. s then becomes its first client. Without s, the caller
// counts as a user of the session and must call leave.
func (r *Runtime) conversation(
	ctx context.Context, key journal.SessionKey, req OpenRequest, s *Subscription,
) (c *conversation, fresh bool, err error) {
	r.mu.Lock()
	if r.isClosing() {
		r.mu.Unlock()
		return nil, false, errClosing
	}
	if c := r.sessions[key]; c != nil {
		r.mu.Unlock()
		return c, false, nil
	}
	if len(r.sessions) >= r.cfg.limits.Sessions {
		r.mu.Unlock()
		return nil, false, fault.New(fault.Busy,
			"sessions_full", "docent has as many conversations as it can handle; try again in a moment")
	}
	c = newConversation(r, key, req)
	c.payer = quota.ClientOf(ctx) // of the client that opens the session
	if s != nil {
		s.c = c
		c.clients.list = []*Subscription{s} // before the start, so that the client receives the greeting
	} else {
		c.mail.use() // this does not block, because no other goroutine knows c yet
	}
	r.sessions[key] = c
	r.meters.sessions.Inc()
	r.running.Add(1)
	r.mu.Unlock()
	r.alarms.start(ctx)
	c.sched.alarm = r.alarms.take(key.ID)
	// Disconnecting does not cancel a running answer.
	go c.run(context.WithoutCancel(ctx))
	return c, true, nil
}

// with calls f with a session and keeps the session in memory meanwhile.
func (r *Runtime) with(ctx context.Context, id string, f func(*conversation) error) error {
	if id == "" {
		return fault.New(fault.Invalid, "session_id_missing", "the id of the session is missing")
	}
	if err := journal.CheckName("session_id", id); err != nil {
		return err
	}
	key := journal.SessionKey{Agent: r.cfg.Agent.Name(), ID: id}
	for {
		if err := r.exists(ctx, key); err != nil {
			return err
		}
		c, fresh, err := r.conversation(ctx, key, OpenRequest{ID: id}, nil)
		if err != nil {
			return err
		}
		if !fresh && !c.mail.use() {
			if err := c.awaitLeft(ctx); err != nil {
				return err
			}
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

// exists fails for a missing session. Opening the session would create it.
func (r *Runtime) exists(ctx context.Context, key journal.SessionKey) error {
	if r.Holds(key.ID) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
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
		r.meters.sessions.Dec()
	}
}

// Sessions counts the sessions in memory.
func (r *Runtime) Sessions() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sessions)
}

// interruptGrace bounds how long interrupted bodies may take to return.
const interruptGrace = 2 * time.Second

// errInterrupted ends the context of a body that runs longer than Shutdown may wait.
var errInterrupted = fault.New(fault.Canceled, "shut_down", "docent is shutting down")

// Shutdown refuses new messages and waits for the running turns. If ctx ends first, Shutdown
// interrupts them and returns an error. Waiting and interrupted turns stay in the store and run
// when their session is opened again. Shutdown may be called more than once.
func (r *Runtime) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	if !r.isClosing() {
		close(r.closing)
	}
	open := slices.Collect(maps.Values(r.sessions))
	r.mu.Unlock()
	r.alarms.stop()
	for _, c := range open {
		c.mu.Lock()
		c.links.Close(errClosing)
		c.mu.Unlock()
	}
	done := make(chan struct{})
	go func() { // ends with the last goroutine of a session
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
