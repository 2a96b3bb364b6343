package guide_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	out  io.Writer
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
	fmt.Fprintln(p.out, words...)
	select {
	case p.said <- struct{}{}:
	default:
	}
}

// talk runs an agent and sends it messages. Without messages, it waits for the
// greeting.
func talk(a *agent.Agent, messages ...any) { converse(os.Stdout, a, messages...) }

// event is an event that a client sends, instead of a message.
type event struct {
	name string
	data json.RawMessage
}

// converse is talk with another output. Besides messages, it sends events.
func converse(out io.Writer, a *agent.Agent, messages ...any) {
	converseWith(out, scripted(llmtest.Say("Yes.")), a, messages...)
}

// converseWith is converse with a chat model.
func converseWith(out io.Writer, model llm.Model, a *agent.Agent, messages ...any) {
	rt, err := session.NewRuntime(session.RuntimeConfig{
		Memories: &session.TemporaryMemories{},
		Agent:    a, Store: agenttest.NewStore(), RAG: &agenttest.Answers{},
		Models: agent.Models{ByName: map[string]llm.Model{"scripted": model}, Default: "scripted"},
	})
	if err != nil {
		fmt.Fprintln(out, err)
		return
	}
	ctx := context.Background()
	p := printer{out: out, said: make(chan struct{}, 1), ends: make(chan payload.Outcome, 10)}
	sub, err := rt.Open(ctx, session.OpenRequest{Username: "Ada"}, p)
	if err != nil {
		fmt.Fprintln(out, err)
		return
	}
	if len(messages) == 0 {
		<-p.said
	}
	for _, m := range messages {
		if err := tell(ctx, sub, m); err != nil {
			fmt.Fprintln(out, err)
			return
		}
		if end := <-p.ends; end != payload.Done {
			fmt.Fprintln(out, "turn", end)
		}
	}
	sub.Close()
	if err := rt.Shutdown(ctx); err != nil {
		fmt.Fprintln(out, err)
	}
}

func tell(ctx context.Context, sub *session.Subscription, message any) error {
	if e, ok := message.(event); ok {
		return sub.SendEvent(ctx, e.name, e.data, false)
	}
	content, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return sub.Send(ctx, session.Message{Content: content, Human: true})
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
