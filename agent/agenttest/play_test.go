package agenttest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
)

// TestPlay plays a recording with an agent in Go: models by name, timers, files, and other agents.
func TestPlay(t *testing.T) {
	t.Parallel()
	const text = `
model: It is blue.
user: What color is it?
state: wait
prompt: Be short.
agent: It is blue.
sent: ws://other:1 It is blue.
answer: Thanks.
agent: They say: Thanks.
wait: 1h
agent: Are you there?
state: ask
action: {"action": "onSubmit"}
agent: A form.
variable: paid true
agent: Paid.
state: ask
`
	file := filepath.Join(t.TempDir(), "color.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a := agent.New("color")
	say := func(text string) agent.Body {
		return func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, text) }
	}
	ask, answer, wait, told := a.State("ask", agent.Initial), a.State("answer"), a.State("wait"), a.State("told")
	late, form, paid := a.State("late"), a.State("form"), a.State("paid")
	ask.OnText().GoTo(answer)
	ask.OnForm("").GoTo(form)
	ask.WhenVariable("paid", agent.Equal, true).GoTo(paid)
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		text, err := agent.Ask(ctx, s, agent.AskRequest{System: "Be short."})
		if err != nil {
			return err
		}
		if _, err := s.SendToPeer(ctx, "ws://other:1", text); err != nil {
			return err
		}
		return s.Reply(ctx, text)
	})
	answer.GoTo(wait)
	wait.OnText().GoTo(told)
	wait.After(time.Hour).GoTo(late)
	told.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "They say: "+s.Message()) })
	told.GoTo(wait)
	late.Body(say("Are you there?"))
	late.GoTo(ask)
	form.Body(say("A form."))
	form.GoTo(ask)
	paid.Body(func(ctx context.Context, s *agent.Session) error {
		s.Delete("paid")
		return s.Reply(ctx, "Paid.")
	})
	paid.GoTo(ask)
	agenttest.Play(t, session.RuntimeConfig{Agent: a}, file)
}
