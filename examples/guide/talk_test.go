package guide_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// printer is a client that prints the messages of the agent.
type printer struct {
	said chan struct{}        // something was printed
	ends chan payload.Outcome // a turn has ended
}

func (printer) Opened(session.Opened) {}

func (p printer) Deliver(d session.Delivery) {
	f := d.Frame
	switch {
	case f.Action == payload.TurnFinishedAction:
		var end payload.TurnFinished
		if err := json.Unmarshal(f.Message, &end); err != nil {
			panic(err)
		}
		p.ends <- end.Outcome
	case f.Seq == 0 || d.Audience == session.Plain:
	case f.Action == payload.ReplyReasoningStep:
		var step payload.ReasoningStep
		if err := json.Unmarshal(f.Message, &step); err != nil {
			panic(err)
		}
		p.print("-", step.Summary)
	case f.Action == payload.ReplyRAG:
		var m payload.RAGMessage
		if err := json.Unmarshal(f.Message, &m); err != nil {
			panic(err)
		}
		p.print(m.Answer)
	default:
		var text string
		if err := json.Unmarshal(f.Message, &text); err != nil {
			text = string(f.Message)
		}
		p.print(text)
	}
}

func (p printer) print(words ...any) {
	fmt.Println(words...)
	select {
	case p.said <- struct{}{}:
	default:
	}
}

// talk runs an agent and sends it messages. Without messages, it waits for the
// greeting.
func talk(a *agent.Agent, messages ...string) {
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), RAG: &agenttest.Answers{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	p := printer{said: make(chan struct{}, 1), ends: make(chan payload.Outcome, 10)}
	sub, err := rt.Open(ctx, session.OpenRequest{Username: "Ada"}, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	if len(messages) == 0 {
		<-p.said
	}
	for _, m := range messages {
		content, err := json.Marshal(m)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := sub.Send(ctx, session.Message{Content: content, Human: true}); err != nil {
			fmt.Println(err)
			return
		}
		if end := <-p.ends; end != payload.Done {
			fmt.Println("turn", end)
		}
	}
	sub.Close()
	if err := rt.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
}

// scripted returns a chat model with these answers.
func scripted(replies ...llmtest.Reply) llm.Model {
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
