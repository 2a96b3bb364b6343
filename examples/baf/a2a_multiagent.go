package baf

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent"
)

// orchestration is a request in JSON. Missing values are nil.
type orchestration struct {
	Text *string  `json:"msg"`
	A    *float64 `json:"num1"`
	B    *float64 `json:"num2"`
	C    float64  `json:"num3"`
}

// A2AMultiagent orchestrates an echo and two sums. docent has no A2A platform. The
// methods of BAF's four agents are functions, which one agent calls for a request in
// JSON.
func A2AMultiagent(Services) (*agent.Agent, error) {
	a := agent.New("a2a_multiagent")
	idle, explain, orchestrate := a.State("idle", agent.Initial), a.State("explain"), a.State("orchestrate")
	idle.OnJSON().GoTo(orchestrate)
	idle.OnText().GoTo(explain)
	explain.Body(say("Send {msg, num1, num2, num3} as JSON."))
	explain.GoTo(idle)
	orchestrate.Body(func(ctx context.Context, s *agent.Session) error {
		var o orchestration
		if err := json.Unmarshal(s.Event().JSON, &o); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		if o.Text == nil {
			return s.Reply(ctx, "EchoAgent: msg must be a string")
		}
		text, err := echo(ctx, words{Text: *o.Text})
		if err != nil {
			return err
		}
		if err := s.Reply(ctx, "EchoAgent: message is: "+text); err != nil {
			return err
		}
		if o.A == nil || o.B == nil {
			return s.Reply(ctx, "SummationAgent: Please enter integers only")
		}
		first, err := sum(ctx, numbers{A: *o.A, B: *o.B})
		if err != nil {
			return err
		}
		final, err := sum(ctx, numbers{A: first, B: o.C})
		if err != nil {
			return err
		}
		return replies(ctx, s, fmt.Sprint("SummationAgent: ", first), fmt.Sprint("FinalSumAgent: ", final))
	})
	orchestrate.GoTo(idle)
	return a, nil
}
