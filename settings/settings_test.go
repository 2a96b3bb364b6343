package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"docent/config"
	"docent/internal/fault"
)

// memory is a Store for one goroutine.
type memory map[string]Record

func (m memory) Settings(context.Context) (out []Record, err error) {
	for _, r := range m {
		out = append(out, r)
	}
	return out, nil
}

func (m memory) ChangeSetting(_ context.Context, key string, change func(*Record) (*Record, error)) error {
	var old *Record
	if r, ok := m[key]; ok {
		old = &r
	}
	next, err := change(old)
	if err == nil && next == nil {
		delete(m, key)
	} else if err == nil {
		m[key] = *next
	}
	return err
}

// word is a Sealer with a key. It hides nothing.
type word string

func (w word) Seal(purpose string, secrets map[string]string) ([]byte, error) {
	text, err := json.Marshal(secrets)
	return append([]byte(string(w)+purpose), text...), err
}

func (w word) Open(purpose string, sealed []byte) (out map[string]string, err error) {
	text, ok := strings.CutPrefix(string(sealed), string(w)+purpose)
	if len(sealed) > 0 && !ok {
		return nil, fault.New(fault.Conflict, "test_sentence", "another key")
	}
	if ok {
		err = json.Unmarshal([]byte(text), &out)
	}
	return out, err
}

func open(t *testing.T, store memory, key word, src config.Sources) *Settings {
	t.Helper()
	home := t.TempDir()
	src.Env = func(name string) (string, bool) {
		if name == "HOME" {
			return home, true
		}
		return "", false
	}
	outside, err := config.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Store: store, Sealer: key, Outside: outside,
		Administered: func(context.Context) (bool, error) { return store["administrator"].Key != "", nil },
	})
}

