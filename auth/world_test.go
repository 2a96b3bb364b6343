package auth_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/auth"
	"docent/internal/fault"
	"docent/internal/sqlitetest"
	"docent/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a settable clock.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	creep time.Duration // the time that passes with each reading
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(c.creep)
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// logs is a log that tests read.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// store is everything that an Authenticator stores.
type store interface {
	auth.Tokens
	auth.Users
	auth.Logins
	auth.Links
}

// config uses one store for everything.
func config(db store) auth.Config { return auth.Config{Tokens: db, Users: db, Logins: db, Links: db} }

// world is an Authenticator on a real database.
type world struct {
	t *testing.T
	*auth.Authenticator
	db    store
	clock *clock
	log   *logs
}

// password is the password of all users in these tests.
const password = "correct horse"

func newWorld(t *testing.T, edit ...func(*auth.Config)) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	return newWorldOn(t, db, edit...)
}

func newWorldOn(t *testing.T, db store, edit ...func(*auth.Config)) *world {
	t.Helper()
	w := &world{t: t, db: db, clock: &clock{at: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)}, log: &logs{}}
	cfg := config(db)
	cfg.Now, cfg.Logger = w.clock.now, slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, e := range edit {
		e(&cfg)
	}
	var err error
	w.Authenticator, err = auth.New(cfg)
	ok(t, err)
	t.Cleanup(w.Close)
	return w
}

func (w *world) user(name string, scopes ...auth.Scope) {
	w.t.Helper()
	ok(w.t, w.CreateUser(w.t.Context(), name, password, scopes))
}

func (w *world) token(spec auth.TokenSpec) string {
	w.t.Helper()
	token, err := w.CreateToken(w.t.Context(), spec)
	ok(w.t, err)
	return token
}

// login signs a user in with the password.
func (w *world) login(name string) string {
	w.t.Helper()
	cookie, p, err := w.Password(w.t.Context(), name, password, "192.0.2.1")
	ok(w.t, err)
	if p.ID != "user:"+name {
		w.t.Fatalf("%s is %s", name, p.ID)
	}
	return cookie
}

// is checks the identity of a principal.
func (w *world) is(p auth.Principal, err error, want string) {
	w.t.Helper()
	ok(w.t, err)
	if got := p.ID + " " + p.Name + " " + p.Scopes.String(); got != want {
		w.t.Fatalf("it is %q, want %q", got, want)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails checks the kind and the text of an error.
func fails(t *testing.T, err error, kind fault.Kind, says string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind || !strings.Contains(fault.Message(err), says) {
		t.Fatalf("error is %v (%s), want %s with %q", err, fault.KindOf(err), kind, says)
	}
}

// broken is a store that always fails.
type broken struct{ store }

var errBroken = fault.New(fault.Unavailable, "database_unreachable", "the database is not available")

func (broken) Token(context.Context, []byte) (auth.TokenRecord, error) {
	return auth.TokenRecord{}, errBroken
}

func (broken) User(context.Context, string) (auth.UserRecord, error) {
	return auth.UserRecord{}, errBroken
}

func (broken) Login(context.Context, []byte) (auth.LoginRecord, error) {
	return auth.LoginRecord{}, errBroken
}

// hung is a store that blocks until the context ends.
type hung struct{ store }

func (hung) Token(ctx context.Context, _ []byte) (auth.TokenRecord, error) {
	<-ctx.Done()
	return auth.TokenRecord{}, fmt.Errorf("read a token: %w", ctx.Err())
}

func (hung) User(ctx context.Context, name string) (auth.UserRecord, error) {
	if name == "bob" { // the user that the backend knows
		hash, err := auth.HashPassword(password)
		return auth.UserRecord{Name: name, Password: hash, Scopes: auth.Scopes{auth.Ask}}, err
	}
	<-ctx.Done()
	return auth.UserRecord{}, fmt.Errorf("read a user: %w", ctx.Err())
}

func (hung) Login(ctx context.Context, _ []byte) (auth.LoginRecord, error) {
	<-ctx.Done()
	return auth.LoginRecord{}, fmt.Errorf("read a login: %w", ctx.Err())
}

func (hung) AddLogin(ctx context.Context, _ auth.LoginRecord) error {
	<-ctx.Done()
	return fmt.Errorf("store a login: %w", ctx.Err())
}

func (hung) RemoveLogin(ctx context.Context, _ []byte) error {
	<-ctx.Done()
	return fmt.Errorf("remove a login: %w", ctx.Err())
}
