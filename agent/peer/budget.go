package peer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"docent/agent"
	"docent/internal/fault"
)

// DefaultExchange is how many messages between agents one message of a user may
// cause unless Config.MaxExchange says otherwise.
const DefaultExchange = 256

// A thread is all that agents say to each other because of one message. Its id
// is the beginning of each correlation that docent makes, so that it comes back
// with what answers, goes on with what is asked because of that, and is the same
// in all docents that the message reaches. Hops bound how far a thread goes,
// its budget how much is said in it: where each message makes two, hops alone
// would allow 65,536.
const (
	threadBytes = 32 // of an id, in hexadecimal
	threadEnd   = "/"
	// spentFor is how long at least a runtime remembers what a thread has spent,
	// and maxThreads bounds the threads of which it does twice.
	spentFor   = 10 * time.Minute
	maxThreads = 10_000
)

// correlationIn is a new id of a request in a thread.
func correlationIn(thread string) string { return thread + threadEnd + uuid.NewString() }

// threadOf is the thread that a correlation tells; "" if it tells none, as of
// other programs.
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

// threadFor is the thread that an event belongs to, or that begins with it.
func threadFor(e *agent.Event, session string) string {
	if e.Thread != "" {
		return e.Thread
	}
	if known := threadOf(e.Correlation); known != "" {
		return known
	}
	begins := fmt.Sprint(session, "/", e.ID)
	if e.ID == 0 { // a greeting, or a condition
		begins = uuid.NewString()
	}
	sum := sha256.Sum256([]byte(begins))
	return hex.EncodeToString(sum[:threadBytes/2])
}

// spending is what was said in threads, of the last while and of the one before.
type spending struct {
	now, before map[string]int
	since       time.Time
}

// spend counts a message of a thread; false if limit were counted before. first
// tells that this is the first that is refused.
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
	if n == limit { // what is refused later does not prolong it
		s.now[thread] = limit + 1
	}
	return false, n == limit
}

// Check refuses a message between agents that came through too many, or is one
// too many of its thread, and logs the first that is. The correlation tells the
// thread.
func (s *Links) Check(ctx context.Context, correlation string, hops int) error {
	return s.crosses(ctx, threadOf(correlation), hops)
}

func (s *Links) crosses(ctx context.Context, thread string, hops int) error {
	cfg := &s.network.cfg
	err, logged := error(nil), true
	if hops > cfg.MaxHops {
		err = fault.Wrap(fault.Conflict, ErrTooManyHops,
			"peer_hops_exhausted", "the agents have answered each other %d times and stop here", cfg.MaxHops)
	} else if ok, first := s.network.spend(thread, cfg.MaxExchange, time.Now()); !ok {
		err = fault.Wrap(fault.Conflict, ErrTooManyHops,
			"peer_exchange_exhausted", "the agents have said %d things to each other because of one message and stop here", cfg.MaxExchange)
		logged = first
	}
	if err != nil && logged {
		cfg.Logger.WarnContext(ctx, "agents that answer each other are stopped", "session", s.id, "hops", hops, agent.ErrorAttr(err))
	}
	return err
}