func wantKind(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if fault.KindOf(err) != kind || !strings.Contains(fault.Message(err), text) {
		t.Errorf("got %v, want %s with %q", err, kind, text)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	s := open(t, memory{}, "a", config.Sources{Flags: map[string]string{"history": "2"}})
	if err := s.Set(t.Context(), "k", "7"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.Set(t.Context(), "k", "0"), fault.Invalid, "between 1 and 50")
	wantKind(t, s.Set(t.Context(), "history", "3"), fault.Conflict, "--history")
	wantKind(t, s.Set(t.Context(), "addr", "x"), fault.NotFound, "flag")
	wantKind(t, s.Set(t.Context(), "none", "x"), fault.NotFound, "no setting")
	wantKind(t, s.Set(t.Context(), "ocr.languages", strings.Repeat("x", MaxValue+1)), fault.Invalid, "more than")
	if k, err := s.Get(t.Context(), "k"); err != nil || k.Value != "7" || k.Origin.Kind != config.FromDatabase {
		t.Errorf("k is %+v, %v", k, err)
	}
	if err := s.Unset(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	if k, err := s.Get(t.Context(), "k"); err != nil || k.Value != "4" || k.Origin.Kind != config.ByDefault {
		t.Errorf("then k is %+v, %v", k, err)
	}
}

// models describes the models in one line: names, * for the default, the key, and ! for problems.
func models(t *testing.T, s *Settings) string {
	t.Helper()
	all, err := s.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range all.All {
		text := m.Name
		if m.Default {
			text += "*"
		}
		if m.Problem != nil {
			text += "!"
		}
		out = append(out, text+"/"+m.Key)
	}
	return strings.Join(out, " ")
}

func TestModels(t *testing.T) {
	t.Parallel()
	store := memory{}
	s := open(t, store, "a", config.Sources{})
	put := func(s *Settings, key string, keep bool, m config.Model) error {
		m.Key = key
		return s.PutModel(t.Context(), Change{Model: m, KeepKey: keep})
	}
	for _, err := range []error{
		put(s, "k1", false, config.Model{Name: "one", URL: "http://one/v1"}),
		put(s, "k2", false, config.Model{Name: "two", URL: "http://two/v1", Fallbacks: []string{"one"}, Uses: []config.Use{config.UseAnswers, config.UseTitles}}),
		put(s, "", true, config.Model{Name: "one", URL: "http://one/v1", MaxTokens: 9, Uses: []config.Use{config.UseTitles}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := models(t, s); got != "one/k1 two*/k2" {
		t.Errorf("the models are %s", got)
	}
	if strings.Contains(store[ModelsKey].Value, "k1") {
		t.Error("a key is not encrypted")
	}
	saved, err := s.Load(t.Context())
	if err != nil || len(saved.Models[1].Uses) != 1 {
		t.Errorf("both models write titles: %+v, %v", saved.Models, err)
	}
	wantKind(t, put(s, "", false, config.Model{Name: "three"}), fault.Invalid, "url")
	wantKind(t, put(s, "", false, config.Model{Name: "three", URL: "http://x/v1", Fallbacks: []string{"none"}}), fault.Invalid, "fallback")
	wantKind(t, s.OrderModels(t.Context(), []string{"two"}), fault.Conflict, "changed")

	// A key belongs to its server.
	if err := put(s, "", true, config.Model{Name: "one", URL: "http://evil/v1"}); err != nil {
		t.Fatal(err)
	}
	if _, m, err := s.Draft(t.Context(), Change{Model: config.Model{Name: "two", URL: "http://evil/v1"}, KeepKey: true}); err != nil || m.Key != "" {
		t.Errorf("a draft has the key %q, %v", m.Key, err)
	}
	if _, m, err := s.Draft(t.Context(), Change{Model: config.Model{Name: "two", URL: "http://two/v1"}, KeepKey: true}); err != nil || m.Key != "k2" {
		t.Errorf("a draft of the same server has the key %q, %v", m.Key, err)
	}
	if got := models(t, s); got != "one/ two*/k2" {
		t.Errorf("then the models are %s", got)
	}

	// Another secret key: the models say so, and take new keys.
	other := open(t, store, "b", config.Sources{})
	if got := models(t, other); got != "one*/ two!/" {
		t.Errorf("with another secret key, the models are %s", got)
	}
	if err := put(other, "", false, config.Model{Name: "three", URL: "http://three/v1"}); err != nil {
		t.Fatal(err)
	}
	if got := models(t, other); got != "one*/ two!/ three/" {
		t.Errorf("after a change, the models are %s", got)
	}
	if err := put(other, "new", false, config.Model{Name: "two", URL: "http://two/v1", Uses: []config.Use{config.UseAnswers}}); err != nil {
		t.Fatal(err)
	}
	if err := other.OrderModels(t.Context(), []string{"three", "two", "one"}); err != nil {
		t.Fatal(err)
	}
	if got := models(t, other); got != "three/ two*/new one/" {
		t.Errorf("with a new key, the models are %s", got)
	}
	wantKind(t, other.RemoveModel(t.Context(), "none"), fault.NotFound, "none")
	if err := other.RemoveModel(t.Context(), "two"); err != nil || models(t, other) != "three*/ one/" {
		t.Errorf("%v, %s", err, models(t, other))
	}
}

func TestLockedModels(t *testing.T) {
	t.Parallel()
	s := open(t, memory{}, "a", config.Sources{Models: []config.Model{{Name: "own", URL: "http://own/v1"}}})
	wantKind(t, s.PutModel(t.Context(), Change{Model: config.Model{Name: "own", URL: "http://x/v1"}}), fault.Conflict, "the program")
	wantKind(t, s.RemoveModel(t.Context(), "own"), fault.Conflict, "the program")
	if err := s.PutModel(t.Context(), Change{Model: config.Model{Name: "more", URL: "http://x/v1", Uses: []config.Use{config.UseAnswers}}}); err != nil {
		t.Fatal(err)
	}
	if got := models(t, s); got != "own*/ more/" {
		t.Errorf("the models are %s", got)
	}
}

// Authentication cannot be turned on before an administrator can sign in.
func TestAuthNeedsAdministrator(t *testing.T) {
	t.Parallel()
	store := memory{}
	s := open(t, store, "key", config.Sources{})
	if err := s.Set(t.Context(), authKey, "true"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("without an administrator: %v", err)
	}
	if err := s.Set(t.Context(), authKey, "false"); err != nil {
		t.Errorf("off: %v", err)
	}
	store["administrator"] = Record{Key: "administrator"}
	if err := s.Set(t.Context(), authKey, "true"); err != nil {
		t.Errorf("with an administrator: %v", err)
	}
}

// Secret settings are encrypted, and are never shown. After the loss of the key, they can be entered again.
func TestSecretSetting(t *testing.T) {
	t.Parallel()
	const key = "sign-in.client-secret"
	store := memory{}
	s := open(t, store, "a", config.Sources{})
	if err := s.Set(t.Context(), key, "hush"); err != nil {
		t.Fatal(err)
	}
	if r := store[key]; r.Value != "" || len(r.Secret) == 0 {
		t.Errorf("it is stored as %+v", r)
	}
	value := func(s *Settings) string {
		t.Helper()
		item, err := s.Get(t.Context(), key)
		stored, failed := s.Load(t.Context())
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		cfg, _ := s.With(stored)
		return fmt.Sprintf("%q %v %v %s", item.Value, item.Has, item.Problem != nil, cfg.SignIn.ClientSecret)
	}
	if got := value(s); got != `"" true false hush` {
		t.Errorf("it is %s", got)
	}
	other := open(t, store, "b", config.Sources{})
	if got := value(other); got != `"" false true ` {
		t.Errorf("with another key, it is %s", got)
	}
	if err := other.Set(t.Context(), key, "new"); err != nil {
		t.Fatal(err)
	}
	if got := value(other); got != `"" true false new` {
		t.Errorf("entered again, it is %s", got)
	}
	if err := other.Set(t.Context(), key, ""); err != nil || len(store) != 0 {
		t.Errorf("%v, %v is left", err, store)
	}
}
