// Package authtest is the test suite for the storage interfaces of package auth.
// Each store must pass it.
package authtest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docent/auth"
	"docent/internal/fault"
)

// Store combines the storage interfaces of package auth.
type Store struct {
	Tokens auth.Tokens
	Users  auth.Users
	Logins auth.Logins
}

// Database is an empty database made for one test.
type Database struct {
	// Open opens the database like another process. It closes the database at the
	// end of the test.
	Open func(t *testing.T) Store
	// Count returns the number of rows of a table.
	Count func(t *testing.T, table string) int
}

// Run runs the suite. fresh makes an empty database for each test.
func Run(t *testing.T, fresh func(t *testing.T) Database) {
	for name, test := range map[string]func(*testing.T, Database){
		"Tokens":      tokens,
		"UserTokens":  userTokens,
		"TokenLimit":  tokenLimit,
		"Users":       users,
		"Logins":      logins,
		"LoginLimit":  loginLimit,
		"Odd":         odd,
		"AtOnce":      atOnce,
		"NewPassword": newPassword,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

// ok ends the test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want compares two values.
func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// wantKind checks the kind of an error.
func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("%s: got error %v, want one of kind %s", what, err, kind)
	}
}

// anHour is n hours after a fixed time, in the precision that databases keep.
func anHour(n int) time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC).Add(time.Duration(n) * time.Hour)
}

// hash stands for the hash of a token or a cookie.
func hash(word string) []byte {
	sum := sha256.Sum256([]byte(word))
	return sum[:]
}

// tokenNames lists the names of all tokens.
func tokenNames(t *testing.T, k Store) []string {
	t.Helper()
	all, err := k.Tokens.Tokens(t.Context())
	ok(t, err)
	out := []string{}
	for _, r := range all {
		out = append(out, r.Name)
	}
	return out
}

func tokens(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	want(t, "at first", tokenNames(t, k), []string{})
	ok(t, k.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Password: "p", Scopes: auth.Scopes{auth.Ask, auth.Ingest}, CreatedAt: anHour(0)}))
	plain := auth.TokenRecord{Name: "b", Hash: hash("b"), Scopes: auth.Scopes{auth.Ask}, CreatedAt: anHour(0)}
	ok(t, k.Tokens.AddToken(ctx, plain))
	whole := auth.TokenRecord{
		Name: "B", Hash: hash("B"), Scopes: auth.Scopes{auth.Ingest, auth.Admin}, User: "ann",
		CreatedAt: anHour(1), ExpiresAt: anHour(2), LastUsedAt: anHour(3),
	}
	ok(t, k.Tokens.AddToken(ctx, whole))
	whole.UserScopes = auth.Scopes{auth.Ask, auth.Ingest}
	for _, r := range []auth.TokenRecord{plain, whole} {
		got, err := k.Tokens.Token(ctx, r.Hash)
		ok(t, err)
		if r.ID = got.ID; r.ID == 0 {
			t.Errorf("token %s has no id", r.Name)
		}
		want(t, "token "+r.Name, got, r)
	}
	want(t, "listed by bytes", tokenNames(t, k), []string{"B", "b"})
	again := plain
	again.Hash = hash("other")
	wantKind(t, "the same name", k.Tokens.AddToken(ctx, again), fault.Conflict)
	again.Name, again.User = "c", "eve"
	wantKind(t, "nobody's", k.Tokens.AddToken(ctx, again), fault.NotFound)
	_, err := k.Tokens.Token(ctx, hash("other"))
	wantKind(t, "unknown", err, fault.NotFound)
	_, err = k.Tokens.Token(ctx, nil)
	wantKind(t, "no hash", err, fault.NotFound)

	ok(t, k.Tokens.UseToken(ctx, plain.Hash, anHour(5)))
	ok(t, k.Tokens.UseToken(ctx, hash("other"), anHour(5)))
	got, err := k.Tokens.Token(ctx, plain.Hash)
	ok(t, err)
	want(t, "last use", got.LastUsedAt, anHour(5))
	ok(t, k.Tokens.RemoveToken(ctx, "b"))
	wantKind(t, "removed twice", k.Tokens.RemoveToken(ctx, "b"), fault.NotFound)
	_, err = db.Open(t).Tokens.Token(ctx, plain.Hash)
	wantKind(t, "revoked, seen by another process", err, fault.NotFound)
	ok(t, k.Tokens.AddToken(ctx, plain))
	ok(t, k.Users.RemoveUser(ctx, "ann"))
	want(t, "without the user's", tokenNames(t, k), []string{"b"})
}

