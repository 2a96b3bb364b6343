package docent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent"
	"docent/agent"
	"docent/agent/reason"
	"docent/client"
	"docent/config"
	"docent/internal/fault"
	"docent/llm/llmtest"
	"docent/payload"
	"docent/rag"
)

// patience bounds each wait of a test.
const patience = time.Minute

func echo() *agent.Agent {
	a := agent.New("echo")
	hear := a.State("hear", agent.Initial)
	hear.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "heard "+s.Message()) })
	hear.OnMessage().GoTo(hear)
	return a
}

// running serves the echo agent for the length of a test.
func running(t *testing.T, opts docent.Options) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	at, ended := make(chan string, 1), make(chan error, 1)
	opts.Ready = func(url string) { at <- url }
	go func() { ended <- docent.Run(ctx, echo(), opts) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	select {
	case url = <-at:
		return url
	case err := <-ended:
		ended <- nil
		t.Fatalf("Run: %v", err)
		return ""
	}
}

// get returns the status and the body of an answer.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestRun checks that a Go agent has the page, the API, metrics, and the WebSocket,
// and that flags override the settings of the program.
func TestRun(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	url := running(t, docent.Options{
		Args:     []string{"--addr=127.0.0.1:0", "--no-ui=false"},
		Settings: map[string]string{"addr": "127.0.0.1:1", "data": t.TempDir(), "no-ui": "true", "agent-file": "other.yaml"},
		Origins:  []string{"https://shop.example"},
		Version:  "7.1",
		Output:   &said,
	})
	if status, page := get(t, url+"/"); status != http.StatusOK || !strings.Contains(page, "<html") {
		t.Errorf("the page: %d %s", status, page)
	}
	if _, info := get(t, url+"/api/info"); !strings.Contains(info, `"agent":"echo"`) || !strings.Contains(info, `"version":"7.1"`) || !strings.Contains(info, `"built_in":false`) {
		t.Errorf("/api/info: %s", info)
	}
	if status, _ := get(t, url+"/metrics"); status != http.StatusOK {
		t.Errorf("/metrics: %d", status)
	}
	for origin, allowed := range map[string]bool{"https://shop.example": true, "https://evil.example": false} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		conn, err := client.Dial(ctx, client.Config{URL: "ws" + strings.TrimPrefix(url, "http"), Header: http.Header{"Origin": {origin}}})
		cancel()
		if allowed != (err == nil) {
			t.Errorf("a page of %s connects: %v", origin, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
	if !strings.Contains(said.String(), "agent-file has no effect") {
		t.Errorf("it says %s", said.String())
	}
}

// TestUnusedModel logs why MODEL has no effect.
func TestUnusedModel(t *testing.T) {
	t.Setenv("MODEL", "gpt")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	var said bytes.Buffer
	running(t, docent.Options{Args: []string{"--addr=127.0.0.1:0"}, Settings: map[string]string{"data": t.TempDir()}, Output: &said})
	if !strings.Contains(said.String(), "MODEL does not turn a model on; set DOCENT_MODEL") {
		t.Errorf("it says %s", said.String())
	}
}

// TestRefused checks the errors for wrong arguments and settings.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts docent.Options
		want string
	}{
		"unknown flag":     {docent.Options{Args: []string{"--port=1"}}, "unknown flag: --port; see docent.test --help"},
		"argument":         {docent.Options{Args: []string{"serve"}}, `unknown argument "serve"; see docent.test --help`},
		"unknown setting":  {docent.Options{Args: []string{}, Settings: map[string]string{"port": "1"}}, `there is no setting "port"`},
		"wrong setting":    {docent.Options{Args: []string{}, Settings: map[string]string{"k": "many"}}, "setting k (from the program)"},
		"open to everyone": {docent.Options{Args: []string{"--addr=0.0.0.0:0"}}, "--auth"},
	} {
		var said bytes.Buffer
		c.opts.Output = &said
		err := docent.Run(t.Context(), echo(), c.opts)
		if err == nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var said bytes.Buffer
	if err := docent.Run(t.Context(), echo(), docent.Options{Args: []string{"--help"}, Output: &said}); err != nil || !strings.Contains(said.String(), "--database-url") {
		t.Errorf("--help: %v %s", err, said.String())
	}
}

// TestNew checks that a program can open docent, read documents, answer from them,
// and mount the handler in a server of its own.
func TestNew(t *testing.T) {
	t.Parallel()
	d, err := docent.New(t.Context(), docent.Options{Settings: map[string]string{"data": t.TempDir()}, Output: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(t.Context()); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	})
	if d.Runtime() != nil || d.Model() != nil {
		t.Error("there is a runtime without an agent, or a model")
	}
	if err := d.Ingest(t.Context(), "examples/research/notes"); err != nil {
		t.Fatal(err)
	}
	if err := d.Ingest(t.Context(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing folder is no error")
	}
	a := agent.New("ships")
	greet, wait, answer := a.State("greet", agent.Initial), a.State("wait"), a.State("answer")
	greet.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "Ahoy!") })
	greet.GoTo(wait)
	wait.OnMessage().GoTo(answer)
	answer.Body(agent.Answering(rag.Request{}))
	answer.GoTo(wait)
	handler, err := d.Start(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	if status, info := get(t, server.URL+"/api/info"); status != http.StatusOK || !strings.Contains(info, `"agent":"ships"`) {
		t.Errorf("/api/info: %d %s", status, info)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := client.Dial(ctx, client.Config{URL: "ws" + strings.TrimPrefix(server.URL, "http") + "?session_id=ships-aaaaaaaaaaaaaaaaaaaa"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	next, stop := iter.Pull2(conn.Frames())
	defer stop()
	if _, err, _ := next(); err != nil { // the greeting: the session is there
		t.Fatal(err)
	}
	if err := d.Runtime().Dispatch(ctx, "ships-aaaaaaaaaaaaaaaaaaaa", agent.Event{Name: agent.EventText, Text: "How long is the Borealis?"}); err != nil {
		t.Fatal(err)
	}
	if f, err, _ := next(); err != nil || !strings.Contains(string(f.Message), "88 metres") {
		t.Errorf("the agent says %s %s, %v", f.Action, f.Message, err)
	}
	if err := d.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	for open := true; open; { // Close has ended the connection
		_, _, open = next()
	}
	if err := d.Runtime().Dispatch(ctx, "ships-aaaaaaaaaaaaaaaaaaaa", agent.Event{Name: "late"}); err == nil {
		t.Error("a closed docent takes events")
	}
}

// TestModelContext checks that models read the context of the agent and of the
// session, both for answers from documents and for reasoning.
func TestModelContext(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply { return llmtest.Say("The Borealis is 88 metres long [1].") })
	t.Cleanup(model.Close)
	d, err := docent.New(t.Context(), docent.Options{
		Args:   []string{"--data=" + t.TempDir(), "--llm-url=" + model.URL, "--model=scripted"},
		Output: io.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := d.Ingest(t.Context(), "examples/research/notes"); err != nil {
		t.Fatal(err)
	}
	think, err := reason.New(d.Model(), reason.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New("ships")
	a.ModelContext("You serve the harbor of Bilbao.")
	begin, answer, ponder := a.State("begin", agent.Initial), a.State("answer"), a.State("ponder")
	begin.Body(func(_ context.Context, s *agent.Session) error {
		return errors.Join(agent.SetModelContext(s, "gone", "Gone."), agent.SetModelContext(s, "gone", ""), agent.SetModelContext(s, "user", "The user is a captain."))
	})
	begin.OnMessage().GoTo(answer)
	answer.Body(agent.Answering(rag.Request{}))
	answer.OnMessage().GoTo(ponder)
	ponder.Body(think)
	ponder.OnMessage().GoTo(ponder)
	handler, err := d.Start(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := client.Dial(ctx, client.Config{URL: "ws" + strings.TrimPrefix(server.URL, "http")})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	frames, stop := iter.Pull2(conn.Frames())
	defer stop()
	for range 2 {
		if err := conn.Send(ctx, payload.Frame{Action: payload.UserMessage, Message: json.RawMessage(`"How long is the Borealis?"`)}); err != nil {
			t.Fatal(err)
		}
		for {
			f, err, ok := frames()
			if err != nil || !ok {
				t.Fatal(err)
			}
			if strings.Contains(string(f.Message), "88 metres") {
				break
			}
		}
	}
	for i, r := range model.Requests() {
		system := r.Messages[0].Content
		if !strings.Contains(system, "You serve the harbor of Bilbao.\nThe user is a captain.") || strings.Contains(system, "Gone.") {
			t.Errorf("call %d has the instruction %s", i, system)
		}
	}
	if n := len(model.Requests()); n < 2 {
		t.Errorf("%d calls", n)
	}
}

// TestModels has models of the program. An agent names one, and users choose another.
func TestModels(t *testing.T) {
	t.Parallel()
	say := func(text string) *llmtest.Model {
		return llmtest.NewModel(func(int, llmtest.Request) llmtest.Reply { return llmtest.Say(text + " [1].") })
	}
	var log bytes.Buffer // the handler locks it; it is read after Close
	d, err := docent.New(t.Context(), docent.Options{
		Settings: map[string]string{"data": t.TempDir()}, Output: io.Discard, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Models: []docent.Model{
			{Model: config.Model{Name: "plain"}, Chat: say("The Borealis is 88 metres long, says plain")},
			{Model: config.Model{Name: "careful"}, Chat: say("The Borealis is 88 metres long, says careful")},
			{Model: config.Model{Name: "broken", Fallbacks: []string{"free"}}, Chat: llmtest.NewModel(
				func(int, llmtest.Request) llmtest.Reply {
					return llmtest.Reply{Err: fault.New(fault.Unavailable, "test_sentence", "down")}
				})},
			{Model: config.Model{Name: "free", Choose: true}, Chat: say("The Borealis is 88 metres long, says free")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if d.Model().Name() != "plain" || d.NamedModel("careful") == nil || d.NamedModel("unknown") != nil {
		t.Errorf("the default model is %s", d.Model().Name())
	}
	if err := d.Ingest(t.Context(), "examples/research/notes"); err != nil {
		t.Fatal(err)
	}
	a := agent.New("ships")
	begin, answer := a.State("begin", agent.Initial), a.State("answer")
	begin.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		name, question, _ := strings.Cut(s.Message(), ": ")
		message, err := s.RunRAG(ctx, rag.Request{Question: question, Model: name})
		if err != nil {
			return err
		}
		return s.Reply(ctx, message.LLMName+" "+message.Answer)
	})
	answer.OnMessage().GoTo(answer)
	handler, err := d.Start(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	if _, info := get(t, server.URL+"/api/info"); !strings.Contains(info, `"models":["extractive","free","plain"]`) {
		t.Errorf("/api/info: %s", info)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := client.Dial(ctx, client.Config{URL: "ws" + strings.TrimPrefix(server.URL, "http")})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	frames, stop := iter.Pull2(conn.Frames())
	defer stop()
	for name, want := range map[string]string{
		"": "says plain", "careful": "says careful", "broken": "says free", "missing": "this agent has a mistake",
	} {
		text, _ := json.Marshal(name + ": How long is the Borealis?")
		if err := conn.Send(ctx, payload.Frame{Action: payload.UserMessage, Message: text}); err != nil {
			t.Fatal(err)
		}
		f, err, ok := frames()
		if err != nil || !ok {
			t.Fatal(err)
		}
		if !strings.Contains(string(f.Message), want) || strings.Contains(string(f.Message), "missing") {
			t.Errorf("%q: %s", name, f.Message)
		}
	}
	if err := d.Close(ctx); err != nil {
		t.Error(err)
	}
	if said := log.String(); !strings.Contains(said, `level=ERROR msg="the agent names an unknown model"`) || !strings.Contains(said, `reason="there is no model \"missing\"`) {
		t.Errorf("the log does not name the model: %s", said)
	}
}
