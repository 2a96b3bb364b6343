package auth_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
)

func TestHashPassword(t *testing.T) {
	t.Parallel()
	a, err := auth.HashAtFullCost("p\u00e4ssw\u00f6rd")
	ok(t, err)
	b, err := auth.HashAtFullCost("p\u00e4ssw\u00f6rd")
	ok(t, err)
	if a == b || !strings.HasPrefix(a, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hashes are %s and %s", a, b)
	}
	for word, want := range map[string]bool{"p\u00e4ssw\u00f6rd": true, "pa\u0308sswo\u0308rd": true, "passw\u00f6rd": false, "p\u00e4ssw\u00f6rd.": false, "": false} {
		if auth.Matches(a, word) != want {
			t.Errorf("%q matches: %v", word, !want)
		}
	}
	for word, good := range map[string]bool{
		"seven77": false, "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc": false, "eight888": true,
		strings.Repeat("x", auth.MaxPasswordBytes): true, strings.Repeat("x", auth.MaxPasswordBytes+1): false,
	} {
		if _, err := auth.HashPassword(word); (err == nil) != good || (err != nil && fault.KindOf(err) != fault.Invalid) {
			t.Errorf("a password of %d bytes: %v", len(word), err)
		}
	}
}

// TestForeignHash: a hash from another program with other parameters is
// accepted. The reference implementation of argon2id made it from "password"
// and "somesalt".
func TestForeignHash(t *testing.T) {
	t.Parallel()
	const hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	if !auth.Matches(hash, "password") || auth.Matches(hash, "passwort") {
		t.Error("it is read wrong")
	}
}

func TestHashesOutOfBounds(t *testing.T) {
	t.Parallel()
	const salt, key = "c29tZXNhbHQ", "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	for _, hash := range []string{
		"", "$", "password", "$argon2i$v=19$m=256,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=16$m=256,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=4194304,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=4000000000,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=0,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=2,p=0$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=2,p=255$" + salt + "$" + key,
		"$argon2id$v=19$m=7,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=-1,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=2,p=1 $" + salt + "$" + key,
		"$argon2id$v=19$m=256,t=2,p=1$$" + key,
		"$argon2id$v=19$m=256,t=2,p=1$" + salt + "$",
		"$argon2id$v=19$m=256,t=2,p=1$" + salt + "$AAAA",
		"$argon2id$v=19$m=256,t=2,p=1$" + salt + "$" + key + "$x",
		"$argon2id$v=19$m=256,t=2,p=1$" + strings.Repeat("A", 200) + "$" + key,
	} {
		if _, err := auth.ParsePHC(hash); err == nil {
			t.Errorf("%s is taken", hash)
		}
	}
}

func FuzzPHC(f *testing.F) {
	f.Add("$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
	f.Add("$argon2id$v=19$m=+256,t=2,p=01$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
	f.Fuzz(func(t *testing.T, s string) {
		if out, err := auth.ParsePHC(s); err == nil && out != s {
			t.Errorf("%q became %q", s, out)
		}
	})
}

func TestPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask, auth.Ingest)
	p, err := w.Cookie(t.Context(), w.login("ann"))
	w.is(p, err, "user:ann ann ask ingest")
	for _, try := range [][2]string{
		{"ann", "wrong horse"},
		{"ann", ""},
		{"eve", password},
		{"", password},
		{"Añn", password},
		{"ann\x00", password},
		{strings.Repeat("x", 1<<20), password},
		{"ann ", strings.Repeat("x", 1<<20)},
	} {
		_, _, err := w.Password(t.Context(), try[0], try[1], "")
		fails(t, err, fault.Unauthorized, "the user name or the password is wrong")
	}
	fails(t, w.CreateUser(t.Context(), "ann", password, auth.Scopes{auth.Ask}), fault.Conflict, "already")
	fails(t, w.CreateUser(t.Context(), "a/b", password, auth.Scopes{auth.Ask}), fault.Invalid, "letters")
	fails(t, w.CreateUser(t.Context(), "bob", password, nil), fault.Invalid, "scope")
	fails(t, w.CreateUser(t.Context(), "bob", "short", auth.Scopes{auth.Ask}), fault.Invalid, "8 characters")
	if strings.Contains(w.log.String(), "horse") {
		t.Error("a password is in the log")
	}
}

func TestNewPasswordEndsLogins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	cookie := w.login("ann")
	p, err := w.Cookie(t.Context(), cookie)
	ok(t, err)
	token := w.token(auth.TokenSpec{Name: "t", User: "ann", Scopes: auth.Scopes{auth.Ask}})
	ok(t, w.SetPassword(t.Context(), "ann", "another horse"))
	_, err = w.Cookie(t.Context(), cookie)
	fails(t, err, fault.Unauthorized, "sign in again")
	fails(t, w.Valid(t.Context(), p), fault.Unauthorized, "sign in again")
	_, _, err = w.Password(t.Context(), "ann", password, "")
	fails(t, err, fault.Unauthorized, "wrong")
	_, _, err = w.Password(t.Context(), "ann", "another horse", "")
	ok(t, err)
	_, err = w.Token(t.Context(), token)
	ok(t, err)
}

// TestUnknownUsersTakeAsLong: docent hashes the password of an unknown user
// too, so known and unknown users wait equally for a free check.
func TestUnknownUsersTakeAsLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	for range auth.MaxHashing {
		w.Hashing() <- struct{}{}
	}
	for _, name := range []string{"ann", "eve", "", "no name"} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		_, _, err := w.Password(ctx, name, password, "192.0.2.1")
		cancel()
		fails(t, err, fault.Unavailable, "")
	}
	// Unchecked attempts do not count.
	for range auth.MaxHashing {
		<-w.Hashing()
	}
	w.login("ann")
}

// TestChecksAreBounded: the memory limit bounds the number of concurrent
// checks.
func TestChecksAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.user("ann", auth.Ask)
	for range auth.MaxHashing {
		w.Hashing() <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range auth.MaxWaiting {
		all.Go(func() {
			_, _, err := w.Password(ctx, fmt.Sprint("user", i), password, fmt.Sprint("192.0.2.", i))
			if fault.KindOf(err) != fault.Canceled {
				t.Errorf("one that waits: %v", err)
			}
		})
	}
	for len(w.Waiting()) < auth.MaxWaiting {
		if t.Context().Err() != nil {
			t.Fatal("they do not wait")
		}
	}
	_, _, err := w.Password(t.Context(), "ann", password, "192.0.2.200")
	fails(t, err, fault.Busy, "try again")
	cancel()
	all.Wait()
	for range auth.MaxHashing {
		<-w.Hashing()
	}
	w.login("ann")
}
