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

	"docent/auth"
	"docent/internal/fault"
	"docent/internal/storetest"
)

// Store combines the storage interfaces of package auth.
type Store struct {
	Tokens auth.Tokens
	Users  auth.Users
	Logins auth.Logins
	Links  auth.Links
	// Identities are those of users at providers.
	Identities auth.Identities
}

// Database is an empty database made for one test.
type Database = storetest.Database[Store]

// Run runs the suite. fresh makes an empty database for each test.
func Run(t *testing.T, fresh func(t *testing.T) Database) {
	storetest.Run(t, fresh, map[string]func(*testing.T, Database){
		"Tokens":      tokens,
		"UserTokens":  userTokens,
		"TokenLimit":  tokenLimit,
		"Users":       users,
		"Logins":      logins,
		"LoginLimit":  loginLimit,
		"Odd":         odd,
		"AtOnce":      atOnce,
		"NewPassword": newPassword,
		"Disabled":    disabled,
		"UserLogins":  userLogins,
		"Links":       links,
		"LinkOnce":    linkOnce,
		"Identities":  identities,
	})
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
	storetest.OK(t, err)
	out := []string{}
	for _, r := range all {
		out = append(out, r.Name)
	}
	return out
}

func tokens(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	storetest.Want(t, "at first", tokenNames(t, k), []string{})
	storetest.OK(t,
		k.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Password: "p", Scopes: auth.Scopes{auth.Ask, auth.Ingest}, CreatedAt: anHour(0)}))
	plain := auth.TokenRecord{Name: "b", Hash: hash("b"), Scopes: auth.Scopes{auth.Ask}, CreatedAt: anHour(0)}
	storetest.OK(t, k.Tokens.AddToken(ctx, plain))
	whole := auth.TokenRecord{
		Name: "B", Hash: hash("B"), Scopes: auth.Scopes{auth.Ingest, auth.Admin}, User: "ann",
		CreatedAt: anHour(1), ExpiresAt: anHour(2), LastUsedAt: anHour(3),
	}
	storetest.OK(t, k.Tokens.AddToken(ctx, whole))
	whole.UserScopes = auth.Scopes{auth.Ask, auth.Ingest}
	for _, r := range []auth.TokenRecord{plain, whole} {
		got, err := k.Tokens.Token(ctx, r.Hash)
		storetest.OK(t, err)
		if r.ID = got.ID; r.ID == 0 {
			t.Errorf("token %s has no id", r.Name)
		}
		storetest.Want(t, "token "+r.Name, got, r)
	}
	storetest.Want(t, "listed by bytes", tokenNames(t, k), []string{"B", "b"})
	again := plain
	again.Hash = hash("other")
	storetest.WantKind(t, "the same name", k.Tokens.AddToken(ctx, again), fault.Conflict)
	again.Name, again.User = "c", "eve"
	storetest.WantKind(t, "nobody's", k.Tokens.AddToken(ctx, again), fault.NotFound)
	_, err := k.Tokens.Token(ctx, hash("other"))
	storetest.WantKind(t, "unknown", err, fault.NotFound)
	_, err = k.Tokens.Token(ctx, nil)
	storetest.WantKind(t, "no hash", err, fault.NotFound)

	storetest.OK(t, k.Tokens.UseToken(ctx, plain.Hash, anHour(5)))
	storetest.OK(t, k.Tokens.UseToken(ctx, hash("other"), anHour(5)))
	got, err := k.Tokens.Token(ctx, plain.Hash)
	storetest.OK(t, err)
	storetest.Want(t, "last use", got.LastUsedAt, anHour(5))
	storetest.OK(t, k.Tokens.RemoveToken(ctx, "b"))
	storetest.WantKind(t, "removed twice", k.Tokens.RemoveToken(ctx, "b"), fault.NotFound)
	_, err = db.Open(t).Tokens.Token(ctx, plain.Hash)
	storetest.WantKind(t, "revoked, seen by another process", err, fault.NotFound)
	storetest.OK(t, k.Tokens.AddToken(ctx, plain))
	storetest.OK(t, k.Users.RemoveUser(ctx, "ann"))
	storetest.Want(t, "without the user's", tokenNames(t, k), []string{"b"})
}

