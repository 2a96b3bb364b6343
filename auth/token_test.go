package auth_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

func TestToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask, auth.Ingest}, For: time.Hour})
	if len(token) != 56 || !strings.HasPrefix(token, "docent_") {
		t.Errorf("a token of %d characters", len(token))
	}
	hash := sha256.Sum256([]byte(token))
	record, err := w.db.Token(t.Context(), hash[:])
	ok(t, err)
	if strings.Contains(fmt.Sprintf("%+v", record), token) {
		t.Error("the store has the token itself")
	}
	p, err := w.Token(t.Context(), token)
	w.is(p, err, "token:ci ci ask ingest")
	if p.May(auth.Admin) || !p.Expires.Equal(w.clock.now().Add(time.Hour)) {
		t.Errorf("principal %+v", p)
	}
	ok(t, w.Valid(t.Context(), p))
	w.clock.pass(time.Hour - 1)
	_, err = w.Token(t.Context(), token)
	ok(t, err)
	w.clock.pass(1)
	_, err = w.Token(t.Context(), token)
	fails(t, err, fault.Unauthorized, "has expired")
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "has expired")
}

func TestRevokedTokenStopsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Admin}})
	p, err := w.Token(t.Context(), token)
	w.is(p, err, "token:ci ci admin")
	if !p.Expires.IsZero() {
		t.Errorf("it expires at %s", p.Expires)
	}
	ok(t, w.RevokeToken(t.Context(), "ci"))
	_, err = w.Token(t.Context(), token)
	fails(t, err, fault.Unauthorized, "unknown here")
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "unknown here")
	fails(t, w.RevokeToken(t.Context(), "ci"), fault.NotFound, "no such token")
	again := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	_, err = w.Token(t.Context(), token)
	fails(t, err, fault.Unauthorized, "unknown here")
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "unknown here")
	p, err = w.Token(t.Context(), again)
	w.is(p, err, "token:ci ci ask")
}

func TestTokenOnBehalfOfAUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask, auth.Ingest)
	w.user("root", auth.Admin)
	for _, test := range []struct {
		user   string
		scopes auth.Scopes
		want   string
	}{
		{"ann", auth.Scopes{auth.Admin}, "user:ann ann ask ingest"},
		{"ann", auth.Scopes{auth.Ask}, "user:ann ann ask"},
		{"root", auth.Scopes{auth.Ingest}, "user:root root ingest"},
		{"root", auth.Scopes{auth.Admin}, "user:root root ask ingest admin"},
	} {
		p, err := w.Token(t.Context(), w.token(auth.TokenSpec{Name: test.user + string(test.scopes[0]), User: test.user, Scopes: test.scopes}))
		w.is(p, err, test.want)
	}
	token := w.token(auth.TokenSpec{Name: "x", User: "ann", Scopes: auth.Scopes{auth.Ask}})
	p, err := w.Token(t.Context(), token)
	ok(t, err)
	ok(t, w.DeleteUser(t.Context(), "ann"))
	_, err = w.Token(t.Context(), token)
	fails(t, err, fault.Unauthorized, "unknown here")
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "unknown here")
}

func TestTokenSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ask := auth.Scopes{auth.Ask}
	w.token(auth.TokenSpec{Name: "Jo\u0308rg@host.example+ci-1_2", Scopes: ask})
	for name, spec := range map[string]auth.TokenSpec{
		"empty":     {Scopes: ask},
		"long":      {Name: strings.Repeat("x", auth.MaxName+1), Scopes: ask},
		"blank":     {Name: "a b", Scopes: ask},
		"control":   {Name: "a\x00", Scopes: ask},
		"colon":     {Name: "a:b", Scopes: ask},
		"flag":      {Name: "--help", Scopes: ask},
		"not UTF-8": {Name: "\xff", Scopes: ask},
		"no scope":  {Name: "x"},
		"past":      {Name: "x", Scopes: ask, For: -1},
	} {
		if _, err := w.CreateToken(t.Context(), spec); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	_, err := w.CreateToken(t.Context(), auth.TokenSpec{Name: "J\u00f6rg@host.example+ci-1_2", Scopes: ask})
	fails(t, err, fault.Conflict, "another name")
	_, err = w.CreateToken(t.Context(), auth.TokenSpec{Name: "x", Scopes: ask, User: "eve"})
	fails(t, err, fault.NotFound, "no such user")
}

// TestWrongTokens: errors distinguish invalid tokens only where that reveals
// nothing. No error and no log contains a token.
func TestWrongTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	right := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	other := newWorld(t).token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	typo := []byte(right)
	typo[20] ^= 1
	for token, says := range map[string]string{
		"": "unknown here", "x": "unknown here", other: "unknown here", "docent_": "mistyped", right[:55]: "mistyped", right + "A": "mistyped", string(typo): "mistyped",
		strings.ToUpper(right): "unknown here", " " + right: "unknown here", strings.Repeat("docent_", auth.MaxTokenBytes): "unknown here", "eyJhbGciOiJub25lIn0.e30.": "unknown here",
	} {
		_, err := w.Token(t.Context(), token)
		fails(t, err, fault.Unauthorized, says)
		if len(token) > 8 && strings.Contains(err.Error(), token) {
			t.Errorf("the token is in the error %q", err)
		}
	}
	for _, secret := range []string{right, other, right[:55]} {
		if strings.Contains(w.log.String(), secret) {
			t.Error("a token is in the log")
		}
	}
}

