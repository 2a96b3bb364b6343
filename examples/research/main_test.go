package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"docent"
	"docent/examples/exampletest"
	"docent/llm/llmtest"
	"docent/payload"
)

// TestWithoutModel checks that answers are quotes from the documents.
func TestWithoutModel(t *testing.T) {
	t.Parallel()
	u := exampletest.Serve(t, here)
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
	for name, serve := range map[string]func(context.Context, docent.Options) error{"Go": here, "YAML": serveFile} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.NewServer(llmtest.Script(
				llmtest.Reply{ToolCalls: []llmtest.ToolCall{
					{ID: "1", Name: "search_knowledge", Arguments: `{"query":"how long is the Borealis"}`},
					{ID: "2", Name: "read_file", Arguments: `{"relative_path":"voyages.csv"}`},
				}},
				llmtest.Say("The Borealis is 88 metres long [1] and was at sea for 31 days."),
			))
			t.Cleanup(model.Close)
			u := exampletest.Serve(t, serve, "--llm-url="+model.URL, "--model=scripted")
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

// here serves the agent in Go with the notes and the data of this folder.
func here(ctx context.Context, opts docent.Options) error { return run(ctx, opts, ".") }

// serveFile serves the agent in YAML.
func serveFile(ctx context.Context, opts docent.Options) error {
	opts.Settings = map[string]string{"agent-file": "research.yaml"}
	d, err := docent.New(ctx, opts)
	if err != nil {
		return err
	}
	return errors.Join(d.Ingest(ctx, "notes"), d.Serve(ctx, nil), d.Close(ctx))
}

// answered returns the next frame and checks that it is an answer with evidence.
func answered(t *testing.T, u *exampletest.User) payload.RAGMessage {
	t.Helper()
	f := u.Frame()
	var answer payload.RAGMessage
	if err := json.Unmarshal(f.Message, &answer); err != nil || f.Action != payload.ReplyRAG {
		t.Fatalf("%s %s: %v", f.Action, f.Message, err)
	}
	return answer
}
