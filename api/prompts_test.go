package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/profile"
)

func (w *world) Prompts(_ context.Context, owner string) ([]profile.Prompt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := slices.Clone(w.prompts)
	return slices.DeleteFunc(out, func(p profile.Prompt) bool { return !p.Shared && p.Owner != owner }), w.broken
}

func (w *world) AddPrompt(_ context.Context, p profile.Prompt) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.ID = int64(len(w.prompts) + 1)
	w.prompts = append(w.prompts, p)
	return p.ID, w.broken
}

func (w *world) ChangePrompt(_ context.Context, by profile.Editor, p profile.Prompt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.editors = append(w.editors, fmt.Sprintf("%s %t %d %s", by.Principal, by.Admin, p.ID, p.Name))
	return w.broken
}

func (w *world) RemovePrompt(_ context.Context, by profile.Editor, id int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.editors = append(w.editors, fmt.Sprintf("%s %t %d", by.Principal, by.Admin, id))
	return w.broken
}

// TestPrompts keeps, lists, changes, and exports prompts. Only administrators share them.
func TestPrompts(t *testing.T) {
	t.Parallel()
	c, _ := locked(t)
	c.w.prompts = []profile.Prompt{{ID: 1, Owner: "user:bob", Name: "his", Text: "x"}, {ID: 2, Name: "all", Text: "y", Shared: true}}
	cookie := []string{"Cookie", c.signIn(), "Content-Type", "application/json"}
	do := func(method, path, body string) string {
		t.Helper()
		_, answer := c.do(method, path, body, cookie...)
		return answer
	}
	var made Prompt
	if err := json.Unmarshal([]byte(do("POST", "/api/prompts", `{"name":" My  own ","text":" z "}`)), &made); err != nil ||
		made.ID != 3 || made.Name != "My own" || made.Text != "z" || !made.Own || made.Shared || made.UpdatedAt.IsZero() {
		t.Errorf("made %+v, %v", made, err)
	}
	names := func(body string) string {
		t.Helper()
		var all []Prompt
		if err := json.Unmarshal([]byte(body), &all); err != nil {
			t.Fatal(err, body)
		}
		var out []string
		for _, p := range all {
			out = append(out, fmt.Sprintf("%s %t %t", p.Name, p.Own, p.Shared))
		}
		return strings.Join(out, ", ")
	}
	if got := names(do("GET", "/api/prompts", "")); got != "all false true, My own true false" {
		t.Errorf("the list has %s", got)
	}
	var export struct{ Prompts json.RawMessage }
	if err := json.Unmarshal([]byte(do("GET", "/api/me/export", "")), &export); err != nil || names(string(export.Prompts)) != "My own true false" {
		t.Errorf("the export has %s, %v", export.Prompts, err)
	}
	c.wantError(403, fault.Forbidden, "only administrators", "POST", "/api/prompts", `{"name":"x","text":"y","shared":true}`, cookie...)
	c.wantError(400, fault.Invalid, "needs a name", "POST", "/api/prompts", `{"name":" ","text":"y"}`, cookie...)
	c.wantError(400, fault.Invalid, "longer than 60", "PUT", "/api/prompts/3", `{"name":"`+strings.Repeat("x", 61)+`","text":"y"}`, cookie...)
	do("PUT", "/api/prompts/3", `{"name":"new","text":"y"}`)
	do("DELETE", "/api/prompts/3", "")
	if got := strings.Join(c.w.editors, "; "); got != "user:ann false 3 new; user:ann false 3" {
		t.Errorf("the editors are %s", got)
	}
}

func (w *world) Preferences(_ context.Context, owner string) (profile.Preferences, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.preferences[owner], w.broken
}

func (w *world) SetPreferences(_ context.Context, owner string, p profile.Preferences) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.preferences = map[string]profile.Preferences{owner: p}
	return w.broken
}

// TestPreferences sets, reads, and exports preferences.
func TestPreferences(t *testing.T) {
	t.Parallel()
	c, _ := locked(t)
	cookie := []string{"Cookie", c.signIn(), "Content-Type", "application/json"}
	c.want(200, `{"language":"","instructions":"","instructions_allowed":true}`, "GET", "/api/me/preferences", "", cookie...)
	c.do("PUT", "/api/me/preferences", `{"language":"de","instructions":" Be brief. "}`, cookie...)
	if got := c.w.preferences["user:ann"]; got != (profile.Preferences{Language: "de", Instructions: "Be brief."}) {
		t.Errorf("stored %+v", got)
	}
	var export struct{ Preferences Preferences }
	if _, body := c.do("GET", "/api/me/export", "", cookie...); json.Unmarshal([]byte(body), &export) != nil || export.Preferences.Language != "de" {
		t.Errorf("the export has %s", body)
	}
	for _, wrong := range []string{`{"language":"tlh","instructions":""}`, `{"language":"","instructions":"` + strings.Repeat("x", 2001) + `"}`, `{}`} {
		c.wantError(400, fault.Invalid, "", "PUT", "/api/me/preferences", wrong, cookie...)
	}
}