// TestLastUse checks that a use is recorded once a minute, in the background.
func TestLastUse(t *testing.T) {
	t.Parallel()
	counting := &countingStore{}
	w := newWorld(t, func(c *auth.Config) { counting.tokens, c.Tokens = c.Tokens, counting })
	token := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	used := func() time.Time {
		w.Noted()
		all, err := w.db.Tokens(t.Context())
		ok(t, err)
		return all[0].LastUsedAt
	}
	for range 5 {
		_, err := w.Token(t.Context(), token)
		ok(t, err)
		w.Noted()
	}
	first := w.clock.now()
	if at := used(); !at.Equal(first) || counting.uses != 1 {
		t.Errorf("used at %s, noted %d times", at, counting.uses)
	}
	w.clock.pass(time.Minute - time.Second)
	_, err := w.Token(t.Context(), token)
	ok(t, err)
	if at := used(); !at.Equal(first) {
		t.Errorf("used at %s within a minute", at)
	}
	w.clock.pass(time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = w.Token(ctx, token)
	cancel() // the request has ended
	ok(t, err)
	if at := used(); !at.Equal(w.clock.now()) || counting.uses != 2 {
		t.Errorf("used at %s, noted %d times", at, counting.uses)
	}
}

// tokens is embedded under a name that does not hide its method Tokens.
type tokens = auth.Tokens

// countingStore counts recorded uses. Tests wait for noted between reads.
type countingStore struct {
	tokens
	uses int
}

func (s *countingStore) UseToken(ctx context.Context, hash []byte, at time.Time) error {
	s.uses++
	return s.tokens.UseToken(ctx, hash, at)
}

// stuckStore blocks when a use is recorded.
type stuckStore struct {
	tokens
	entered, leave chan struct{}
}

func (s *stuckStore) UseToken(context.Context, []byte, time.Time) error {
	s.entered <- struct{}{}
	<-s.leave
	return errBroken
}

// TestLastUseIsNotInTheWay: users can sign in even if the store cannot write.
func TestLastUseIsNotInTheWay(t *testing.T) {
	t.Parallel()
	stuck := &stuckStore{entered: make(chan struct{}, 1), leave: make(chan struct{})}
	w := newWorld(t, func(c *auth.Config) { stuck.tokens, c.Tokens = c.Tokens, stuck })
	token := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	for range 3 {
		_, err := w.Token(t.Context(), token)
		ok(t, err)
	}
	<-stuck.entered
	close(stuck.leave)
	w.Close()
	_, err := w.Token(t.Context(), token) // after Close no use is recorded
	ok(t, err)
	if !strings.Contains(w.log.String(), "kind=unavailable") {
		t.Errorf("the log is %s", w.log)
	}
}

func TestBrokenStoreIsNotAWrongToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.token(auth.TokenSpec{Name: "ci", Scopes: auth.Scopes{auth.Ask}})
	w.user("ann", auth.Ask)
	p, err := w.Token(t.Context(), token)
	ok(t, err)
	b := newWorldOn(t, broken{w.db})
	for range 50 {
		_, err = b.Token(t.Context(), token)
		fails(t, err, fault.Unavailable, "database")
		_, _, err = b.Password(t.Context(), "ann", password, "192.0.2.1")
		fails(t, err, fault.Unavailable, "database")
		_, err = b.Cookie(t.Context(), "x")
		fails(t, err, fault.Unavailable, "database")
		fails(t, b.Valid(t.Context(), p), fault.Unavailable, "database")
	}
}

func TestConfigNamesTheField(t *testing.T) {
	t.Parallel()
	for field, clear := range map[string]func(*auth.Config){
		"Config.Tokens":   func(c *auth.Config) { c.Tokens = nil },
		"Config.Users":    func(c *auth.Config) { c.Users = nil },
		"Config.Logins":   func(c *auth.Config) { c.Logins = nil },
		"Config.Audience": func(c *auth.Config) { c.Issuer = "https://id.example" },
	} {
		cfg := config(broken{})
		clear(&cfg)
		if _, err := auth.New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("without %s: error is %v", field, err)
		}
	}
}

func FuzzToken(f *testing.F) {
	for _, seed := range []string{"", "docent_", "eyJhbGciOiJub25lIn0.e30.", "eyJ.eyJ.eyJ", "docent_" + strings.Repeat("A", 49), "a.b.c"} {
		f.Add(seed)
	}
	cfg := config(empty{})
	cfg.Issuer, cfg.Audience = "http://127.0.0.1:0", "a"
	a, err := auth.New(cfg)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if auth.LooksLikeJWT(token) {
			return // otherwise docent would ask the issuer
		}
		if _, err := a.Token(t.Context(), token); fault.KindOf(err) != fault.Unauthorized {
			t.Errorf("%q: error is %v", token, err)
		}
	})
}

// empty is a store without tokens.
type empty struct{ store }

func (empty) Token(context.Context, []byte) (auth.TokenRecord, error) {
	return auth.TokenRecord{}, fault.New(fault.NotFound, "no_token", "there is no such token")
}
