package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func ignoredKeys(all []Ignored) string {
	var out []string
	for _, i := range all {
		out = append(out, i.Key)
	}
	return strings.Join(out, " ")
}

// TestStored: flags and variables replace stored values, and stored values replace defaults.
func TestStored(t *testing.T) {
	t.Parallel()
	c, err := Load(Sources{Env: env("DOCENT_HISTORY", "2"), Flags: map[string]string{"min-shown": "0.2"}, Program: map[string]string{"llm.timeout": "9s"}})
	if err != nil {
		t.Fatal(err)
	}
	with, ignored := c.With(Stored{Values: map[string]string{
		"k": "7", "history": "9", "min-shown": "0.3", "llm.timeout": "1s", "min-evidence": "2", "addr": "0.0.0.0:1", "gone": "x",
		"llm.on-failure": "later",
	}})
	if with.K != 7 || with.History != 2 || with.MinShown != .2 || with.LLM.Timeout.String() != "9s" || with.MinEvidence != 0 || with.Addr != c.Addr {
		t.Errorf("got %+v", with)
	}
	if got := ignoredKeys(ignored); got != "min-evidence llm.on-failure" {
		t.Errorf("ignored are %s", got)
	}
	for key, want := range map[string]Origin{
		"k": {Kind: FromDatabase}, "history": {FromEnvironment, "DOCENT_HISTORY"}, "min-shown": {FromFlag, "--min-shown"},
		"llm.timeout": {Kind: FromProgram}, "min-evidence": {Kind: ByDefault},
	} {
		if got := with.Origin(key); got != want || got.Locked() != (want.Kind != FromDatabase && want.Kind != ByDefault) {
			t.Errorf("%s is from %+v, want %+v", key, got, want)
		}
	}
	if c.K != 4 || c.Origin("k").Kind != ByDefault {
		t.Errorf("the first configuration has changed: %+v", c)
	}
}

// TestStoredModels: models of the file replace stored ones, and a model that cannot be used does not hinder the others.
func TestStoredModels(t *testing.T) {
	t.Parallel()
	c, err := Load(Sources{Env: env("MISTRAL_API_KEY", "m"), Models: []Model{{Name: "own", URL: "http://own/v1"}}})
	if err != nil {
		t.Fatal(err)
	}
	stored := Stored{Models: []Model{
		{Name: "big", Provider: "mistral", Fallbacks: []string{"small", "lost", "gone"}, Uses: []Use{UseAnswers}},
		{Name: "own", URL: "http://stored/v1"},
		{Name: "lost", URL: "http://x/v1", Problem: errors.New("no key")},
		{Name: "bare"},
		{Name: "keyless", Provider: "groq"},
		{Name: "small", URL: "http://small/v1"},
	}}
	with, ignored := c.With(stored)
	if got := ignoredKeys(ignored); got != "models.own models.lost models.bare models.keyless" {
		t.Errorf("ignored are %s", got)
	}
	big, _ := with.Named("big")
	if big.Key != "m" || !slices.Equal(big.Fallbacks, []string{"small"}) || big.Origin().Kind != FromDatabase {
		t.Errorf("big is %+v", big)
	}
	if own, _ := with.Named("own"); own.URL != "http://own/v1" || own.Origin().Kind != FromProgram || with.LLM.Model != "own" {
		t.Errorf("own is %+v, and %s answers", own, with.LLM.Model)
	}
	flags, err := Load(Sources{Env: env(), Flags: map[string]string{"model": "own", "llm-url": "http://flag/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	if with, ignored = flags.With(Stored{Models: stored.Models[1:2]}); len(with.ChatModels) != 0 || ignoredKeys(ignored) != "models.own" {
		t.Errorf("flags with the name of a stored model: %+v, ignored are %s", with.ChatModels, ignoredKeys(ignored))
	}
	empty, err := Load(Sources{Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	if with, _ = empty.With(Stored{Models: stored.Models[5:]}); with.LLM.Model != "small" || len(empty.ChatModels) != 0 {
		t.Errorf("%s answers", with.LLM.Model)
	}
}

// TestValues: a setting with Values accepts them, and no other word.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, s := range Settings() {
		for _, v := range s.Values {
			if err := s.set(new(Config), v); err != nil {
				t.Errorf("%s: %v", s.Key, err)
			}
		}
		if len(s.Values) > 0 && s.set(new(Config), "x") == nil {
			t.Errorf("%s accepts x", s.Key)
		}
	}
}
