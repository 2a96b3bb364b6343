package baf

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent"
)

// codeRequest is the message of MainAgent to CoderAgent.
type codeRequest struct {
	Request string `json:"request"`
	Code    string `json:"code"`
}

// fromAgent reports whether another agent sent the message.
func fromAgent(_ context.Context, s *agent.Session) (bool, error) { return !s.Event().Human, nil }

// fromUser reports whether a user sent the message.
func fromUser(_ context.Context, s *agent.Session) (bool, error) { return s.Event().Human, nil }

// CoderAgent writes code for other agents until ReviewerAgent finds no more issues.
func CoderAgent(v Services) (*agent.Agent, error) {
	a := agent.New("coder_agent")
	okIntent := a.Intent("ok", "ok")
	start, generate, update, reply := a.State("start", agent.Initial), a.State("generate"), a.State("update"), a.State("reply")
	start.OnJSON().When(fromAgent).GoTo(generate)
	generate.Body(func(ctx context.Context, s *agent.Session) error {
		var r codeRequest
		if err := json.Unmarshal(s.Event().JSON, &r); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		return v.write(ctx, s, fmt.Sprintf("Given this code:\n\n%s\n\n%s\n\nReturn only the whole code with the additions.", r.Code, r.Request))
	})
	update.Body(func(ctx context.Context, s *agent.Session) error {
		return v.write(ctx, s, fmt.Sprintf("Given this code:\n\n%s\n\nFix these issues and return only the code:\n\n%s",
			agent.Get(s, "new_code", ""), s.Message()))
	})
	for _, state := range []*agent.State{generate, update} {
		state.OnIntent(okIntent).GoTo(reply)
		state.OnNoIntent().GoTo(update)
	}
	reply.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, agent.Get(s, "new_code", "")) })
	reply.GoTo(start)
	return a, nil
}

// write lets the model write code, and sends it to the reviewer.
func (v Services) write(ctx context.Context, s *agent.Session, prompt string) error {
	code, err := v.ask(ctx, "", prompt)
	if err != nil {
		return err
	}
	if err := s.Set("new_code", code); err != nil {
		return err
	}
	_, err = s.SendToPeer(ctx, v.Reviewer, code)
	return err
}
