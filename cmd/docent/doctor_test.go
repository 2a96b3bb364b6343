package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/index/weaviate/weaviatetest"
	"docent/internal/pgtest"
	"docent/llm/llmtest"
)

// TestDoctorOfIndex checks that doctor checks each node of Weaviate and the extension
// pgvector, and that it writes nothing to them.
func TestDoctorOfIndex(t *testing.T) {
	t.Parallel()
	node := weaviatetest.New(t)
	const missing = "http://127.0.0.1:1"
	vectors, plain := pgtest.VectorURL(t), pgtest.URL(t)
	few := plain + "?pool_max_conns=2"
	if strings.Contains(plain, "?") {
		few = plain + "&pool_max_conns=2"
	}
	for name, c := range map[string]struct {
		env  []string
		code int
		want []string
	}{
		"memory":   {nil, 0, []string{"ok    index     in memory"}},
		"no nodes": {[]string{"DOCENT_INDEX=weaviate"}, 1, []string{"FAIL  index     the index weaviate needs the addresses"}},
		"a node":   {[]string{"DOCENT_INDEX=weaviate", "DOCENT_WEAVIATE=" + node.URL}, 0, []string{"ok    index     weaviate: each node answers"}},
		"a missing node": {
			[]string{"DOCENT_INDEX=weaviate", "DOCENT_WEAVIATE=" + node.URL + "," + missing},
			1,
			[]string{"FAIL  index     " + missing + ": ", "check --index, and --weaviate"},
		},
		"sqlite":   {[]string{"DOCENT_INDEX=pgvector"}, 1, []string{"FAIL  index     the index pgvector needs a Postgres database"}},
		"pgvector": {[]string{"DOCENT_INDEX=pgvector", "DATABASE_URL=" + vectors}, 0, []string{"ok    index     pgvector: the database has"}},
		"few connections": {
			[]string{"DOCENT_INDEX=pgvector", "DATABASE_URL=" + few},
			1,
			[]string{"FAIL  index     the index pgvector needs at least 3 connections to Postgres, and pool_max_conns allows 2"},
		},
	} {
		env := append([]string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_ADDR=127.0.0.1:0"}, c.env...)
		out := docent(t, env, c.code, "doctor")
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: there is no %q in\n%s", name, want, out)
			}
		}
	}
	if classes := node.Classes(); len(classes) > 0 {
		t.Errorf("Weaviate has the classes %v", classes)
	}
}

// TestDoctorOfAccess checks that doctor reports access and speech settings, and that
// it calls no speech server.
func TestDoctorOfAccess(t *testing.T) {
	t.Parallel()
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/openid-configuration" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(issuer.Close)
	paid := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it asks for %s", r.URL) }))
	t.Cleanup(paid.Close)
	env := []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_ADDR=127.0.0.1:0"}
	for name, c := range map[string]struct {
		env  []string
		code int
		want string
	}{
		"off":             {nil, 0, "ok    access    authentication is off: every user of this machine"},
		"insecure":        {[]string{"DOCENT_ADDR=0.0.0.0:0", "DOCENT_INSECURE=true"}, 0, "every client that reaches 0.0.0.0:0"},
		"nobody":          {[]string{"DOCENT_AUTH=true"}, 1, "FAIL  access    authentication is on, but there are no users"},
		"issuer":          {[]string{"DOCENT_AUTH=true", "DOCENT_OIDC_ISSUER=" + issuer.URL, "DOCENT_OIDC_AUDIENCE=a"}, 0, "0 tokens, and the users of " + issuer.URL},
		"wrong issuer":    {[]string{"DOCENT_AUTH=true", "DOCENT_OIDC_ISSUER=" + issuer.URL + "/x", "DOCENT_OIDC_AUDIENCE=a"}, 1, "FAIL  access    " + issuer.URL + "/x/.well-known/openid-configuration answers 404"},
		"no speech":       {nil, 0, "ok    speech    none"},
		"listens, speaks": {[]string{"DOCENT_SPEECH_URL=" + paid.URL, "DOCENT_SPEECH_MODEL=tts-1", "DOCENT_TRANSCRIPTION_MODEL=whisper-1"}, 0, "listens with whisper-1 and speaks with tts-1 (docent did not call the server)"},
	} {
		if out := docent(t, append(append([]string{}, env...), c.env...), c.code, "doctor"); !strings.Contains(out, c.want) {
			t.Errorf("%s: there is no %q in\n%s", name, c.want, out)
		}
	}
	docent(t, env, 0, "token", "create", "--name", "ci")
	if out := docent(t, append([]string{"DOCENT_AUTH=true"}, env...), 0, "doctor"); !strings.Contains(out, "authentication is on: 0 users, 1 token\n") {
		t.Errorf("with a token:\n%s", out)
	}
}

