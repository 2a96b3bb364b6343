// Package profiletest is the suite that every store of prompts and preferences passes.
package profiletest

import (
	"strings"
	"testing"
	"time"

	"docent/auth"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/profile"
)

// Store is the tested part of a store.
type Store struct {
	// Prompts keeps prompts.
	Prompts profile.Prompts
	// Choices keeps preferences.
	Choices profile.Choices
	// Users keeps their owners.
	Users auth.Users
	// Tokens keeps other owners.
	Tokens auth.Tokens
}

// Run runs the suite. open makes an empty store.
func Run(t *testing.T, open func(t *testing.T) Store) {
	storetest.Run(t, open, map[string]func(*testing.T, Store){
		"Prompts": testPrompts, "Editor": testEditor, "Limits": testLimits, "Deletion": testDeletion, "Preferences": testPreferences,
	})
}

var at = time.Date(2026, 2, 3, 4, 5, 6, 789000, time.UTC)

// add stores a prompt and returns it with its id.
func add(t *testing.T, s Store, p profile.Prompt) profile.Prompt {
	t.Helper()
	p.UpdatedAt = at
	id, err := s.Prompts.AddPrompt(t.Context(), p)
	storetest.OK(t, err)
	p.ID = id
	return p
}

// want compares the prompts that an owner sees.
func want(t *testing.T, s Store, owner string, prompts ...profile.Prompt) {
	t.Helper()
	all, err := s.Prompts.Prompts(t.Context(), owner)
	storetest.OK(t, err)
	storetest.Want(t, "the prompts of "+owner, append([]profile.Prompt{}, all...), append([]profile.Prompt{}, prompts...))
}

// testPrompts adds, changes, and removes prompts.
func testPrompts(t *testing.T, s Store) {
	t.Helper()
	ann, bob := profile.Editor{Principal: "user:ann"}, profile.Editor{Principal: "user:bob", Admin: true}
	report := add(t, s, profile.Prompt{Owner: ann.Principal, Name: "Report 'x'", Text: "About {topic}:\n\u00fc"})
	letter := add(t, s, profile.Prompt{Owner: ann.Principal, Name: "Letter", Text: "Write."})
	same := add(t, s, profile.Prompt{Owner: bob.Principal, Name: "Letter", Text: "Write!", Shared: true})
	own := add(t, s, profile.Prompt{Owner: bob.Principal, Name: "A", Text: "b"})
	want(t, s, "user:ann", letter, same, report)
	want(t, s, "user:bob", own, same)
	want(t, s, "", same)

	letter.Name, letter.Text, letter.UpdatedAt = "Mail", "Write to {name}.", at.Add(time.Hour)
	storetest.OK(t, s.Prompts.ChangePrompt(t.Context(), ann, letter))
	storetest.OK(t, s.Prompts.RemovePrompt(t.Context(), ann, report.ID))
	want(t, s, "user:ann", same, letter)
	storetest.WantKind(t, "a removed prompt", s.Prompts.RemovePrompt(t.Context(), ann, report.ID), fault.NotFound)
	storetest.WantKind(t, "a missing prompt", s.Prompts.ChangePrompt(t.Context(), ann, profile.Prompt{ID: 999, UpdatedAt: at}), fault.NotFound)
}

// testEditor: owners change their prompts, and administrators change shared ones. Nobody changes others.
func testEditor(t *testing.T, s Store) {
	t.Helper()
	own := add(t, s, profile.Prompt{Owner: "user:ann", Name: "own", Text: "x"})
	shared := add(t, s, profile.Prompt{Owner: "user:ann", Name: "shared", Text: "x", Shared: true})
	orphan := add(t, s, profile.Prompt{Name: "orphan", Text: "x", Shared: true})
	for _, c := range []struct {
		prompt profile.Prompt
		by     profile.Editor
	}{
		{own, profile.Editor{Principal: "user:bob"}},
		{own, profile.Editor{Principal: "user:bob", Admin: true}},
		{own, profile.Editor{}},
		{shared, profile.Editor{Principal: "user:ann"}},
		{shared, profile.Editor{Principal: "user:bob"}},
		{orphan, profile.Editor{}},
	} {
		c.prompt.UpdatedAt = at
		storetest.WantKind(t, "a change", s.Prompts.ChangePrompt(t.Context(), c.by, c.prompt), fault.NotFound)
		storetest.WantKind(t, "a removal", s.Prompts.RemovePrompt(t.Context(), c.by, c.prompt.ID), fault.NotFound)
	}
	want(t, s, "user:ann", orphan, own, shared)
	admin := profile.Editor{Principal: "user:bob", Admin: true}
	shared.Shared, orphan.Shared, orphan.Owner = false, false, ""
	for _, p := range []profile.Prompt{shared, orphan} {
		storetest.OK(t, s.Prompts.ChangePrompt(t.Context(), admin, p))
	}
	orphan.Owner = "user:bob"
	want(t, s, "user:ann", own, shared)
	want(t, s, "user:bob", orphan)
}

