// Package rightstest is the test suite for rights.Store. Each store must pass it.
package rightstest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docent/auth"
	"docent/auth/rights"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag/corpus"
)

// Store combines rights with the accounts that have them.
type Store struct {
	rights.Store

	Tokens auth.Tokens
	Users  auth.Users
}

// Run runs the suite. open makes an empty store for each test.
func Run(t *testing.T, open func(t *testing.T) Store) {
	storetest.Run(t, open, map[string]func(*testing.T, Store){
		"Open":         openCollections,
		"Levels":       grantLevels,
		"Groups":       groups,
		"IssuerGroups": issuerGroups,
		"Removal":      removal,
		"Missing":      missing,
		"Model":        model,
	})
}

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func fails(t *testing.T, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Errorf("error %v, want kind %s", err, kind)
	}
}

func addUser(t *testing.T, s Store, name string, scopes ...auth.Scope) {
	t.Helper()
	storetest.OK(t, s.Users.AddUser(t.Context(), auth.UserRecord{Name: name, Password: "hash", Scopes: scopes, CreatedAt: now}))
}

func addToken(t *testing.T, s Store, name, user string, scopes ...auth.Scope) {
	t.Helper()
	storetest.OK(t,
		s.Tokens.AddToken(t.Context(), auth.TokenRecord{Name: name, User: user, Hash: []byte(name), Scopes: scopes, CreatedAt: now}))
}

func grant(t *testing.T, s Store, collection, subject string, level rights.Level) {
	t.Helper()
	storetest.OK(t, s.SetRight(t.Context(), collection, rights.Grant{Subject: subject, Level: level}))
}

// access checks the rights of a principal, such as "default=write hr=read".
func access(t *testing.T, s Store, principal, want string) {
	t.Helper()
	a, err := s.Access(t.Context(), corpus.Reader{Principal: principal}, now)
	storetest.OK(t, err)
	var got []string
	switch {
	case a.Admin:
		got = []string{"admin"}
	case a.Unrestricted:
		got = []string{"unrestricted"}
	}
	for name, level := range a.Levels {
		got = append(got, fmt.Sprintf("%s=%s", name, level))
	}
	slices.Sort(got)
	if strings.Join(got, " ") != want {
		t.Errorf("%q may do %q, want %q", principal, strings.Join(got, " "), want)
	}
}

func openCollections(t *testing.T, s Store) {
	addUser(t, s, "ann", auth.Ask)
	addUser(t, s, "root", auth.Admin)
	for _, principal := range []string{"", "user:ann", "user:unknown"} {
		access(t, s, principal, "unrestricted")
	}
	grant(t, s, "hr", "user:ann", rights.Read)
	access(t, s, "user:ann", "default=write hr=read")
	access(t, s, "user:unknown", "default=write")
	access(t, s, "", "default=write")
	access(t, s, "user:root", "admin")
	storetest.OK(t, s.OpenCollection(t.Context(), "hr"))
	access(t, s, "user:unknown", "unrestricted")
	all, err := s.CollectionRights(t.Context())
	storetest.OK(t, err)
	if diff := cmp.Diff([]rights.Collection{{Name: "default"}, {Name: "hr"}}, all); diff != "" {
		t.Error(diff)
	}
}