// TestDoctorOfModel checks the line of chat models against scripted servers.
func TestDoctorOfModel(t *testing.T) {
	t.Parallel()
	script := func(replies ...llmtest.Reply) string {
		s := llmtest.NewServer(llmtest.Script(replies...))
		s.Probes, s.ModelNames = true, []string{"m", "other"}
		t.Cleanup(s.Close)
		return "DOCENT_LLM_URL=" + s.URL
	}
	call := llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "current_time", Arguments: "{}"}}}
	for name, c := range map[string]struct {
		env  string
		code int
		want string
	}{
		"works":     {script(llmtest.Say("one, ", "two"), call), 0, "calls tools"},
		"reasons":   {script(llmtest.Say("<think>so</think>", "one, ", "two"), call), 0, "reasons first"},
		"no tools":  {script(llmtest.Say("one, ", "two"), llmtest.Reply{Status: 400, Body: `{"error":{"message":"m does not support tools"}}`}), 0, "cannot call tools"},
		"refuses":   {script(llmtest.Reply{Status: 403, Body: `{"error":{"message":"your region is not served"}}`}), 1, "your region is not served"},
		"not there": {script(llmtest.Reply{Status: 404, Body: `{"error":{"message":"no"}}`}), 1, "it has: m, other"},
		"no server": {"DOCENT_LLM_URL=http://127.0.0.1:1/v1", 1, "FAIL  model     m (--model or DOCENT_MODEL; answers): llm m: "},
	} {
		env := []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_ADDR=127.0.0.1:0", "DOCENT_MODEL=m", c.env}
		if out := docent(t, env, c.code, "doctor"); !strings.Contains(out, c.want) {
			t.Errorf("%s: there is no %q in\n%s", name, c.want, out)
		}
	}
}

// TestDoctorOfModels checks that doctor tries each model of a file. It fails for those that docent needs.
func TestDoctorOfModels(t *testing.T) {
	t.Parallel()
	serve := func(replies ...llmtest.Reply) string {
		s := llmtest.NewServer(llmtest.Script(replies...))
		s.Probes = true
		t.Cleanup(s.Close)
		return s.URL
	}
	call := llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "current_time", Arguments: "{}"}}}
	works := func() string { return serve(llmtest.Say("one, ", "two"), call) }
	refuses := serve(llmtest.Reply{Status: 403, Body: `{"error":{"message":"your region is not served"}}`})
	const missing = "http://127.0.0.1:1/v1"
	for _, c := range []struct {
		models string
		code   int
		want   []string
	}{
		{
			"  b: {url: '" + refuses + "'}\n  a: {url: '" + works() + "', uses: [answers, titles], fallbacks: [c]}\n  c: {url: '" + missing + "'}\n",
			1,
			[]string{
				"FAIL  model     b (models.b): ", "your region is not served", "check url, model, and key of b in models of the configuration file\n",
				"ok    model     a (models.a; answers; titles): first token after ", "warn  model     c (models.c; fallback): ", "1 check failed",
			},
		},
		{"  a: {url: '" + works() + "', fallbacks: [c]}\n  c: {url: '" + missing + "'}\n", 0, []string{"warn  model     c (models.c; fallback): "}},
	} {
		file := filepath.Join(t.TempDir(), "docent.yaml")
		if err := os.WriteFile(file, []byte("models:\n"+c.models), 0o600); err != nil {
			t.Fatal(err)
		}
		out := docent(t, []string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_ADDR=127.0.0.1:0"}, c.code, "doctor", "--config", file)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("there is no %q in\n%s", want, out)
			}
		}
	}
}
