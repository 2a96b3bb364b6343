package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/api"
	"docent/internal/wstest"
	"docent/llm/llmtest"
)

// asServer is an environment variable. It turns the test binary into an MCP
// server that writes its process id into the named file.
const asServer = "DOCENT_TEST_MCP"

// serveMCP offers two tools on standard input and output. The tool hold adds a line to the named file with the ending .held,
// and does not return.
func serveMCP(file string) {
	if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		panic(err)
	}
	type part struct {
		Name string `json:"name"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "stock", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "count"}, func(_ context.Context, _ *mcp.CallToolRequest, p part) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "12 of " + p.Name}}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "hold"}, func(ctx context.Context, _ *mcp.CallToolRequest, p part) (*mcp.CallToolResult, any, error) {
		held, err := os.OpenFile(file+".held", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, err
		}
		defer held.Close()
		if _, err := held.WriteString(p.Name + "\n"); err != nil {
			return nil, nil, err
		}
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // it ends with its input
}

// TestServeAgent: an agent from a file reasons with an MCP server, a folder,
// and documents. When docent ends, the MCP server has ended too.
func TestServeAgent(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(llmtest.Script(
		llmtest.Reply{ToolCalls: []llmtest.ToolCall{
			{ID: "1", Name: "stock_count", Arguments: `{"name":"valves"}`},
			{ID: "2", Name: "read_file", Arguments: `{"relative_path":"notes.txt"}`},
			{ID: "3", Name: "list_documents", Arguments: `{}`},
		}},
		llmtest.Say("There are 12 valves."),
	))
	t.Cleanup(model.Close)
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "files/notes.txt", "Valves are in the north depot.", "agent.yaml", `
name: stock
greeting: Ask me about the stock.
tools:
  knowledge: true
  workspaces: [{name: files, path: files}]
  mcp: [{name: stock, command: ["${EXE}"], env: {`+asServer+`: `+pid+`}}]
states:
  think: {initial: true, body: [reason], on: [{message: any, to: think}]}
`)
	p, at := serve(t, []string{
		"DOCENT_DATA=" + filepath.Join(dir, "data"), "EXE=" + exe, "DOCENT_LLM_URL=" + model.URL,
		"DOCENT_MODEL=scripted", "DOCENT_AGENT_FILE=" + filepath.Join(dir, "agent.yaml"),
	})
	var info api.Info
	if getJSON(t, at+"/api/info", &info); info.Agent != "stock" || info.BuiltIn {
		t.Errorf("the agent is %q, built in: %v", info.Agent, info.BuiltIn)
	}
	c := dial(t, at)
	if f := hear(t, c); f["message"] != "Ask me about the stock." {
		t.Fatalf("greeting %v", f)
	}
	say(t, c, wstest.MessageText, `{"action":"user_message","message":"How many valves are there?"}`)
	var results []string
	f := hear(t, c)
	for ; f["action"] == "agent_reply_reasoning_step"; f = hear(t, c) {
		step := f["message"].(map[string]any)
		if step["kind"] == "tool_result" {
			results = append(results, step["details"].(map[string]any)["content"].(string))
		}
	}
	if f["message"] != "There are 12 valves." || len(results) != 3 || results[0] != "12 of valves" || results[1] != "Valves are in the north depot." {
		t.Errorf("answered %v after %q", f["message"], results)
	}
	if err := c.CloseNow(); err != nil { // or the server waits for it to read
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(); code != 0 {
		t.Errorf("status %d\n%s", code, p.log)
	}
	id, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(id))); err == nil {
		t.Errorf("the MCP server %s still runs", id)
	}
}