func grantLevels(t *testing.T, s Store) {
	addUser(t, s, "ann", auth.Ask)
	addToken(t, s, "bot", "", auth.Ask)
	addToken(t, s, "root", "", auth.Admin)
	addToken(t, s, "anns", "ann", auth.Admin)
	grant(t, s, "a", rights.Everyone, rights.Read)
	grant(t, s, "a", "user:ann", rights.Manage)
	grant(t, s, "b", "token:bot", rights.Write)
	grant(t, s, "c", "oidc:https://issuer#1", rights.Read)
	access(t, s, "user:ann", "a=manage default=write")
	access(t, s, "token:bot", "a=read b=write default=write")
	access(t, s, "token:anns", "a=read default=write") // it acts as ann, never as itself
	access(t, s, "token:root", "admin")
	access(t, s, "oidc:https://issuer#1", "a=read c=read default=write")
	access(t, s, "", "default=write")
	grant(t, s, "a", "user:ann", rights.Write)
	grant(t, s, "b", "token:bot", rights.None)
	access(t, s, "user:ann", "a=write default=write")
	access(t, s, "token:bot", "a=read default=write") // b stays restricted without rights
	all, err := s.CollectionRights(t.Context())
	storetest.OK(t, err)
	want := []rights.Collection{
		{
			Name: "a", Restricted: true,
			Grants: []rights.Grant{{Subject: "everyone", Level: rights.Read}, {Subject: "user:ann", Level: rights.Write}},
		},
		{Name: "b", Restricted: true},
		{Name: "c", Restricted: true, Grants: []rights.Grant{{Subject: "oidc:https://issuer#1", Level: rights.Read}}},
		{Name: "default"},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

func groups(t *testing.T, s Store) {
	ctx := t.Context()
	addUser(t, s, "ann", auth.Ask)
	addUser(t, s, "bob", auth.Ask)
	for _, name := range []string{"staff", "board"} {
		storetest.OK(t, s.AddGroup(ctx, name))
	}
	fails(t, s.AddGroup(ctx, "staff"), fault.Conflict)
	for range 2 { // repeating changes nothing
		storetest.OK(t, s.SetMember(ctx, "staff", "user:bob", true))
		storetest.OK(t, s.SetMember(ctx, "staff", "user:ann", true))
	}
	storetest.OK(t, s.SetMember(ctx, "board", "user:ann", true))
	grant(t, s, "hr", "group:staff", rights.Read)
	grant(t, s, "hr", "group:board", rights.Manage)
	access(t, s, "user:ann", "default=write hr=manage")
	access(t, s, "user:bob", "default=write hr=read")
	storetest.OK(t, s.SetMember(ctx, "board", "user:ann", false))
	access(t, s, "user:ann", "default=write hr=read")
	got, err := s.Groups(ctx)
	storetest.OK(t, err)
	want := []rights.Group{{Name: "board"}, {Name: "staff", Members: []string{"user:ann", "user:bob"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func issuerGroups(t *testing.T, s Store) {
	ctx, who := t.Context(), "oidc:https://issuer#7"
	storetest.OK(t, s.AddGroup(ctx, "staff"))
	grant(t, s, "hr", "group:staff", rights.Read)
	access(t, s, who, "default=write")
	storetest.OK(t, s.SetIssuerGroups(ctx, who, []string{"staff", "other", "staff"}, now.Add(time.Hour)))
	access(t, s, who, "default=write hr=read")
	access(t, s, who+"1", "default=write")
	late, err := s.Access(ctx, corpus.Reader{Principal: who}, now.Add(time.Hour))
	storetest.OK(t, err)
	if late.Level("hr") != rights.None {
		t.Error("the groups of a token count after its end")
	}
	storetest.OK(t, s.SetIssuerGroups(ctx, who, nil, now.Add(time.Hour)))
	access(t, s, who, "default=write")
}

// removal checks that a new account or group does not get the rights of an old one
// with the same name.
func removal(t *testing.T, s Store) {
	ctx := t.Context()
	add := func() {
		addUser(t, s, "ann", auth.Ask)
		addToken(t, s, "bot", "", auth.Ask)
		storetest.OK(t, s.AddGroup(ctx, "staff"))
	}
	add()
	addUser(t, s, "bob", auth.Ask)
	storetest.OK(t, s.SetMember(ctx, "staff", "user:ann", true))
	storetest.OK(t, s.SetMember(ctx, "staff", "user:bob", true))
	for _, subject := range []string{"user:ann", "token:bot", "group:staff"} {
		grant(t, s, "hr", subject, rights.Read)
	}
	storetest.OK(t, s.Users.RemoveUser(ctx, "ann"))
	storetest.OK(t, s.Tokens.RemoveToken(ctx, "bot"))
	left, err := s.Groups(ctx)
	storetest.OK(t, err)
	if diff := cmp.Diff([]rights.Group{{Name: "staff", Members: []string{"user:bob"}}}, left); diff != "" {
		t.Error(diff)
	}
	storetest.OK(t, s.RemoveGroup(ctx, "staff"))
	fails(t, s.RemoveGroup(ctx, "staff"), fault.NotFound)
	add()
	for _, principal := range []string{"user:ann", "user:bob", "token:bot"} {
		access(t, s, principal, "default=write")
	}
}

func missing(t *testing.T, s Store) {
	ctx := t.Context()
	addUser(t, s, "ann", auth.Ask)
	addToken(t, s, "anns", "ann", auth.Ask)
	storetest.OK(t, s.AddGroup(ctx, "staff"))
	for _, subject := range []string{"user:bob", "token:bot", "token:anns", "group:board"} {
		fails(t, s.SetRight(ctx, "hr", rights.Grant{Subject: subject, Level: rights.Read}), fault.NotFound)
	}
	access(t, s, "user:ann", "unrestricted") // a failed call restricts nothing
	fails(t, s.SetMember(ctx, "staff", "user:bob", true), fault.NotFound)
	fails(t, s.SetMember(ctx, "board", "user:ann", true), fault.NotFound)
	fails(t, s.OpenCollection(ctx, "hr"), fault.NotFound)
	in, err := s.CollectionsOf(ctx, []int64{1, 1 << 40})
	storetest.OK(t, err)
	if len(in) != 0 {
		t.Errorf("documents that do not exist are in %v", in)
	}
}

// model compares the store with a simple model after random changes.
func model(t *testing.T, s Store) {
	ctx, random := t.Context(), rand.New(rand.NewPCG(3, 14)) //nolint:gosec // a test repeats
	users, teams := []string{"user:u0", "user:u1", "user:u2"}, []string{"g0", "g1"}
	for _, u := range users {
		addUser(t, s, strings.TrimPrefix(u, "user:"), auth.Ask)
	}
	for _, g := range teams {
		storetest.OK(t, s.AddGroup(ctx, g))
	}
	subjects := append(slices.Clone(users), "group:g0", "group:g1", rights.Everyone)
	collections := []string{"c0", "c1", "c2", "default"}
	granted, members, restricted := map[[2]string]rights.Level{}, map[[2]string]bool{}, map[string]bool{}
	known := map[string]bool{"default": true}
	for range 200 {
		c := collections[random.IntN(len(collections))]
		switch random.IntN(8) {
		case 0:
			g, u, is := teams[random.IntN(len(teams))], users[random.IntN(len(users))], random.IntN(2) == 0
			storetest.OK(t, s.SetMember(ctx, g, u, is))
			members[[2]string{g, u}] = is
		case 1:
			if !known[c] {
				continue
			}
			storetest.OK(t, s.OpenCollection(ctx, c))
			restricted[c] = false
			for _, subject := range subjects {
				delete(granted, [2]string{c, subject})
			}
		default:
			subject, level := subjects[random.IntN(len(subjects))], rights.Level(random.IntN(4))
			grant(t, s, c, subject, level)
			granted[[2]string{c, subject}] = level
			if level > rights.None {
				restricted[c], known[c] = true, true
			}
		}
		u := users[random.IntN(len(users))]
		got, err := s.Access(ctx, corpus.Reader{Principal: u}, now)
		storetest.OK(t, err)
		for _, c := range collections {
			want := max(granted[[2]string{c, u}], granted[[2]string{c, rights.Everyone}])
			for _, g := range teams {
				if members[[2]string{g, u}] {
					want = max(want, granted[[2]string{c, "group:" + g}])
				}
			}
			if !restricted[c] {
				want = rights.Write
			}
			if !known[c] && !got.Unrestricted {
				want = rights.None
			}
			if level := got.Level(c); level != want {
				t.Fatalf("%s may %s in %s, want %s", u, level, c, want)
			}
		}
	}
}