func users(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	ann := auth.UserRecord{Name: "ann", Password: "$argon2id$1", Scopes: auth.Scopes{auth.Admin}, CreatedAt: anHour(0)}
	zoe := auth.UserRecord{Name: "Zoë", Password: "$argon2id$2", Scopes: auth.Scopes{auth.Ask}, CreatedAt: anHour(1)}
	ok(t, k.Users.AddUser(ctx, ann))
	ok(t, k.Users.AddUser(ctx, zoe))
	other := ann
	other.Password = "$argon2id$3"
	wantKind(t, "the same name", k.Users.AddUser(ctx, other), fault.Conflict)
	all, err := k.Users.Users(ctx)
	ok(t, err)
	want(t, "listed by bytes", all, []auth.UserRecord{zoe, ann})
	got, err := k.Users.User(ctx, "ann")
	ok(t, err)
	want(t, "ann", got, ann)
	for _, name := range []string{"", "Ann", "ann ", "eve", "ann\x00"} {
		_, err = k.Users.User(ctx, name)
		wantKind(t, fmt.Sprintf("user %q", name), err, fault.NotFound)
	}
	for _, name := range []string{"ann", "Zoë"} {
		record, err := k.Users.User(ctx, name)
		ok(t, err)
		ok(t, k.Logins.AddLogin(ctx, auth.LoginRecord{
			Hash: hash(name), User: name, Password: record.Password, CreatedAt: anHour(0), ExpiresAt: anHour(9), LastUsedAt: anHour(0),
		}))
	}
	ok(t, k.Users.SetPassword(ctx, "ann", "$argon2id$4"))
	got, err = k.Users.User(ctx, "ann")
	ok(t, err)
	want(t, "another password", got.Password, "$argon2id$4")
	_, err = k.Logins.Login(ctx, hash("ann"))
	wantKind(t, "the login before it", err, fault.NotFound)
	_, err = k.Logins.Login(ctx, hash("Zoë"))
	ok(t, err)
	wantKind(t, "password of nobody", k.Users.SetPassword(ctx, "eve", "x"), fault.NotFound)
	ok(t, k.Users.SetScopes(ctx, "Zoë", auth.Scopes{auth.Ingest, auth.Ask}))
	got, err = k.Users.User(ctx, "Zoë")
	ok(t, err)
	zoe.Scopes = auth.Scopes{auth.Ingest, auth.Ask}
	want(t, "other scopes", got, zoe)
	login, err := k.Logins.Login(ctx, hash("Zoë"))
	ok(t, err)
	want(t, "the login's", login.UserScopes, zoe.Scopes)
	wantKind(t, "scopes of nobody", k.Users.SetScopes(ctx, "eve", zoe.Scopes), fault.NotFound)
	ok(t, k.Users.RemoveUser(ctx, "Zoë"))
	wantKind(t, "removed twice", k.Users.RemoveUser(ctx, "Zoë"), fault.NotFound)
	want(t, "logins", db.Count(t, "login"), 0)
}

func logins(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	ok(t, k.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Password: "p", Scopes: auth.Scopes{auth.Ask, auth.Admin}}))
	login := auth.LoginRecord{Hash: hash("1"), User: "ann", Password: "p", CreatedAt: anHour(0), ExpiresAt: anHour(2), LastUsedAt: anHour(1)}
	ok(t, k.Logins.AddLogin(ctx, login))
	got, err := k.Logins.Login(ctx, login.Hash)
	ok(t, err)
	read := login
	read.Password, read.UserScopes = "", auth.Scopes{auth.Ask, auth.Admin}
	want(t, "login", got, read)
	ok(t, k.Logins.UseLogin(ctx, login.Hash, anHour(3), anHour(4)))
	ok(t, k.Logins.UseLogin(ctx, hash("none"), anHour(3), anHour(4)))
	got, err = k.Logins.Login(ctx, login.Hash)
	ok(t, err)
	want(t, "used", []time.Time{got.CreatedAt, got.LastUsedAt, got.ExpiresAt}, []time.Time{anHour(0), anHour(3), anHour(4)})

	later := login
	later.Hash, later.CreatedAt, later.ExpiresAt = hash("2"), anHour(3), anHour(9)
	ok(t, k.Logins.AddLogin(ctx, later))
	want(t, "logins", db.Count(t, "login"), 2)
	later.Hash, later.CreatedAt = hash("3"), anHour(4)
	ok(t, k.Logins.AddLogin(ctx, later))
	_, err = k.Logins.Login(ctx, login.Hash)
	wantKind(t, "ended when the last came", err, fault.NotFound)
	ok(t, k.Logins.RemoveLogin(ctx, hash("2")))
	ok(t, k.Logins.RemoveLogin(ctx, hash("2")))
	_, err = k.Logins.Login(ctx, hash("2"))
	wantKind(t, "logged out", err, fault.NotFound)

	wrong := later
	wrong.Hash, wrong.Password = hash("4"), "q"
	wantKind(t, "a password that has changed", k.Logins.AddLogin(ctx, wrong), fault.NotFound)
	wrong.User, wrong.Password = "eve", "p"
	wantKind(t, "nobody", k.Logins.AddLogin(ctx, wrong), fault.NotFound)
	want(t, "logins", db.Count(t, "login"), 1)
}