func users(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	ann := auth.UserRecord{Name: "ann", Password: "$argon2id$1", Scopes: auth.Scopes{auth.Admin}, CreatedAt: anHour(0)}
	zoe := auth.UserRecord{Name: "Zoë", Password: "$argon2id$2", Scopes: auth.Scopes{auth.Ask}, CreatedAt: anHour(1)}
	storetest.OK(t, k.Users.AddUser(ctx, ann))
	storetest.OK(t, k.Users.AddUser(ctx, zoe))
	other := ann
	other.Password = "$argon2id$3"
	storetest.WantKind(t, "the same name", k.Users.AddUser(ctx, other), fault.Conflict)
	all, err := k.Users.Users(ctx)
	storetest.OK(t, err)
	storetest.Want(t, "listed by bytes", all, []auth.UserRecord{zoe, ann})
	got, err := k.Users.User(ctx, "ann")
	storetest.OK(t, err)
	storetest.Want(t, "ann", got, ann)
	for _, name := range []string{"", "Ann", "ann ", "eve", "ann\x00"} {
		_, err = k.Users.User(ctx, name)
		storetest.WantKind(t, fmt.Sprintf("user %q", name), err, fault.NotFound)
	}
	for _, name := range []string{"ann", "Zoë"} {
		record, err := k.Users.User(ctx, name)
		storetest.OK(t, err)
		storetest.OK(t, k.Logins.AddLogin(ctx, auth.LoginRecord{
			Hash: hash(name), User: name, Password: record.Password, CreatedAt: anHour(0), ExpiresAt: anHour(9), LastUsedAt: anHour(0),
		}))
	}
	storetest.OK(t, k.Users.SetPassword(ctx, "ann", "$argon2id$4"))
	got, err = k.Users.User(ctx, "ann")
	storetest.OK(t, err)
	storetest.Want(t, "another password", got.Password, "$argon2id$4")
	_, err = k.Logins.Login(ctx, hash("ann"))
	storetest.WantKind(t, "the login before it", err, fault.NotFound)
	_, err = k.Logins.Login(ctx, hash("Zoë"))
	storetest.OK(t, err)
	storetest.WantKind(t, "password of nobody", k.Users.SetPassword(ctx, "eve", "x"), fault.NotFound)
	storetest.OK(t, k.Users.SetScopes(ctx, "Zoë", auth.Scopes{auth.Ingest, auth.Ask}))
	got, err = k.Users.User(ctx, "Zoë")
	storetest.OK(t, err)
	zoe.Scopes, zoe.LastSeenAt = auth.Scopes{auth.Ingest, auth.Ask}, anHour(0)
	storetest.Want(t, "other scopes", got, zoe)
	login, err := k.Logins.Login(ctx, hash("Zoë"))
	storetest.OK(t, err)
	storetest.Want(t, "the login's", login.UserScopes, zoe.Scopes)
	storetest.WantKind(t, "scopes of nobody", k.Users.SetScopes(ctx, "eve", zoe.Scopes), fault.NotFound)
	storetest.OK(t, k.Users.RemoveUser(ctx, "Zoë"))
	storetest.WantKind(t, "removed twice", k.Users.RemoveUser(ctx, "Zoë"), fault.NotFound)
	storetest.Want(t, "logins", db.Count(t, "login"), 0)
}

