package peer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"docent/agent/chat"
	"docent/internal/errlog"
	"docent/internal/fault"
)

// DefaultExchange is the default of Config.MaxExchange.
const DefaultExchange = 256

// A thread is the exchange of messages between agents that one message causes.
// Its id is the prefix of each correlation that docent makes. Answers and later
// requests repeat it, so every docent that takes part knows the same thread. Hops
// limit the depth of a thread, and the budget limits the number of its messages.
// Hops alone would allow 65,536 messages if each message caused two.
const (
	threadBytes = 32 // length of an id in hexadecimal
	threadEnd   = "/"
	// spentFor is the minimum time for which a runtime remembers the messages of a
	// thread. maxThreads limits the number of remembered threads in a period. There
	// are two periods.
	spentFor   = 10 * time.Minute
	maxThreads = 10_000
)

// correlationIn returns a new request id that contains a thread.
func correlationIn(thread string) string { return thread + threadEnd + uuid.NewString() }

// threadOf returns the thread in a correlation. It returns "" for correlations of other programs.
func threadOf(correlation string) string {
	thread, id, ok := strings.Cut(correlation, threadEnd)
	if !ok || len(thread) != threadBytes || uuid.Validate(id) != nil {
		return ""
	}
	if _, err := hex.DecodeString(thread); err != nil {
		return ""
	}
	return thread
}

// threadFor returns the thread of an event, or a new one.
func threadFor(e *chat.Event, session string) string {
	if e.Thread != "" {
		return e.Thread
	}
	if known := threadOf(e.Correlation); known != "" {
		return known
	}
	begins := fmt.Sprint(session, "/", e.ID)
	if e.ID == 0 { // the turn is a greeting, or the caller is a condition
		begins = uuid.NewString()
	}
	sum := sha256.Sum256([]byte(begins))
	return hex.EncodeToString(sum[:threadBytes/2])
}

// spending counts the messages of each thread in the current and the previous
// period.
type spending struct {
	now, before map[string]int
	since       time.Time
}

// spend counts a message of a thread. It returns false if the count has reached
// limit. first reports that this is the first refused message.
func (p *Network) spend(thread string, limit int, now time.Time) (ok, first bool) {
	if thread == "" {
		return true, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.spent
	if s.now == nil || len(s.now) >= maxThreads || now.Sub(s.since) >= spentFor {
		s.before, s.now, s.since = s.now, map[string]int{}, now
	}
	n := max(s.now[thread], s.before[thread])
	if n < limit {
		s.now[thread] = n + 1
		return true, false
	}
	if n == limit { // refused messages do not prolong the period
		s.now[thread] = limit + 1
	}
	return false, n == limit
}

// Check refuses a message between agents that has passed too many agents or
// exceeds the budget of its thread. It takes the thread from the correlation. It
// logs only the first refusal of a thread.
func (s *Links) Check(ctx context.Context, correlation string, hops int) error {
	return s.crosses(ctx, threadOf(correlation), hops)
}

func (s *Links) crosses(ctx context.Context, thread string, hops int) error {
	cfg := &s.network.cfg
	err, logged := error(nil), true
	if hops > cfg.MaxHops {
		err = fault.Wrap(fault.Conflict, ErrTooManyHops,
			"peer_hops_exhausted", "the agents answered each other %d times; docent stopped the exchange", cfg.MaxHops)
	} else if ok, first := s.network.spend(thread, cfg.MaxExchange, time.Now()); !ok {
		err = fault.Wrap(fault.Conflict, ErrTooManyHops,
			"peer_exchange_exhausted", "the agents exchanged %d messages because of one message; docent stopped the exchange", cfg.MaxExchange)
		logged = first
	}
	if err != nil && logged {
		cfg.Logger.WarnContext(ctx, "agents that answer each other are stopped", "session", s.id, "hops", hops, errlog.Attr(err))
	}
	return err
}
