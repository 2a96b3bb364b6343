package ws

import (
	"time"

	"golang.org/x/time/rate"

	"docent/internal/fault"
)

// Bounds of what is counted of clients, where authentication is on.
const (
	// strangerShare is the part of MaxConnections that there may be of strangers,
	// beside it: clients that have not said who they are.
	strangerShare = 10
	// minStrangers is how many there may be in any case.
	minStrangers = 16
	// maxRemoteStrangers is how many of them may come from one address.
	maxRemoteStrangers = 32
	// maxKeep is how long an account without connections is kept at most.
	maxKeep = time.Minute
	// maxKept is how many of those there are.
	maxKept = 10_000
)

// account is what the connections of one principal, or of the strangers at one
// address, have together.
type account struct {
	id          string
	stranger    bool
	connections int
	rate        *rate.Limiter
	keep        time.Time // until when it is kept without connections
}

// ledger has the accounts. Server.mu guards it.
type ledger struct {
	cfg     Config
	known   map[string]*account // by Principal.ID
	strange map[string]*account // by address
	unknown int                 // connections of strangers
	left    []leaving           // in the order of keep: the accounts of known that had no connection any more
}

// leaving is an account that had no connection any more, and until when it was to
// be kept then.
type leaving struct {
	account *account
	keep    time.Time
}

func newLedger(cfg Config) ledger {
	return ledger{cfg: cfg, known: map[string]*account{}, strange: map[string]*account{}}
}

// admit counts another connection of who has not said who they are.
func (l *ledger) admit(remote string) (*account, error) {
	if l.unknown >= max(minStrangers, l.cfg.MaxConnections/strangerShare) {
		return nil, errCrowd
	}
	a := l.strange[remote]
	if a == nil {
		a = &account{id: remote, stranger: true, rate: rate.NewLimiter(rate.Inf, 0)}
		l.strange[remote] = a
	}
	if a.connections >= maxRemoteStrangers {
		return nil, errMany
	}
	a.connections++
	l.unknown++
	return a, nil
}

// join counts another connection of a principal, which its rate has to allow.
func (l *ledger) join(id string, now time.Time) (*account, error) {
	l.forget(now)
	a := l.known[id]
	if a == nil {
		a = &account{id: id, rate: rate.NewLimiter(rate.Limit(l.cfg.UserRate), l.cfg.UserBurst)}
		l.known[id] = a
	}
	switch {
	case a.connections >= l.cfg.UserConnections:
		return nil, fault.New(fault.RateLimited,
			"connections_exhausted", "you have %d open connections, the most allowed; close one first", a.connections)
	case !a.rate.AllowN(now, 1):
		return nil, errTooQuick
	}
	a.connections++
	return a, nil
}

// part is the end of a connection; nil counts for nobody. The account of a
// principal is kept until its rate is forgotten, or who comes and goes would have
// a new one each time.
func (l *ledger) part(a *account) {
	if a == nil {
		return
	}
	a.connections--
	if a.stranger {
		l.unknown--
		if a.connections == 0 {
			delete(l.strange, a.id)
		}
		return
	}
	if a.connections == 0 {
		full := min(maxKeep.Seconds(), float64(l.cfg.UserBurst)/l.cfg.UserRate)
		a.keep = time.Now().Add(time.Duration(full * float64(time.Second)))
		l.left = append(l.left, leaving{a, a.keep})
	}
}

// forget drops accounts that were left for long enough.
func (l *ledger) forget(now time.Time) {
	for len(l.left) > 0 && (len(l.left) > maxKept || !now.Before(l.left[0].keep)) {
		a, keep := l.left[0].account, l.left[0].keep
		l.left[0] = leaving{}
		l.left = l.left[1:]
		// Who came again and went is in left once more, further behind.
		if a.connections == 0 && a.keep.Equal(keep) && l.known[a.id] == a {
			delete(l.known, a.id)
		}
	}
}

// principals counts those who are connected.
func (l *ledger) principals() (n int) {
	for _, a := range l.known {
		if a.connections > 0 {
			n++
		}
	}
	return n
}
