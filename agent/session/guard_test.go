package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// guarded begins a conversation with an agent that repeats messages, and says the number of earlier texts.
func guarded(t *testing.T, add func(a *agent.Agent), models agent.Models) (say func(text string) string) {
	t.Helper()
	a := agent.New("guarded")
	one := a.State("one", agent.Initial)
	one.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() == "" {
			return nil
		}
		turns, err := s.Turns(ctx, 0)
		if err != nil {
			return err
		}
		for _, turn := range turns {
			if strings.Contains(turn.Text, "secret") {
				t.Errorf("a prompt contains %q", turn.Text)
			}
		}
		if err := s.Stream(ctx, "growing "); err != nil {
			return err
		}
		return s.Reply(ctx, "You said "+s.Message())
	})
	one.OnMessage().GoTo(one)
	add(a)
	rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Models: models})
	sub, c, _ := open(t, rt, "S")
	return func(text string) string {
		t.Helper()
		send(t, sub, "", text)
		var out []string
		for {
			d := c.Next()
			switch d.Frame.Action {
			case payload.ReplyStr:
				if d.Audience != session.Streaming {
					out = append(out, agenttest.Text(t, d))
				}
			case payload.DeltaAction:
				out = append(out, "(streamed)")
			case payload.ReplyReasoningStep:
				var step struct{ Summary string }
				if err := json.Unmarshal(d.Frame.Message, &step); err != nil {
					t.Fatal(err)
				}
				if d.Audience != session.Streaming {
					t.Error("BAF clients get a step of a guard")
				}
				if d.Frame.Seq > 0 {
					out = append(out, "["+step.Summary+"]")
				}
			case payload.TurnFinishedAction:
				return strings.Join(out, " ")
			}
		}
	}
}

func TestGuards(t *testing.T) {
	t.Parallel()
	model := llmtest.NewModel(func(_ int, r llmtest.Request) llmtest.Reply {
		text := r.Messages[len(r.Messages)-1].Content
		answer, err := json.Marshal(map[string]any{"yes": strings.Contains(text, "pill"), "reason": "medicine"})
		if err != nil {
			t.Error(err)
		}
		return llmtest.Say(string(answer))
	})
	say := guarded(t, func(a *agent.Agent) {
		a.ProcessUser(func(_ context.Context, _ *agent.Session, text string) (string, error) {
			return strings.TrimSpace(text), nil
		})
		a.GuardUser(agent.Guard{Name: "secrets", Refuses: agent.RefuseMatches(regexp.MustCompile("^secret")), Reply: "No secrets."})
		a.GuardUser(agent.Guard{Name: "length", Refuses: agent.RefuseLonger(60)})
		a.GuardUser(agent.Guard{Name: "language", Refuses: agent.RefuseOtherLanguages("en")})
		a.GuardUser(agent.Guard{Name: "judge", Refuses: agent.RefuseIf("Is it about medicine?", nil)})
		a.GuardUser(agent.Guard{Name: "broken", Refuses: func(_ context.Context, _ *agent.Session, text string) (string, error) {
			if text == "break" {
				return "", errors.New("out of order")
			}
			return "", nil
		}})
		a.GuardAgent(agent.Guard{Name: "words", Refuses: agent.RefuseMatches(regexp.MustCompile("said bad"))})
	}, agent.Models{ByName: map[string]llm.Model{"m": model}, Default: "m"})
	const refused = "I cannot answer this message."
	for _, test := range []struct{ text, want string }{
		{"hello", "You said hello"},
		{" secret", "[guard secrets refused a text of the user: it matches ^secret] No secrets."},
		{strings.Repeat("x", 61), "[guard length refused a text of the user: it has 61 characters, at most 60 are allowed] " + refused},
		{"wie ist das und was ist mit der und dem", "[guard language refused a text of the user: it is in the language de] " + refused},
		{"which pill", "[guard judge refused a text of the user: medicine] " + refused},
		{"break", "[guard broken refused a text of the user: the guard failed] " + refused},
		{"bad", "[guard words refused a text of the agent: it matches said bad] I have no answer that I may give."},
		{"hello", "You said hello"},
	} {
		if got := say(test.text); got != test.want {
			t.Errorf("%q: %s\nwant %s", test.text, got, test.want)
		}
	}
}

// TestNoGuards: without guards for its texts, the agent streams.
func TestNoGuards(t *testing.T) {
	t.Parallel()
	say := guarded(t, func(a *agent.Agent) {
		a.GuardUser(agent.Guard{Name: "none", Refuses: agent.RefuseLonger(100)})
	}, agent.Models{})
	if got := say("hello"); got != "(streamed) You said hello" {
		t.Error(got)
	}
}