// testLimits fills the store.
func testLimits(t *testing.T, s Store) {
	t.Helper()
	p := profile.Prompt{Owner: "user:ann", Name: "x", Text: strings.Repeat("x", profile.MaxText), UpdatedAt: at}
	var last profile.Prompt
	for range profile.MaxPrompts {
		last = add(t, s, p)
	}
	_, err := s.Prompts.AddPrompt(t.Context(), p)
	storetest.WantKind(t, "a prompt too many", err, fault.Conflict)
	p.Shared = true
	for _, owner := range []string{"user:bob", "user:eve"} {
		p.Owner = owner
		for range profile.MaxShared / 2 {
			last = add(t, s, p)
		}
	}
	_, err = s.Prompts.AddPrompt(t.Context(), p)
	storetest.WantKind(t, "a shared prompt too many", err, fault.Conflict)
	storetest.OK(t, s.Prompts.ChangePrompt(t.Context(), profile.Editor{Admin: true}, last))
	p.Shared = false
	own := add(t, s, p)
	own.Shared = true
	admin := profile.Editor{Principal: own.Owner, Admin: true}
	storetest.WantKind(t, "one more", s.Prompts.ChangePrompt(t.Context(), admin, own), fault.Conflict)
}

// testDeletion deletes owners. Only shared prompts stay.
func testDeletion(t *testing.T, s Store) {
	t.Helper()
	storetest.OK(t, s.Users.AddUser(t.Context(), auth.UserRecord{Name: "ann", Password: "x", CreatedAt: at}))
	storetest.OK(t, s.Tokens.AddToken(t.Context(), auth.TokenRecord{Name: "ann", Hash: []byte("x"), CreatedAt: at}))
	storetest.OK(t, s.Choices.SetPreferences(t.Context(), "user:ann", profile.Preferences{Language: "de"}))
	add(t, s, profile.Prompt{Owner: "user:ann", Name: "own", Text: "x"})
	shared := add(t, s, profile.Prompt{Owner: "user:ann", Name: "shared", Text: "x", Shared: true})
	other := add(t, s, profile.Prompt{Owner: "token:ann", Name: "other", Text: "x"})
	storetest.OK(t, s.Users.RemoveUser(t.Context(), "ann"))
	shared.Owner = ""
	want(t, s, "user:ann", shared)
	prefer(t, s, "user:ann", profile.Preferences{})
	want(t, s, "token:ann", other, shared)
	storetest.OK(t, s.Tokens.RemoveToken(t.Context(), "ann"))
	want(t, s, "token:ann", shared)
}

// prefer compares the preferences of an owner.
func prefer(t *testing.T, s Store, owner string, want profile.Preferences) {
	t.Helper()
	got, err := s.Choices.Preferences(t.Context(), owner)
	storetest.OK(t, err)
	storetest.Want(t, "the preferences of "+owner, got, want)
}

// testPreferences sets, replaces, and removes preferences.
func testPreferences(t *testing.T, s Store) {
	t.Helper()
	for _, p := range []profile.Preferences{{}, {Language: "de"}, {Language: "en", Instructions: "Be 'brief'.\nÜ"}, {Instructions: "x"}, {}} {
		storetest.OK(t, s.Choices.SetPreferences(t.Context(), "user:ann", p))
		prefer(t, s, "user:ann", p)
		prefer(t, s, "", profile.Preferences{})
	}
}
