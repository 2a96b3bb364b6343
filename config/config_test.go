package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/internal/fault"
)

func env(pairs ...string) func(string) (string, bool) {
	m := map[string]string{"HOME": "/home/ada"}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) (string, bool) { v, ok := m[k]; return v, ok }
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := Load(Sources{Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	if c.Data != "/home/ada/.local/share/docent" || c.Addr != "127.0.0.1:8765" || c.K != 4 || c.MaxFileSize != 64<<20 || c.LLM.Enabled() || c.Embedder.Remote() {
		t.Errorf("defaults are %+v", c)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("k: 5\nhistory: 6\nllm:\n  model: from-file\n  url: http://127.0.0.1:1/v1\norigins: [https://a.example, https://b.example]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Sources{
		File:  file,
		Env:   env("DOCENT_K", "7", "DOCENT_MODEL", "from-env"),
		Flags: map[string]string{"model": "from-flag"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.LLM.Model != "from-flag" || c.K != 7 || c.History != 6 || len(c.Origins) != 2 {
		t.Errorf("got %+v", c)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		flags map[string]string
		env   []string
		file  string
		want  string
	}{
		"open address":       {flags: map[string]string{"addr": "0.0.0.0:80"}, want: "--insecure"},
		"not an address":     {flags: map[string]string{"addr": "8765"}, want: "HOST:PORT"},
		"not a number":       {env: []string{"DOCENT_K", "many"}, want: "DOCENT_K"},
		"k out of range":     {flags: map[string]string{"passages": "0"}, want: "between 1 and 50"},
		"unknown key":        {file: "kk: 3\n", want: `line 1: there is no setting "kk"`},
		"mapping for value":  {file: "k:\n  a: 1\n", want: "line 2"},
		"model without key":  {flags: map[string]string{"model": "m"}, want: "OPENAI_API_KEY"},
		"url without model":  {flags: map[string]string{"llm-url": "http://x/v1"}, want: "--model"},
		"url of no kind":     {flags: map[string]string{"llm-url": "ftp://x", "model": "m"}, want: "http(s)"},
		"url with a query":   {flags: map[string]string{"llm-url": "http://x/v1?v=1", "model": "m"}, want: "Azure's address"},
		"mysql":              {env: []string{"DATABASE_URL", "mysql://x"}, want: "postgres://"},
		"bad size":           {flags: map[string]string{"max-file-size": "big"}, want: "64MiB"},
		"bad level":          {flags: map[string]string{"log-level": "loud"}, want: "debug"},
		"bad duration":       {flags: map[string]string{"llm-timeout": "1"}, want: "duration"},
		"file not there":     {env: []string{FileEnv, "/nowhere.yaml"}, want: "nowhere.yaml"},
		"file is not yaml":   {file: "a: [", want: "configuration file"},
		"file is not a map":  {file: "- a\n", want: "line 1"},
		"timeout of none":    {env: []string{"SESSION_TIMEOUT", "0"}, want: "at least a second"},
		"timeout too long":   {env: []string{"SESSION_TIMEOUT", "1e99"}, want: "number of minutes"},
		"timeout of nothing": {env: []string{"SESSION_TIMEOUT", "NaN"}, want: "number of minutes"},
		"timeout in words":   {env: []string{"SESSION_TIMEOUT", "soon"}, want: "SESSION_TIMEOUT"},
		"bad bool":           {env: []string{"DOCENT_INSECURE", "perhaps"}, want: "true nor false"},
		"negative file size": {flags: map[string]string{"max-file-size": "0"}, want: "at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := Sources{Flags: tc.flags, Env: env(tc.env...)}
			if tc.file != "" {
				src.File = filepath.Join(t.TempDir(), "c.yaml")
				if err := os.WriteFile(src.File, []byte(tc.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Load(src)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want an error with %q", err, tc.want)
			}
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("kind is %s", fault.KindOf(err))
			}
		})
	}
}

func TestOtherProgramsSettings(t *testing.T) {
	t.Parallel()
	c, err := Load(Sources{Env: env("OPENROUTER_API_KEY", "k", "MODEL", "some/model", "AGENT_NAME", "a")})
	if err != nil {
		t.Fatal(err)
	}
	if c.LLM.Model != "some/model" || !strings.Contains(c.LLM.URL, "openrouter") || c.Agent != "a" {
		t.Errorf("got %+v", c)
	}
	c, err = Load(Sources{Env: env("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "http://elsewhere/v1", "MODEL", "x")})
	if err != nil {
		t.Fatal(err)
	}
	if c.LLM.Enabled() {
		t.Error("a key that is set for other programs must not turn a model on")
	}
	if c.UnusedModel != "x" {
		t.Errorf("the unused model is %q", c.UnusedModel)
	}
	c, err = Load(Sources{Env: env("DOCENT_LLM_URL", "http://elsewhere/v1", "MODEL", "some/model")})
	if err != nil || c.LLM.Model != "some/model" {
		t.Errorf("MODEL with a server of one's own: %q, %v", c.LLM.Model, err)
	}
	_, err = Load(Sources{Env: env("DOCENT_LLM_URL", "http://elsewhere/v1")})
	if err == nil || !strings.Contains(err.Error(), "add --model") {
		t.Errorf("a server without a model: %v", err)
	}
}

// docent runs with the variables of Agent WebSocket and its defaults. docent's own
// variables win.
func TestAgentWebSocketSettings(t *testing.T) {
	t.Parallel()
	type settings struct {
		model, agent    string
		timeout         time.Duration
		history, tokens int
		temperature     float64
		openRouter      bool
	}
	for name, tc := range map[string]struct {
		env  []string
		want settings
	}{
		"none": {nil, settings{"", "docent", 30 * time.Minute, 4, 1500, -1, false}},
		"key":  {[]string{"OPENROUTER_API_KEY", "k"}, settings{"openai/gpt-4-turbo", "agent_websocket", 30 * time.Minute, 50, 1500, 0.7, true}},
		"all": {
			[]string{"OPENROUTER_API_KEY", "k", "MODEL", "m", "AGENT_NAME", "a", "SESSION_TIMEOUT", "5", "MAX_HISTORY", "9", "TEMPERATURE", "0.1", "MAX_TOKENS", "10"},
			settings{"m", "a", 5 * time.Minute, 9, 10, 0.1, true},
		},
		"without a key": {
			[]string{"MODEL", "m", "AGENT_NAME", "a", "SESSION_TIMEOUT", "0.5", "MAX_HISTORY", "9", "TEMPERATURE", "0.1", "MAX_TOKENS", "10"},
			settings{"", "a", 30 * time.Second, 9, 10, 0.1, false},
		},
		"ours": {
			[]string{
				"OPENROUTER_API_KEY", "k", "MODEL", "m", "AGENT_NAME", "a", "SESSION_TIMEOUT", "5", "MAX_HISTORY", "9", "TEMPERATURE", "0.1", "MAX_TOKENS", "10",
				"DOCENT_MODEL", "our", "DOCENT_AGENT_NAME", "us", "DOCENT_SESSION_TIMEOUT", "90s", "DOCENT_HISTORY", "1", "DOCENT_TEMPERATURE", "0.2", "DOCENT_MAX_TOKENS", "20",
			},
			settings{"our", "us", 90 * time.Second, 1, 20, 0.2, true},
		},
	} {
		c, err := Load(Sources{Env: env(tc.env...)})
		if err != nil {
			t.Fatal(name, err)
		}
		got := settings{c.LLM.Model, c.Agent, c.SessionTimeout, c.History, c.LLM.MaxTokens, c.LLM.Temperature, strings.Contains(c.LLM.URL, "openrouter")}
		if got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("agent: mine\nhistory: 2\nsession-timeout: 45\nllm:\n  temperature: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Sources{File: file, Env: env("OPENROUTER_API_KEY", "k")})
	if err != nil || c.Agent != "mine" || c.History != 2 || c.LLM.Temperature != 1 || c.SessionTimeout != 45*time.Minute {
		t.Errorf("from the file: %+v, %v", c, err)
	}
}

func TestPrintHidesSecretsAndLoadsAgain(t *testing.T) {
	t.Parallel()
	src := Sources{Env: env("DATABASE_URL", "postgres://u:hunter2@db/x?sslpassword=hunter2", "OPENAI_API_KEY", "sk-hunter2"), Flags: map[string]string{"model": "m:1", "k": "4"}}
	c, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "hunter2") {
		t.Errorf("a secret is shown:\n%s", b.String())
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Load(Sources{File: file, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	if again.LLM.Model != "m:1" || again.LLM.Timeout != c.LLM.Timeout || again.MaxFileSize != c.MaxFileSize {
		t.Errorf("printed and loaded again: %+v", again)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("k: 5\nllm: {model: x}\n"))
	f.Add([]byte("&a [*a]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		values, _, err := parse(raw)
		if err != nil {
			return
		}
		for k := range values {
			if k == "" || k == "data" {
				t.Errorf("key %q got through", k)
			}
		}
	})
}

// Proxies are given by address or network.
func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	read := func(value string) (Config, error) {
		return Load(Sources{Flags: map[string]string{"trusted-proxies": value}, Env: env()})
	}
	c, err := read("127.0.0.1, ::1,10.0.0.0/8")
	if got := fmt.Sprint(c.TrustedProxies); err != nil || got != "[127.0.0.1/32 ::1/128 10.0.0.0/8]" {
		t.Errorf("%s, %v", got, err)
	}
	for _, wrong := range []string{"localhost", "10.0.0.0/33", "10.0.0.1:80"} {
		if _, err := read(wrong); fault.KindOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(err), "setting trusted-proxies") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
