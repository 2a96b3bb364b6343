package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/fault"
)

// Config is what an Authenticator works with.
type Config struct {
	// Tokens stores API tokens. Required.
	Tokens Tokens
	// Users stores users with their passwords. Required.
	Users Users
	// Logins stores the logins of users. Required.
	Logins Logins
	// Issuer is the URL of an OpenID Connect issuer whose tokens (JWT) count as
	// well. It is asked when the first of them comes, and again while it does
	// not answer. Default: none.
	Issuer string
	// Audience has to be among those that such a token is for; required with
	// Issuer.
	Audience string
	// IssuerScopes are what who has such a token may do; default ask.
	IssuerScopes Scopes
	// Proxies are the addresses of proxies that are believed what they append to
	// X-Forwarded-For; default none.
	Proxies []netip.Prefix
	// Late tells of requests that Middleware lets pass with wrong credentials as
	// if they had none, because their handlers ask [Refusal] and say it better
	// than a status can; default none.
	Late func(r *http.Request) bool
	// Now is the time; default time.Now.
	Now func() time.Time
	// Metrics counts who was let in and who was not, by what they showed;
	// default a set of its own.
	Metrics *metrics.Set
	// Logger gets what goes wrong beside requests, never a token, a name or a
	// password; default none.
	Logger *slog.Logger
}

// Authenticator knows principals by what they show: tokens, passwords and
// cookies. Nothing is kept between requests, so that what is revoked, deleted
// or expired counts no more from then on. It is safe for concurrent use.
type Authenticator struct {
	cfg    Config
	issuer *issuer // nil without one

	wrongTokens    *throttle // by address
	wrongUsers     *throttle // by user name
	wrongAddresses *throttle // by address
	hashing        chan struct{}
	waiting        chan struct{}

	uses uses
}

// New makes an Authenticator; Close ends it.
func New(config Config) (*Authenticator, error) {
	switch {
	case config.Tokens == nil:
		return nil, errors.New("auth: Config.Tokens is missing")
	case config.Users == nil:
		return nil, errors.New("auth: Config.Users is missing")
	case config.Logins == nil:
		return nil, errors.New("auth: Config.Logins is missing")
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Metrics == nil {
		config.Metrics = metrics.NewSet()
	}
	if len(config.IssuerScopes) == 0 {
		config.IssuerScopes = Scopes{Ask}
	}
	a := &Authenticator{
		cfg:            config,
		wrongTokens:    newThrottle(config.Now, wrongTokenLimit),
		wrongUsers:     newThrottle(config.Now, wrongUserLimit),
		wrongAddresses: newThrottle(config.Now, wrongAddressLimit),
		hashing:        make(chan struct{}, maxHashing),
		waiting:        make(chan struct{}, maxWaiting),
	}
	if config.Issuer != "" {
		if config.Audience == "" {
			return nil, errors.New("auth: Config.Audience is missing, without which tokens for other programs would count")
		}
		a.issuer = newIssuer(config)
	}
	return a, nil
}

// Close waits for what is being noted in the store, a few seconds at most.
func (a *Authenticator) Close() { a.uses.close() }

// count counts an attempt to be let in; its outcome is ok or a fault kind.
func (a *Authenticator) count(by string, err error) {
	outcome := "ok"
	if err != nil {
		outcome = string(fault.KindOf(err))
	}
	a.cfg.Metrics.GetOrCreateCounter(fmt.Sprintf("docent_auth_attempts_total{by=%q,outcome=%q}", by, outcome)).Inc()
}

// Valid fails with fault.Unauthorized if the principal would no longer be let
// in by what it was known by: a token that was revoked or has expired, a login
// that has ended, a user who was deleted or may do less. Whoever keeps a
// connection open asks from time to time.
func (a *Authenticator) Valid(ctx context.Context, p Principal) error {
	var now Principal
	var err error
	switch p.proof.kind {
	case byToken:
		now, err = a.stored(ctx, p.proof.hash)
	case byCookie:
		now, _, err = a.login(ctx, p.proof.hash)
	case byNothing:
		if !p.Expires.IsZero() && !a.cfg.Now().Before(p.Expires) {
			err = errEnded
		}
		now = p
	}
	if err == nil && slices.ContainsFunc(p.Scopes, func(s Scope) bool { return !now.May(s) }) {
		err = errLess
	}
	return err
}

var (
	errEnded = fault.New(fault.Unauthorized, "sign_in_expired", "the token or sign-in has ended; sign in again")
	errLess  = fault.New(fault.Unauthorized, "rights_reduced", "you have fewer rights than when you connected; connect again")
)

// lookTimeout bounds asking the store who somebody is. A database that hangs
// must not keep everybody waiting for as long as they stay.
const lookTimeout = 5 * time.Second

// look asks the store; fault.Unavailable if it does not answer in time.
func look[T any](ctx context.Context, ask func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, err := ask(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Wrap(fault.Unavailable, err, "database_silent", "the database does not answer; try again")
	}
	return found, err
}

// Limits of what is noted beside requests.
const (
	// maxUses is how many notes are on their way; more are left out, as the
	// next request makes them.
	maxUses = 16
	// useTimeout bounds each.
	useTimeout = 5 * time.Second
)

// uses notes in the store what was used, behind the request that used it.
type uses struct {
	mu     sync.Mutex // guards the fields below
	closed bool
	now    map[[32]byte]bool // what is being noted
	wait   sync.WaitGroup
}

// note runs f once at a time for a hash. It does not wait for it.
func (u *uses) note(ctx context.Context, hash [32]byte, f func(ctx context.Context)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed || u.now[hash] || len(u.now) >= maxUses {
		return
	}
	if u.now == nil {
		u.now = map[[32]byte]bool{}
	}
	u.now[hash] = true
	// The request may be over before it is noted; useTimeout ends it then.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), useTimeout)
	u.wait.Go(func() {
		defer cancel()
		f(ctx)
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.now, hash)
	})
}

func (u *uses) close() {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.wait.Wait()
}
