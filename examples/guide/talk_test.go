package guide_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tmc/langchaingo/llms"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/llm/llmtest"
	"docent/payload"
)

// printer is a client that prints what it hears.
type printer chan payload.Outcome

func (printer) Opened(agent.Opened) {}

func (p printer) Deliver(d agent.Delivery) {
	f := d.Frame
	switch {
	case f.Action == payload.TurnFinishedAction:
		var end payload.TurnFinished
		if err := json.Unmarshal(f.Message, &end); err != nil {
			panic(err)
		}
		p <- end.Outcome
	case f.Seq == 0 || d.Audience == agent.Plain:
	case f.Action == payload.ReplyReasoningStep:
		var step payload.ReasoningStep
		if err := json.Unmarshal(f.Message, &step); err != nil {
			panic(err)
		}
		fmt.Println("-", step.Summary)
	case f.Action == payload.ReplyRAG:
		var m payload.RAGMessage
		if err := json.Unmarshal(f.Message, &m); err != nil {
			panic(err)
		}
		fmt.Println(m.Answer)
	default:
		var text string
		if err := json.Unmarshal(f.Message, &text); err != nil {
			text = string(f.Message)
		}
		fmt.Println(text)
	}
}

// talk runs an agent and says something to it.
func talk(a *agent.Agent, messages ...string) {
	rt, err := agent.NewRuntime(agent.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), RAG: &agenttest.Answers{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	p := make(printer, 10)
	sub, err := rt.Open(ctx, agent.OpenRequest{Username: "Ada"}, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range messages {
		content, err := json.Marshal(m)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := sub.Send(ctx, agent.Message{Content: content, Human: true}); err != nil {
			fmt.Println(err)
			return
		}
		if end := <-p; end != payload.Done {
			fmt.Println("turn", end)
		}
	}
	sub.Close()
	if err := rt.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
}

// scripted is a chat model that answers so.
func scripted(replies ...llmtest.Reply) llms.Model {
	return llmtest.NewModel(llmtest.Script(replies...))
}

func call(name, arguments string) llmtest.Reply {
	return llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "1", Name: name, Arguments: arguments}}}
}

// folder makes a folder with a file.
func folder(name, text string) string {
	dir, err := os.MkdirTemp("", "guide")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		panic(err)
	}
	return dir
}
