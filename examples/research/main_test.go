package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"docent/agent/definition"
	"docent/agent/tool"
	"docent/examples/host"
	"docent/examples/host/hosttest"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// TestWithoutModel checks that answers are quotes from the documents.
func TestWithoutModel(t *testing.T) {
	t.Parallel()
	u := hosttest.Serve(t, func(ctx context.Context, addr, folder string, ready func(string)) error {
		return run(ctx, addr, folder, ".", ready)
	})
	u.Hears(greeting)
	u.Says("How long is the Borealis?")
	u.Hears("Comparing, summarizing and the like need a chat model that can use tools. None is set up here, so I answer from a single search of the documents.")
	if answer := answered(t, u); !strings.Contains(answer.Answer, "88 metres") || answer.LLMName != "extractive" {
		t.Errorf("answered %+v", answer)
	}
}

// TestWithModel checks that the model searches the documents, reads a file, and
// answers with citations. The agent in Go and the one in YAML both do.
func TestWithModel(t *testing.T) {
	t.Parallel()
	for name, inYAML := range map[string]bool{"Go": false, "YAML": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewModel(llmtest.Script(
				llmtest.Reply{ToolCalls: []llmtest.ToolCall{
					{ID: "1", Name: "search_knowledge", Arguments: `{"query":"how long is the Borealis"}`},
					{ID: "2", Name: "read_file", Arguments: `{"relative_path":"voyages.csv"}`},
				}},
				llmtest.Say("The Borealis is 88 metres long [1] and was at sea for 31 days."),
			))
			u := hosttest.Serve(t, func(ctx context.Context, addr, folder string, ready func(string)) error {
				return with(ctx, addr, folder, ready, model, inYAML)
			})
			u.Hears(greeting)
			u.Says("Compare how long the Borealis is with how long it was at sea.")
			kinds := []string{}
			for range 4 { // started, calls, two results
				var step payload.ReasoningStep
				if err := json.Unmarshal(u.Frame().Message, &step); err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, string(step.Kind))
			}
			if got := strings.Join(kinds, " "); got != "reasoning_started llm_tool_calls tool_result tool_result" {
				t.Errorf("steps %s", got)
			}
			answer := answered(t, u)
			if !strings.Contains(answer.Answer, "88 metres long [1]") || len(answer.Docs) == 0 || answer.Sentences[0].Support == payload.SupportNone {
				t.Errorf("answered %+v", answer)
			}
		})
	}
}

// with serves the agent with a model.
func with(ctx context.Context, addr, folder string, ready func(string), model llm.Model, inYAML bool) error {
	h, err := host.Open(ctx, folder)
	if err != nil {
		return err
	}
	defer h.Close()
	h.Model = model
	if err := h.Read(ctx, "notes"); err != nil {
		return err
	}
	if inYAML {
		d, err := definition.Load(ctx, "research.yaml", definition.Environment{
			Models: map[string]llm.Model{"model": model}, Model: "model", Knowledge: h.Knowledge,
		})
		if err != nil {
			return err
		}
		defer d.Close()
		return h.Serve(ctx, addr, d.Agent, ready)
	}
	files, err := tool.OpenWorkspaces(tool.Workspace{Name: "data", Path: "data"})
	if err != nil {
		return err
	}
	defer files.Close()
	a, err := newAgent(h, files)
	if err != nil {
		return err
	}
	return h.Serve(ctx, addr, a, ready)
}

// answered returns the next frame and checks that it is an answer with evidence.
func answered(t *testing.T, u *hosttest.User) payload.RAGMessage {
	t.Helper()
	f := u.Frame()
	var answer payload.RAGMessage
	if err := json.Unmarshal(f.Message, &answer); err != nil || f.Action != payload.ReplyRAG {
		t.Fatalf("%s %s: %v", f.Action, f.Message, err)
	}
	return answer
}
