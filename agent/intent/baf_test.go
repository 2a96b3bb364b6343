package intent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"docent/llm/llmtest"
)

// TestBAF repeats the checks of BAF's own component tests of intents, entities,
// and language processing.
func TestBAF(t *testing.T) {
	t.Parallel()
	t.Run("test_core_intent_entity", testBAFIntentEntity)
	t.Run("test_nlp_configurations", testBAFConfigurations)
	t.Run("test_nlp_engine", testBAFEngine)
	t.Run("test_nlp_preprocessing", testBAFPreprocessing)
	t.Run("test_workflows", testBAFWorkflows)
}

func sameJSON(t *testing.T, v any, want string) {
	t.Helper()
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func testBAFIntentEntity(t *testing.T) {
	t.Parallel()
	city := Listed("city", Value{"Paris", []string{"city of light"}}, Value{Value: "London"}).Describe("a city")
	weather := New("weather", "weather in CITY").Describe("the weather somewhere")
	t.Run("intent defaults", func(t *testing.T) {
		t.Parallel()
		i := New("hello")
		if i.Name != "hello" || len(i.Sentences) != 0 || len(i.Parameters) != 0 || i.Description != "" {
			t.Errorf("%+v", i)
		}
		sameJSON(t, i, `{"training_sentences":[],"description":null,"parameters":[]}`)
	})
	t.Run("equality by name", func(t *testing.T) {
		t.Parallel()
		if err := Validate(New("hello", "hi"), New("hello", "good day")); err == nil {
			t.Error("two intents of one name")
		}
		other := Listed("city", Value{Value: "Rome"})
		if err := Validate(New("a").Parameter("x", "X", city), New("b").Parameter("x", "X", other)); err == nil {
			t.Error("two entities of one name")
		}
	})
	t.Run("fluent parameters", func(t *testing.T) {
		t.Parallel()
		i := New("weather")
		if i.Parameter("city", "CITY", city) != i {
			t.Error("Parameter does not return the intent")
		}
		if p := i.Parameters[0]; p.Name != "city" || p.Fragment != "CITY" || p.Entity != city {
			t.Errorf("%+v", p)
		}
		if err := Validate(i.Parameter("city", "TOWN", city)); err == nil {
			t.Error("two parameters of one name")
		}
	})
	t.Run("intent JSON", func(t *testing.T) {
		t.Parallel()
		sameJSON(t, weather.Parameter("city", "CITY", city),
			`{"training_sentences":["weather in CITY"],"description":"the weather somewhere","parameters":[{"name":"city","fragment":"CITY","entity":"city"}]}`)
	})
	t.Run("custom and base entities", func(t *testing.T) {
		t.Parallel()
		if len(city.Values) != 2 || !slices.Equal(city.Values[0].Synonyms, []string{"city of light"}) || city.builtIn() {
			t.Errorf("%+v", city.Values)
		}
		for _, e := range []*Entity{Number(), DateTime(), Any()} {
			if len(e.Values) != 0 || !e.builtIn() || !strings.HasPrefix(e.Name, "base.") {
				t.Errorf("%s", e.Name)
			}
		}
	})
	t.Run("entity JSON and entry defaults", func(t *testing.T) {
		t.Parallel()
		sameJSON(t, city, `{"base_entity":false,"description":"a city","entries":[{"value":"Paris","synonyms":["city of light"]},{"value":"London","synonyms":[]}]}`)
		sameJSON(t, Number(), `{"base_entity":true,"description":null,"entries":[]}`)
		sameJSON(t, Regexp("order", `\d{4}`), `{"base_entity":false,"description":null,"entries":[],"pattern":"\\d{4}"}`)
	})
}

func testBAFConfigurations(t *testing.T) {
	t.Parallel()
	t.Run("simple classifier", func(t *testing.T) {
		t.Parallel()
		if c := newExamples(t, ExamplesConfig{}); c.cfg.Threshold != .4 || c.cfg.Verbatim || c.cfg.Embedder == nil {
			t.Errorf("%+v", c.cfg)
		}
		if c := newExamples(t, ExamplesConfig{Threshold: .7, Verbatim: true}); c.cfg.Threshold != .7 || !c.cfg.Verbatim {
			t.Errorf("%+v", c.cfg)
		}
		for _, threshold := range []float64{-.1, 1.1} {
			if _, err := NewExamples(ExamplesConfig{Threshold: threshold}); err == nil {
				t.Errorf("threshold %g", threshold)
			}
		}
	})
	t.Run("LLM classifier", func(t *testing.T) {
		t.Parallel()
		model := llmtest.NewModel(llmtest.Script())
		c, err := NewLLM(LLMConfig{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		want := LLMConfig{Model: model, Name: "scripted", Threshold: .4, Timeout: DefaultTimeout}
		if c.cfg != want {
			t.Errorf("%+v", c.cfg)
		}
		want = LLMConfig{
			Model: model, Name: "gpt", Threshold: .6, Timeout: 1,
			OmitDescriptions: true, OmitSentences: true, OmitEntityDescriptions: true, OmitSynonyms: true,
		}
		if c, err = NewLLM(want); err != nil || c.cfg != want || c.Name() != "gpt" {
			t.Errorf("%+v, %v", c.cfg, err)
		}
		for name, bad := range map[string]LLMConfig{"model": {}, "threshold": {Model: model, Threshold: 2}, "timeout": {Model: model, Timeout: -1}} {
			if _, err := NewLLM(bad); err == nil {
				t.Errorf("bad %s", name)
			}
		}
	})
}

func testBAFEngine(t *testing.T) {
	t.Parallel()
	c := newExamples(t, ExamplesConfig{})
	if len(c.sets) != 0 {
		t.Error("a fresh classifier knows intents")
	}
	t.Run("no intents", func(t *testing.T) {
		t.Parallel()
		p, err := newExamples(t, ExamplesConfig{}).Classify(t.Context(), Request{Text: "hello"})
		if err != nil || p.Intent != Fallback || p.Score != 1 || p.Sentence != "hello" || p.Parameters != nil {
			t.Errorf("%+v, %v", p, err)
		}
	})
	hello, bye := New("hello", "hi"), New("bye", "bye")
	for _, intents := range [][]*Intent{{hello}, {bye}, {hello, bye}, {hello}} {
		if _, err := c.Classify(t.Context(), Request{Text: "hi", Intents: intents}); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.sets) != 3 {
		t.Errorf("%d sets for three states", len(c.sets))
	}
}

func testBAFPreprocessing(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "english", "English", "EN-us", ""} {
		p := PreProcessing{Language: language}
		if got := p.Tokens("Hello, World! It's 5."); !slices.Equal(got, []string{"hello", "world", "it's", "5"}) {
			t.Errorf("%s: %q", language, got)
		}
		for text, want := range map[string]string{"running": "run", "two words": "two word", "Running... runs!": "run run", "": ""} {
			if got := p.Process(text); got != want {
				t.Errorf("%s: %q is %q, want %q", language, text, got, want)
			}
		}
	}
	if got := (PreProcessing{Language: "german"}).Process("Die Häuser"); got != "die haus" {
		t.Errorf("German: %q", got)
	}
	if got := (PreProcessing{Language: "xx"}).Process("Words, words"); got != "words words" {
		t.Errorf("unknown language: %q", got)
	}
	if got := (PreProcessing{Off: true}).Process("Running, fast!"); got != "Running, fast!" {
		t.Errorf("off: %q", got)
	}
}

func testBAFWorkflows(t *testing.T) {
	t.Parallel()
	intents, _ := labeled(t)
	c := newExamples(t, ExamplesConfig{})
	for _, i := range intents {
		for _, s := range i.Sentences {
			p, err := c.Classify(t.Context(), Request{Text: s, Intents: intents, Now: wednesday(t)})
			if err != nil || p.Intent != i.Name || p.Score != 1 || p.Sentence != s {
				t.Errorf("%q: %+v, %v", s, p, err)
			}
		}
	}
}