// loginLimit: a further login ends the user's oldest one.
func loginLimit(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	for _, name := range []string{"ann", "bob"} {
		ok(t, k.Users.AddUser(ctx, auth.UserRecord{Name: name, Password: "p", Scopes: auth.Scopes{auth.Ask}}))
	}
	add := func(user string, i int) {
		ok(t, k.Logins.AddLogin(ctx, auth.LoginRecord{
			Hash: hash(fmt.Sprint(user, i)), User: user, Password: "p",
			CreatedAt: anHour(0).Add(time.Duration(i) * time.Second), ExpiresAt: anHour(9), LastUsedAt: anHour(0),
		}))
	}
	add("bob", 0)
	for i := range auth.MaxLogins + 3 {
		add("ann", i)
	}
	want(t, "logins", db.Count(t, "login"), auth.MaxLogins+1)
	_, err := k.Logins.Login(ctx, hash("ann2"))
	wantKind(t, "an old one", err, fault.NotFound)
	for _, word := range []string{"ann3", fmt.Sprint("ann", auth.MaxLogins+2), "bob0"} {
		_, err := k.Logins.Login(ctx, hash(word))
		ok(t, err)
	}
}

// odd: stored names and hashes are never part of a statement.
func odd(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	name := `'; DROP TABLE app_user; -- "é%_`
	ok(t, k.Users.AddUser(ctx, auth.UserRecord{Name: name, Password: name, Scopes: auth.Scopes{auth.Ask}}))
	odd := bytes.Repeat([]byte{0, 0xff, '\''}, 11)[:32]
	ok(t, k.Tokens.AddToken(ctx, auth.TokenRecord{Name: name, Hash: odd, Scopes: auth.Scopes{auth.Ask}, User: name}))
	got, err := k.Tokens.Token(ctx, odd)
	ok(t, err)
	want(t, "name and user", []string{got.Name, got.User}, []string{name, name})
	ok(t, k.Users.RemoveUser(ctx, name))
	want(t, "tokens", db.Count(t, "api_token"), 0)
}

// atOnce: several processes cannot create two users or tokens of one name.
func atOnce(t *testing.T, db Database) {
	const n = 8
	ctx := t.Context()
	handles := []Store{db.Open(t), db.Open(t)}
	var all sync.WaitGroup
	failed := make([]error, 2*n)
	for i := range n {
		k := handles[i%len(handles)]
		all.Go(func() {
			failed[i] = k.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Password: fmt.Sprint(i), Scopes: auth.Scopes{auth.Ask}})
		})
		all.Go(func() {
			failed[n+i] = k.Tokens.AddToken(ctx, auth.TokenRecord{Name: "ci", Hash: hash(fmt.Sprint(i)), Scopes: auth.Scopes{auth.Ask}})
		})
	}
	all.Wait()
	made := 0
	for i, err := range failed {
		if err == nil {
			made++
		} else {
			wantKind(t, fmt.Sprint("attempt ", i), err, fault.Conflict)
		}
	}
	want(t, "made", made, 2)
}

// newPassword: a login that is added while the password changes does not outlive
// the old password.
func newPassword(t *testing.T, db Database) {
	ctx := t.Context()
	a, b := db.Open(t), db.Open(t)
	for round := range 10 {
		old := fmt.Sprint("p", round)
		ok(t, a.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Password: old, Scopes: auth.Scopes{auth.Ask}}))
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				err := a.Logins.AddLogin(ctx, auth.LoginRecord{
					Hash: hash(fmt.Sprint(round, i)), User: "ann", Password: old,
					CreatedAt: anHour(0), ExpiresAt: anHour(1), LastUsedAt: anHour(0),
				})
				if err != nil && fault.KindOf(err) != fault.NotFound {
					t.Errorf("login: %v", err)
				}
			})
		}
		all.Go(func() {
			if err := b.Users.SetPassword(ctx, "ann", "new"); err != nil {
				t.Errorf("set password: %v", err)
			}
		})
		all.Wait()
		want(t, "logins by the old password", db.Count(t, "login"), 0)
		ok(t, b.Users.RemoveUser(ctx, "ann"))
	}
}
