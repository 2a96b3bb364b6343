package session_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// TestAsk asks models by name, with the context of the agent and with earlier messages.
func TestAsk(t *testing.T) { bubble(t, testAsk) }

func testAsk(t *testing.T) {
	first := llmtest.NewModel(llmtest.Script(llmtest.Say("one"), llmtest.Say("three")))
	second := llmtest.NewModel(llmtest.Script(llmtest.Say("two")))
	a := echo(func(ctx context.Context, s *agent.Session) error {
		for _, ask := range []func() (string, error){
			func() (string, error) { return s.Ask(ctx, "Say one.") },
			func() (string, error) {
				return agent.Ask(ctx, s, agent.AskRequest{Model: "second", System: "Be short.", History: 4, Stream: true})
			},
		} {
			text, err := ask()
			if err != nil {
				return err
			}
			if err := s.Reply(ctx, text); err != nil {
				return err
			}
		}
		if _, err := agent.Ask(ctx, s, agent.AskRequest{Model: "third"}); err == nil || !strings.Contains(err.Error(), "there are: first, second") {
			t.Errorf("a missing model: %v", err)
		}
		for want, answer := range map[string]llm.Answer{
			"--max-tokens":             {Reasoning: "The user wants", StopReason: "length"},
			"reasoning parser":         {Text: " ", Reasoning: "The user wants one.", StopReason: "stop"},
			"returned an empty answer": {StopReason: "stop"},
		} {
			if text, err := agent.Ask(ctx, s, agent.AskRequest{Prompt: "Say one.", With: silent(answer)}); !strings.Contains(fault.Message(err), want) {
				t.Errorf("an answer without text: %q, %v, want %s", text, err, want)
			}
		}
		return agent.Asking(agent.AskRequest{})(ctx, s)
	})
	a.ModelContext("You serve a shop.")
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Models: agent.Models{
		ByName: map[string]llm.Model{"first": first, "second": second}, Default: "first",
	}})
	sub, c, _ := open(t, rt, "S")
	send(t, sub, "", "hi")
	c.Until(payload.DeltaAction)
	c.Until(payload.TurnFinishedAction)
	if got := recorded(store); got != `"hello" user "hi" "one" "two" "three" "hi"` {
		t.Errorf("stored %s", got)
	}
	for i, want := range []string{
		`system You serve a shop.|user Say one.`, `system Be short.You serve a shop.|user hi`, `system You serve a shop.|user hi`,
	} {
		model, n := first, i/2
		if i == 1 {
			model, n = second, 0
		}
		var got []string
		for _, m := range model.Requests()[n].Messages {
			got = append(got, m.Role+" "+strings.ReplaceAll(m.Content, "\n", ""))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("request %d is %q, want %q", i, got, want)
		}
	}
}

// silent is a model that writes an answer without streaming it.
type silent llm.Answer

func (silent) Name() string { return "silent" }

func (m silent) Chat(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	answer := llm.Answer(m)
	return func(yield func(llm.Delta, error) bool) { yield(llm.Delta{Answer: &answer}, nil) }
}

// TestAskInto lets the model correct an answer twice.
func TestAskInto(t *testing.T) { bubble(t, testAskInto) }

func testAskInto(t *testing.T) {
	model := llmtest.NewModel(llmtest.Script(
		llmtest.Say("Two of them."), llmtest.Say(`{"count": "2"}`), llmtest.Say("Here: ```json\n{\"count\": 2}\n```"),
		llmtest.Say("no"), llmtest.Say("no"), llmtest.Say("{"),
	))
	type order struct {
		Count int `json:"count"`
	}
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{
		Store: store, Models: agent.Models{ByName: map[string]llm.Model{"m": model}, Default: "m"},
		Agent: echo(func(ctx context.Context, s *agent.Session) error {
			got := order{7}
			if err := s.AskInto(ctx, "How many?", &got); err != nil || got.Count != 2 {
				t.Errorf("got %+v, %v", got, err)
			}
			if err := s.AskInto(ctx, "How many?", &got); fault.KindOf(err) != fault.Unavailable || got.Count != 2 {
				t.Errorf("got %+v, %v", got, err)
			}
			if err := s.AskInto(ctx, "How many?", got); err == nil {
				t.Error("a struct in place of a pointer is accepted")
			}
			return nil
		}),
	})
	sub, c, _ := open(t, rt, "S")
	send(t, sub, "", "hi")
	c.Until(payload.TurnFinishedAction)
	all := model.Requests()
	if len(all) != 6 || !strings.Contains(all[0].Messages[0].Content, `"count"`) || !strings.Contains(all[2].Messages[5].Content, "does not fit the schema") {
		t.Errorf("the model got %+v", all)
	}
}

// TestObject reads the object of a message and the data of an event in the same way. An image
// that is no picture is not sent.
func TestObject(t *testing.T) { bubble(t, testObject) }

func testObject(t *testing.T) {
	a := agent.New("objects")
	idle := a.State("idle", agent.Initial)
	idle.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Begins() {
			return nil
		}
		if err := s.ReplyImage(ctx, payload.Image("no picture")); err == nil {
			t.Error("a text was sent as an image")
		}
		return s.Reply(ctx, string(s.Event().Object()))
	})
	idle.OnEvent().GoTo(idle)
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: a, Store: store})
	sub, c, _ := open(t, rt, "S")
	for _, sends := range []func() error{
		func() error {
			return sub.Send(t.Context(), session.Message{Content: json.RawMessage(`{"n":1}`), Human: true})
		},
		func() error { return sub.SendEvent(t.Context(), "paid", json.RawMessage(`{"n":2}`), false) },
	} {
		if err := sends(); err != nil {
			t.Fatal(err)
		}
		c.Until(payload.TurnFinishedAction)
	}
	if got := recorded(store); got != `user {"n":1} "{\"n\":1}" "{\"n\":2}"` {
		t.Errorf("stored %s", got)
	}
}
