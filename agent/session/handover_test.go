package session_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
)

func says(text string) agent.Body {
	return func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, text) }
}

// cashier asks for a card, and keeps it in a variable.
func cashier() *agent.Agent {
	a := agent.New("cashier")
	a.Fallback(says("?"))
	ask, check, done := a.State("ask", agent.Initial), a.State("check"), a.State("done")
	ask.Body(says("Which card?"))
	ask.OnText().WhenMatches(regexp.MustCompile(`^\w+$`)).GoTo(check)
	check.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() == "stolen" {
			return s.Move(ctx, ask)
		}
		return s.Set("card", s.Message())
	})
	check.WhenVariable("card", agent.NotEqual, nil).GoTo(done)
	return a
}

// shop hands over to the cashier, and is back afterwards.
func shop() *agent.Agent {
	a := agent.New("shop")
	help := a.Intent("help", "I need help")
	idle, pay, thanks, advise := a.State("idle", agent.Initial), a.State("pay"), a.State("thanks"), a.State("advise")
	idle.OnText().GoTo(pay)
	pay.Body(says("The cashier takes over."))
	pay.HandOver(cashier())
	pay.WhenVariable("card", agent.Equal, "gold").GoTo(thanks)
	pay.WhenVariable("card", agent.NotEqual, "gold").GoTo(idle)
	thanks.Body(says("Thanks."))
	advise.Body(says("Name your card."))
	advise.Global(help)
	return a
}

// TestHandOver hands a session over to another agent, also across a restart, and comes back with the result.
func TestHandOver(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	talk := func(said string, want ...string) {
		t.Helper()
		rt := agenttest.Start(t, session.RuntimeConfig{Agent: shop(), Store: store}) // each message after a restart
		sub, c, _ := agenttest.OpenSession(t, rt, "s")
		agenttest.Send(t, sub, "", said)
		for _, text := range want {
			if got := agenttest.Text(t, c.Until("agent_reply_str")); got != text {
				t.Errorf("after %q: %q, want %q", said, got, text)
			}
		}
		sub.Close()
		agenttest.Stop(t, rt)
	}
	talk("hello", "The cashier takes over.", "Which card?")
	talk("I need help", "Name your card.", "Which card?")
	talk("stolen", "Which card?")
	talk("gold", "Thanks.")
	var states []string
	for _, m := range store.Transitions("s") {
		states = append(states, m.Dest)
	}
	const want = "pay pay/ask advise pay/ask pay/check pay/ask pay/check pay/done thanks"
	if got := strings.Join(states, " "); got != want {
		t.Errorf("states %s, want %s", got, want)
	}
}

// TestHandOverErrors refuses agents that lead to each other, never come back, or are missing.
func TestHandOverErrors(t *testing.T) {
	t.Parallel()
	deep := agent.New("deepest")
	deep.State("s", agent.Initial)
	for range agent.MaxAgentDepth {
		a := agent.New("above")
		a.State("s", agent.Initial).HandOver(deep)
		deep = a
	}
	self := agent.New("self")
	self.State("s", agent.Initial).HandOver(self)
	endless, outer := agent.New("endless"), agent.New("outer")
	e := endless.State("s", agent.Initial)
	e.OnText().GoTo(e)
	o := outer.State("s", agent.Initial)
	o.HandOver(endless)
	o.OnText().GoTo(o)
	missing := agent.New("missing")
	missing.State("s", agent.Initial).HandOver(nil)
	for want, a := range map[string]*agent.Agent{
		"at most 5 agents": deep, "leads to this state": self, "never comes back": outer, "a nil agent": missing,
	} {
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", a.Name(), err, want)
		}
	}
}

// TestConsult asks agents in parallel, limits their number, depth, and tokens, and keeps their replies from the user.
func TestConsult(t *testing.T) {
	t.Parallel()
	consultant := func(body agent.Body) *agent.Consultant {
		a := agent.New("consultant")
		greet, work := a.State("greet", agent.Initial), a.State("work")
		greet.Body(says("a greeting"))
		greet.OnText().GoTo(work)
		work.Body(body)
		c, err := agent.NewConsultant(a)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	var deep *agent.Consultant
	deep = consultant(func(ctx context.Context, s *agent.Session) error {
		found, err := agent.Consult(ctx, s, agent.Task{To: deep, Text: s.Message() + "+"})
		if err != nil {
			return err
		}
		if found[0].Err != nil {
			return s.Reply(ctx, s.Message()+" "+fault.TextOf(found[0].Err).ID)
		}
		return s.Reply(ctx, found[0].Text)
	})
	tasks := []agent.Task{
		{To: consultant(says("one")), Text: "a"},
		{To: consultant(func(_ context.Context, s *agent.Session) error { return s.Set("result", s.Message()) }), Text: "b"},
		{To: deep, Text: "c"},
		{To: consultant(func(_ context.Context, s *agent.Session) error {
			s.AddUsage(5, 6)
			return nil
		}), Text: "d", MaxTokens: 10},
		{To: consultant(func(context.Context, *agent.Session) error { return errors.New("no") }), Text: "e"},
		{To: consultant(func(ctx context.Context, s *agent.Session) error {
			return agent.ApprovalsOf(s).Ask(ctx, agent.Approval{Tool: "pay", Arguments: []byte(`{}`)})
		}), Text: "f"},
	}
	done := make(chan []agent.Finding, 1)
	asking := agenttest.Echo(func(ctx context.Context, s *agent.Session) error {
		found, err := agent.Consult(ctx, s, tasks...)
		done <- found
		return err
	})
	rt := agenttest.Start(t, session.RuntimeConfig{Store: agenttest.NewStore(), Agent: asking})
	sub, c, _ := agenttest.OpenSession(t, rt, "s")
	agenttest.Text(t, c.Until("agent_reply_str"))
	agenttest.Send(t, sub, "", "hi")
	if got := agenttest.Text(t, c.Until("agent_reply_str")); got != "hi" {
		t.Errorf("the user reads %q", got)
	}
	finished := c.Until("turn_finished")
	if !strings.Contains(string(finished.Frame.Message), `"prompt_tokens":5`) {
		t.Errorf("usage %s", finished.Frame.Message)
	}
	found := <-done
	if found[0].Text != "one" || string(found[1].Value) != `"b"` || found[2].Text != "c+++ task_depth" {
		t.Errorf("findings %+v", found[:3])
	}
	if fault.TextOf(found[3].Err).ID != "task_tokens" || found[4].Err == nil || fault.TextOf(found[5].Err).ID != "task_asks" {
		t.Errorf("failures %v, %v, %v", found[3].Err, found[4].Err, found[5].Err)
	}
}
