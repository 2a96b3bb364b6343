package config

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestModels(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(`
models:
  fast:
    provider: mistral
    model: mistral-small-latest
    choose: true
    fallbacks: [local]
    price: {input: 0.1, output: 0.3}
    uses: [rewriting, titles]
  local:
    url: http://${HOST}:8080/v1
    key: hush
    max-tokens: 300
    temperature: 0.5
    timeout: 10s
    uses: [answers]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	src := Sources{
		File: file, Env: env("MISTRAL_API_KEY", "m", "HOST", "gpu", "OPENROUTER_API_KEY", "o"),
		Models: []Model{{Name: "fast", URL: "http://other/v1"}, {Name: "own"}},
	}
	c, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	half := .5
	want := []Model{
		{
			Name: "fast", Model: "mistral-small-latest", Provider: "mistral", URL: "https://api.mistral.ai/v1", Key: "m", Choose: true,
			Fallbacks: []string{"local"}, Price: Price{.1, .3}, Uses: []Use{UseRewriting, UseTitles}, fromFile: true,
		},
		{
			Name: "local", Model: "local", URL: "http://gpu:8080/v1", Key: "hush", MaxTokens: 300, Temperature: &half, Timeout: 10 * time.Second,
			Uses: []Use{UseAnswers}, fromFile: true, keyInFile: true,
		},
		{Name: "own", Model: "own"},
	}
	if !reflect.DeepEqual(c.ChatModels, want) {
		t.Errorf("the models are %+v", c.ChatModels)
	}
	if c.LLM.Model != "local" || c.UsedFor(UseTitles) != "fast" || c.UsedFor(UseEnrichment) != "" {
		t.Errorf("%s answers, %s writes titles, %s enriches", c.LLM.Model, c.UsedFor(UseTitles), c.UsedFor(UseEnrichment))
	}
	var printed bytes.Buffer
	if err := c.Print(&printed); err != nil || strings.Contains(printed.String(), "hush") || !strings.Contains(printed.String(), "\n  fast:\n") {
		t.Errorf("printed, %v: %s", err, printed.String())
	}
	src.Flags = map[string]string{"model": "fast"}
	if c, err = Load(src); err != nil || c.LLM.Model != "fast" {
		t.Errorf("with --model: %s, %v", c.LLM.Model, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if c, err = Load(src); err != nil || c.ExposedFile != file {
		t.Errorf("others can read the key in %q, %v", c.ExposedFile, err)
	}
}

func TestModelsRefused(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"models: fast":                                                  "takes names of models",
		"models:\n  a: b":                                               "line 2: the model a takes settings",
		"models:\n  a: {uri: x}":                                        `there is no key "uri"`,
		"models:\n  a: {timeout: 1}":                                    "missing unit",
		"models:\n  a: {url: x}":                                        "http://",
		"models:\n  a: {url: 'http://${NOWHERE}/v1'}":                   "NOWHERE is not set",
		"models:\n  a: {provider: acme}":                                "openrouter, anthropic",
		"models:\n  a: {provider: mistral}":                             "set MISTRAL_API_KEY",
		"models:\n  a: {url: 'http://x/v1', fallbacks: [a]}":            `its own fallback`,
		"models:\n  a: {url: 'http://x/v1?v=1'}":                        `url must not have a password`,
		"models:\n  a: {url: 'http://x/v1', fallbacks: [b]}":            `no model "b" for fallbacks`,
		"models:\n  a: {url: 'http://x/v1', uses: [cooking]}":           `no use "cooking"`,
		"models:\n  a: {url: 'http://x/v1', price: {in: 1}}":            `no key "in"`,
		"models:\n  a: {url: 'http://x/v1', temperature: 3}":            "between 0 and 2",
		"models:\n  a: {url: 'http://x/v1'}\nllm: {fallbacks: [a, c]}":  `no model "c" in models; there are: a`,
		"models:\n  a: {url: 'http://x/v1'}\nllm: {model: c}":           `no model "c" in models; there are: a`,
		"models:\n  extractive: {url: 'http://x/v1'}":                   "not extractive",
		"models:\n  a: {url: 'http://x/v1'}\n  a: {url: 'http://y/v1'}": "two models with this name",
	} {
		name := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(Sources{File: name, Env: env()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
