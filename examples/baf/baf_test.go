package baf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent"
	"docent/examples/exampletest"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/llm/speech"
)

// TestFiles: each agent has a constructor, a Go file, a YAML file, and a recorded
// conversation.
func TestFiles(t *testing.T) {
	t.Parallel()
	const agents = 20
	names := slices.Sorted(maps.Keys(Agents()))
	if len(names) != agents {
		t.Errorf("there are %d agents, want %d", len(names), agents)
	}
	for pattern, others := range map[string][]string{"*.go": {"baf", "baf_test", "functions"}, "*.yaml": nil, "testdata/*.txt": nil} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, file := range files {
			if name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)); !slices.Contains(others, name) {
				found = append(found, name)
			}
		}
		if slices.Sort(found); !slices.Equal(found, names) {
			t.Errorf("%s are of %v, want %v", pattern, found, names)
		}
	}
}

// TestConversations plays each recorded conversation with the agent in Go and with
// the one in YAML.
func TestConversations(t *testing.T) {
	t.Parallel()
	for name := range Agents() {
		for _, form := range []string{"Go", "YAML"} {
			t.Run(name+"/"+form, func(t *testing.T) {
				t.Parallel()
				play(t, name, form)
			})
		}
	}
}

// play plays the recorded conversation of an agent. It knows more kinds of lines
// than exampletest.User:
//
//	document: NAME TEXT             a document that was ingested before
//	model: TEXT                     the next answer of the chat model
//	model: call NAME JSON           its next call of a tool
//	transcript: TEXT                the next answer of the speech model
//	prompt: TEXT                    some request to the chat model contains the text
//	request: METHOD PATH BODY       GitHub or GitLab got this request
func play(t *testing.T, name, form string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := exampletest.Lines(strings.ReplaceAll(string(content), "\n# ", "\n")) // what only this test knows is in comments
	w := newWorld(t, lines)
	switch name { // these agents talk to others
	case "main_agent":
		w.Reviewer = w.serve(t, "reviewer_agent", form)
		w.Coder = w.serve(t, "coder_agent", form)
	case "coder_agent":
		w.Reviewer = w.serve(t, "reviewer_agent", form)
	}
	u := w.start(t, name, form)
	for _, line := range lines {
		switch line.Kind {
		case "document", "model", "transcript", "tool", "call", "sent", "answer", "state", "intent": // of docent agent test
		case "prompt":
			if !slices.ContainsFunc(w.model.Requests(), func(r llmtest.Request) bool {
				return slices.ContainsFunc(r.Messages, func(m llmtest.Message) bool { return strings.Contains(m.Content, line.Text) })
			}) {
				t.Errorf("no prompt contains %q", line.Text)
			}
		case "request":
			if got := w.take(); got != line.Text {
				t.Errorf("the request is %s, want %s", got, line.Text)
			}
		default:
			if !u.Plays(line) {
				t.Fatalf("there are no lines of the kind %q", line.Kind)
			}
		}
	}
	if left := w.unused(); left > 0 {
		t.Errorf("%d answers of the model or the transcription were not used", left)
	}
}

// world is everything around the agents: models and the web.
type world struct {
	Services
	flags     []string
	documents string // a folder
	model     *llmtest.Server

	mu          sync.Mutex // guards the following
	replies     []llmtest.Reply
	transcripts []string
	requests    []string
}

// newWorld starts the servers for a recorded conversation.
func newWorld(t *testing.T, lines []exampletest.Line) *world {
	t.Helper()
	w := &world{}
	for _, line := range lines {
		switch line.Kind {
		case "document":
			if w.documents == "" {
				w.documents = t.TempDir()
			}
			file, text, _ := strings.Cut(line.Text, " ")
			if err := os.WriteFile(filepath.Join(w.documents, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		case "model":
			w.replies = append(w.replies, reply(line.Text, len(w.replies)))
		case "transcript":
			w.transcripts = append(w.transcripts, line.Text)
		}
	}
	w.model = llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply { return w.nextReply() })
	t.Cleanup(w.model.Close)
	web := httptest.NewServer(http.HandlerFunc(w.answer))
	t.Cleanup(web.Close)
	if len(w.replies) > 0 {
		w.flags = append(w.flags, "--llm-url="+w.model.URL, "--model=scripted")
	}
	w.flags = append(w.flags, "--speech-url="+web.URL+"/v1", "--transcription-model=ear", "--speech-model=mouth")
	w.GitHub, w.GitLab, w.Website, w.Folder = web.URL, web.URL, web.URL+"/site/", "."
	model, err := llm.NewOpenAI(llm.Config{BaseURL: w.model.URL, Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	w.Model = model
	if w.Speech, err = speech.New(speech.Config{BaseURL: web.URL + "/v1", Transcription: "ear"}); err != nil {
		t.Fatal(err)
	}
	return w
}

// reply returns the nth reply of the chat model.
func reply(text string, n int) llmtest.Reply {
	call, ok := strings.CutPrefix(text, "call ")
	if !ok {
		return llmtest.Say(text)
	}
	name, arguments, _ := strings.Cut(call, " ")
	return llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: fmt.Sprint("call", n), Name: name, Arguments: arguments}}}
}

