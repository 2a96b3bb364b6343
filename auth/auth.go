package auth

import (
	"cmp"
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

// Config configures an Authenticator.
type Config struct {
	// Tokens stores API tokens. Required.
	Tokens Tokens
	// Users stores users with their passwords. Required.
	Users Users
	// Logins stores the logins of users. Required.
	Logins Logins
	// Links stores the links with which users set their password. Required.
	Links Links
	// Issuer is the URL of an OpenID Connect issuer whose tokens (JWT) are
	// accepted too. The Authenticator fetches its configuration with the first
	// such token, and retries while the issuer does not answer. Default: none.
	Issuer string
	// Audience is the required audience of those tokens. Required with Issuer.
	Audience string
	// IssuerScopes are the rights of principals with such a token. Default: ask.
	IssuerScopes Scopes
	// IssuerGroups stores the groups in tokens of the issuer. Default: none, groups
	// in tokens have no effect.
	IssuerGroups IssuerGroups
	// GroupsClaim is the claim that lists the groups. Default: groups.
	GroupsClaim string
	// SignIn returns the present configuration of the sign-in with a provider.
	// Default: none.
	SignIn func() SignIn
	// Identities stores the identities of users at the provider. Required with
	// SignIn.
	Identities Identities
	// Proxies are the addresses of trusted proxies. Their entries in
	// X-Forwarded-For are believed. Default: none.
	Proxies []netip.Prefix
	// Late reports whether a request with wrong credentials passes Middleware
	// as if it had none. The handlers of such requests read the error with
	// [Refusal] and report it in their own format. Default: none.
	Late func(r *http.Request) bool
	// Now returns the time. Default: time.Now.
	Now func() time.Time
	// Metrics counts attempts to authenticate by credential and outcome.
	// Default: a set of its own.
	Metrics *metrics.Set
	// Logger receives errors that no request reports. It never receives a
	// token, a name, or a password. Default: none.
	Logger *slog.Logger
}

// Authenticator turns credentials into principals. It caches nothing between
// requests, so revoked, deleted, and expired credentials stop working at once.
// It is safe for concurrent use.
type Authenticator struct {
	cfg    Config
	issuer *issuer // nil without one
	signIn signIn

	wrongTokens    *throttle // by address
	wrongUsers     *throttle // by user name
	wrongAddresses *throttle // by address
	wrongSites     *throttle // by network, see siteOf
	knownAt        *knownAddresses
	hashing        chan struct{}
	waiting        chan struct{}

	uses uses
}

// New returns an Authenticator. Call Close to end it.
func New(config Config) (*Authenticator, error) {
	switch {
	case config.Tokens == nil:
		return nil, errors.New("auth: Config.Tokens is missing")
	case config.Users == nil:
		return nil, errors.New("auth: Config.Users is missing")
	case config.Logins == nil:
		return nil, errors.New("auth: Config.Logins is missing")
	case config.Links == nil:
		return nil, errors.New("auth: Config.Links is missing")
	case config.SignIn != nil && config.Identities == nil:
		return nil, errors.New("auth: Config.Identities is missing")
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
	config.GroupsClaim = cmp.Or(config.GroupsClaim, "groups")
	if len(config.IssuerScopes) == 0 {
		config.IssuerScopes = Scopes{Ask}
	}
	a := &Authenticator{
		cfg:            config,
		wrongTokens:    newThrottle(config.Now, wrongTokenLimit),
		wrongUsers:     newThrottle(config.Now, wrongUserLimit),
		wrongAddresses: newThrottle(config.Now, wrongAddressLimit),
		wrongSites:     newThrottle(config.Now, wrongSiteLimit),
		knownAt:        newKnownAddresses(config.Now),
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

// Close waits a few seconds at most for pending writes to the stores.
func (a *Authenticator) Close() { a.uses.close() }

// count counts an attempt to authenticate. Its outcome is ok or a fault kind.
func (a *Authenticator) count(by string, err error) {
	outcome := "ok"
	if err != nil {
		outcome = string(fault.KindOf(err))
	}
	a.cfg.Metrics.GetOrCreateCounter(fmt.Sprintf("docent_auth_attempts_total{by=%q,outcome=%q}", by, outcome)).Inc()
}

// Valid fails with fault.Unauthorized if the principal's credential no longer
// works, or gives fewer rights than before. That is so if the token was revoked
// or has expired, the login has ended, or the user was deleted or lost a scope.
// Servers call Valid regularly for each open connection.
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

// lookTimeout bounds a read from the store, so that a database that hangs does
// not block every request.
const lookTimeout = 5 * time.Second

// look reads from the store. It fails with fault.Unavailable if the store does
// not answer in time.
func look[T any](ctx context.Context, ask func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, err := ask(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Wrap(fault.Unavailable, err, "database_silent", "the database does not answer; try again")
	}
	return found, err
}

// Limits of the writes that record use.
const (
	// maxUses bounds the writes in progress. Further ones are dropped; the next
	// request records the use instead.
	maxUses = 16
	// useTimeout bounds each write.
	useTimeout = 5 * time.Second
)

// uses records in the store when credentials were used. It does so in the
// background, so requests do not wait.
type uses struct {
	mu     sync.Mutex // guards the fields below
	closed bool
	now    map[[32]byte]bool // the hashes with a running call
	wait   sync.WaitGroup
}

// note starts f unless a call for the same hash is running. It does not wait
// for f.
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
	// The request may end first. useTimeout then ends the write.
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
