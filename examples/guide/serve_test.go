package guide_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/agent/peer"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool/mcp"
	"docent/client"
	"docent/llm/llmtest"
	"docent/payload"
	"docent/store/sqlite"
	"docent/ws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds each wait of a test.
const patience = time.Minute

// start serves an agent over WebSocket alone.
func start(ctx context.Context, a *agent.Agent, file string, answers agent.RAG, dialer peer.Dialer) (*ws.Server, *sqlite.Store, error) {
	store, err := sqlite.Open(ctx, sqlite.Config{Path: file})
	if err != nil {
		return nil, nil, err
	}
	runtime, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: store, RAG: answers, Dialer: dialer})
	if err != nil {
		return nil, store, err
	}
	if err := runtime.Start(ctx); err != nil { // wakes sessions that wait for a time
		return nil, store, err
	}
	server, err := ws.NewServer(ws.Config{Runtime: runtime}) // an http.Handler; its Shutdown ends the runtime too
	return server, store, err
}

// run serves an agent for the length of a test.
func run(t *testing.T, a *agent.Agent, dialer peer.Dialer) (url string) {
	t.Helper()
	server, store, err := start(t.Context(), a, filepath.Join(t.TempDir(), "agent.db"), nil, dialer)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(server)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		h.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return "ws" + strings.TrimPrefix(h.URL, "http")
}

// hears connects to an agent, sends a message, and returns the replies.
func hears(t *testing.T, url, said string, frames int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := client.Dial(ctx, client.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // Frames waits for as long as the connection lives
	next, stop := iter.Pull2(conn.Frames())
	defer stop()
	content, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Send(ctx, payload.Frame{Action: payload.UserMessage, Message: content}); err != nil {
		t.Fatal(err)
	}
	var out []string
	for len(out) < frames {
		f, err, ok := next()
		if !ok || err != nil {
			t.Fatalf("after %q: %v", out, err)
		}
		out = append(out, string(f.Message))
	}
	return out
}

// TestPeers runs the guide's agent that asks another agent.
func TestPeers(t *testing.T) {
	t.Parallel()
	other := agent.New("oracle")
	wait, tell := other.State("wait", agent.Initial), other.State("tell")
	wait.OnMessage().GoTo(tell)
	tell.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "rain in "+s.Message()) })
	tell.GoTo(wait)
	oracle := run(t, other, nil)
	dialer, err := client.NewDialer(client.DialerConfig{})
	if err != nil {
		t.Fatal(err)
	}

	a := agent.New("guide")
	listen, ask, pass := a.State("listen", agent.Initial), a.State("ask"), a.State("pass")
	answered := func(_ context.Context, s *agent.Session) (bool, error) { return s.Event().From != "", nil }
	asked := func(_ context.Context, s *agent.Session) (bool, error) { return s.Event().Human, nil }
	for _, state := range a.States() {
		state.OnMessage().When(answered).GoTo(pass)
		state.OnMessage().When(asked).GoTo(ask)
	}
	ask.Body(func(ctx context.Context, s *agent.Session) error {
		_, err := s.SendToPeer(ctx, oracle, s.Message()) // returns when it is written
		return err
	})
	pass.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, "I hear of "+s.Message()+".")
	})

	if got := hears(t, run(t, a, dialer), "Bilbao", 1); got[0] != `"I hear of rain in Bilbao."` {
		t.Errorf("heard %s", got)
	}
	_ = listen
}

// TestMCP runs the guide's agent with the tools of an MCP server.
func TestMCP(t *testing.T) {
	t.Parallel()
	type place struct {
		City string `json:"city"`
	}
	offers := sdk.NewServer(&sdk.Implementation{Name: "weather", Version: "1"}, nil)
	sdk.AddTool(offers, &sdk.Tool{Name: "forecast"}, func(_ context.Context, _ *sdk.CallToolRequest, p place) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "rain in " + p.City}}}, nil, nil
	})
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return offers }, nil))
	t.Cleanup(h.Close)
	body, server, err := connected(t.Context(), h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	a := agent.New("weather")
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnMessage().GoTo(think)
	got := hears(t, run(t, a, nil), "Will it rain in Bilbao?", 4)
	if !strings.Contains(got[2], "rain in Bilbao") || got[3] != `"Yes."` {
		t.Errorf("heard %s", got)
	}
}

var model = scripted(call("weather_forecast", `{"city":"Bilbao"}`), llmtest.Say("Yes."))

// connected is in the guide. It adds the tools of an MCP server.
func connected(ctx context.Context, url string) (agent.Body, *mcp.Server, error) {
	server, err := mcp.Connect(ctx, mcp.Config{Name: "weather", URL: url}) // or Command: a program and its arguments
	if err != nil {
		return nil, nil, err
	}
	tools, err := server.Tools(ctx) // named weather_… after the server
	if err != nil {
		return nil, server, err
	}
	body, err := reason.New(model, reason.Options{Tools: tools})
	return body, server, err
}