func (w *world) nextReply() llmtest.Reply {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.replies) == 0 {
		return llmtest.Reply{Status: http.StatusBadRequest, Body: "the script is over"}
	}
	r := w.replies[0]
	w.replies = w.replies[1:]
	return r
}

// unused returns the number of scripted answers that no agent asked for.
func (w *world) unused() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.replies) + len(w.transcripts)
}

// take returns the oldest request to GitHub or GitLab and forgets it.
func (w *world) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.requests) == 0 {
		return "none"
	}
	r := w.requests[0]
	w.requests = w.requests[1:]
	return r
}

// answer is the web of the tests.
func (w *world) answer(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch path := r.URL.Path; {
	case path == "/v1/audio/transcriptions" && len(w.transcripts) > 0:
		_ = json.NewEncoder(out).Encode(map[string]string{"text": w.transcripts[0]})
		w.transcripts = w.transcripts[1:]
	case path == "/v1/audio/speech":
		var in struct {
			Input string `json:"input"`
		}
		if err := json.Unmarshal(body, &in); err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		if len(in.Input)%2 == 1 { // a sample has two bytes
			in.Input += "\x00"
		}
		out.Header().Set("Content-Type", "audio/pcm")
		_, _ = io.WriteString(out, in.Input)
	case path == "/site/":
		_, _ = io.WriteString(out, `<p>BESSER is a low-code platform.</p><a href="harbor">Harbor</a><a href="/elsewhere">Elsewhere</a>`)
	case path == "/site/harbor":
		_, _ = io.WriteString(out, `<p>The harbor opens at six.</p><a href="/site/">Home</a>`)
	case strings.HasPrefix(path, "/repos/"), strings.HasPrefix(path, "/projects/"):
		w.requests = append(w.requests, strings.TrimSpace(r.Method+" "+r.URL.EscapedPath()+" "+string(body)))
		stars := map[string]int{"/repos/BESSER-PEARL/BESSER": 41, "/repos/BESSER-PEARL/BESSER-Agentic-Framework": 7}[path]
		_ = json.NewEncoder(out).Encode(map[string]int{"stargazers_count": stars})
	default:
		http.NotFound(out, r)
	}
}

// run returns a function that serves an agent.
func (w *world) run(t *testing.T, name, form string) func(context.Context, docent.Options) error {
	t.Helper()
	return func(ctx context.Context, opts docent.Options) error {
		if form == "YAML" {
			file, err := w.file(t, name)
			if err != nil {
				return err
			}
			opts.Settings = map[string]string{"agent-file": file}
			if opts.Functions, err = Functions(w.Services); err != nil {
				return err
			}
		}
		d, err := docent.New(ctx, opts)
		if err != nil {
			return err
		}
		if w.documents != "" {
			err = d.Ingest(ctx, w.documents)
		}
		if err == nil && form == "Go" {
			a, failed := Agents()[name](w.Services)
			err = errors.Join(failed)
			if err == nil {
				err = d.Serve(ctx, a)
			}
		} else if err == nil {
			err = d.Serve(ctx, nil)
		}
		return errors.Join(err, d.Close(ctx))
	}
}

// file returns the path of the agent file. Files with the addresses of other agents
// are copied, with the addresses of the test.
func (w *world) file(t *testing.T, name string) (string, error) {
	t.Helper()
	path := name + ".yaml"
	content, err := os.ReadFile(path)
	text := strings.NewReplacer("ws://localhost:8011", w.Coder, "ws://localhost:8012", w.Reviewer).Replace(string(content))
	if err != nil || text == string(content) {
		return path, err
	}
	path = filepath.Join(t.TempDir(), path)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// start serves an agent and connects to it.
func (w *world) start(t *testing.T, name, form string) *exampletest.User {
	t.Helper()
	return exampletest.Serve(t, w.run(t, name, form), w.flags...)
}

// serve serves another agent and returns its WebSocket URL.
func (w *world) serve(t *testing.T, name, form string) string {
	t.Helper()
	return "ws" + strings.TrimPrefix(w.start(t, name, form).URL(), "http")
}