func logins(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Password: "p", Scopes: auth.Scopes{auth.Ask, auth.Admin}}))
	login := auth.LoginRecord{Hash: hash("1"), User: "ann", Password: "p", CreatedAt: anHour(0), ExpiresAt: anHour(2), LastUsedAt: anHour(1)}
	storetest.OK(t, k.Logins.AddLogin(ctx, login))
	got, err := k.Logins.Login(ctx, login.Hash)
	storetest.OK(t, err)
	read := login
	read.Password, read.UserScopes = "", auth.Scopes{auth.Ask, auth.Admin}
	storetest.Want(t, "login", got, read)
	storetest.OK(t, k.Logins.UseLogin(ctx, login.Hash, anHour(3), anHour(4)))
	storetest.OK(t, k.Logins.UseLogin(ctx, hash("none"), anHour(3), anHour(4)))
	got, err = k.Logins.Login(ctx, login.Hash)
	storetest.OK(t, err)
	storetest.Want(t, "used", []time.Time{got.CreatedAt, got.LastUsedAt, got.ExpiresAt}, []time.Time{anHour(0), anHour(3), anHour(4)})

	later := login
	later.Hash, later.CreatedAt, later.ExpiresAt = hash("2"), anHour(3), anHour(9)
	storetest.OK(t, k.Logins.AddLogin(ctx, later))
	storetest.Want(t, "logins", db.Count(t, "login"), 2)
	later.Hash, later.CreatedAt = hash("3"), anHour(4)
	storetest.OK(t, k.Logins.AddLogin(ctx, later))
	_, err = k.Logins.Login(ctx, login.Hash)
	storetest.WantKind(t, "ended when the last came", err, fault.NotFound)
	storetest.OK(t, k.Logins.RemoveLogin(ctx, hash("2")))
	storetest.OK(t, k.Logins.RemoveLogin(ctx, hash("2")))
	_, err = k.Logins.Login(ctx, hash("2"))
	storetest.WantKind(t, "logged out", err, fault.NotFound)

	wrong := later
	wrong.Hash, wrong.Password = hash("4"), "q"
	storetest.WantKind(t, "a password that has changed", k.Logins.AddLogin(ctx, wrong), fault.NotFound)
	wrong.User, wrong.Password = "eve", "p"
	storetest.WantKind(t, "nobody", k.Logins.AddLogin(ctx, wrong), fault.NotFound)
	storetest.Want(t, "logins", db.Count(t, "login"), 1)
}

// loginLimit: a further login ends the user's oldest one.
func loginLimit(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	for _, name := range []string{"ann", "bob"} {
		storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: name, Password: "p", Scopes: auth.Scopes{auth.Ask}}))
	}
	add := func(user string, i int) {
		storetest.OK(t, k.Logins.AddLogin(ctx, auth.LoginRecord{
			Hash: hash(fmt.Sprint(user, i)), User: user, Password: "p",
			CreatedAt: anHour(0).Add(time.Duration(i) * time.Second), ExpiresAt: anHour(9), LastUsedAt: anHour(0),
		}))
	}
	add("bob", 0)
	for i := range auth.MaxLogins + 3 {
		add("ann", i)
	}
	storetest.Want(t, "logins", db.Count(t, "login"), auth.MaxLogins+1)
	_, err := k.Logins.Login(ctx, hash("ann2"))
	storetest.WantKind(t, "an old one", err, fault.NotFound)
	for _, word := range []string{"ann3", fmt.Sprint("ann", auth.MaxLogins+2), "bob0"} {
		_, err := k.Logins.Login(ctx, hash(word))
		storetest.OK(t, err)
	}
}

// odd: stored names and hashes are never part of a statement.
func odd(t *testing.T, db Database) {
	k, ctx := db.Open(t), t.Context()
	name := `'; DROP TABLE app_user; -- "é%_`
	storetest.OK(t, k.Users.AddUser(ctx, auth.UserRecord{Name: name, Password: name, Scopes: auth.Scopes{auth.Ask}}))
	odd := bytes.Repeat([]byte{0, 0xff, '\''}, 11)[:32]
	storetest.OK(t, k.Tokens.AddToken(ctx, auth.TokenRecord{Name: name, Hash: odd, Scopes: auth.Scopes{auth.Ask}, User: name}))
	got, err := k.Tokens.Token(ctx, odd)
	storetest.OK(t, err)
	storetest.Want(t, "name and user", []string{got.Name, got.User}, []string{name, name})
	storetest.OK(t, k.Users.RemoveUser(ctx, name))
	storetest.Want(t, "tokens", db.Count(t, "api_token"), 0)
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
			storetest.WantKind(t, fmt.Sprint("attempt ", i), err, fault.Conflict)
		}
	}
	storetest.Want(t, "made", made, 2)
}

// newPassword: a login that is added while the password changes does not outlive
// the old password.
func newPassword(t *testing.T, db Database) {
	ctx := t.Context()
	a, b := db.Open(t), db.Open(t)
	for round := range 10 {
		old := fmt.Sprint("p", round)
		storetest.OK(t, a.Users.AddUser(ctx, auth.UserRecord{Name: "ann", Password: old, Scopes: auth.Scopes{auth.Ask}}))
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
		storetest.Want(t, "logins by the old password", db.Count(t, "login"), 0)
		storetest.OK(t, b.Users.RemoveUser(ctx, "ann"))
	}
}
