package baf

import (
	"context"

	"docent/agent"
)

// MainAgent takes a file with code and a request of the user, and lets CoderAgent
// change the code.
func MainAgent(v Services) (*agent.Agent, error) {
	a := agent.New("main_agent")
	yes, no := a.Intent("yes", "yes"), a.Intent("no", "no")
	start, receive, await := a.State("start", agent.Initial), a.State("receive"), a.State("await")
	send, final := a.State("send"), a.State("final")

	start.Body(say("Hello, upload your code before starting."))
	start.Fallback(say("Please, upload a file before starting."))
	start.OnFile().GoTo(receive)
	receive.Body(func(ctx context.Context, s *agent.Session) error {
		code := agent.Get(s, "new_code", "")
		if code == "" {
			code = string(recording(s))
		}
		if err := s.Set("code", code); err != nil {
			return err
		}
		return replies(ctx, s, "Thanks, I stored your code in my database. This is what it looks like:", code)
	})
	receive.GoTo(await)
	await.Body(func(ctx context.Context, s *agent.Session) error {
		s.Delete("new_code")
		return s.Reply(ctx, "How can I assist you?")
	})
	await.OnText().When(fromUser).GoTo(send)
	send.Body(func(ctx context.Context, s *agent.Session) error {
		if err := s.Reply(ctx, "Let's see what I can do..."); err != nil {
			return err
		}
		_, err := s.SendToPeer(ctx, v.Coder, codeRequest{Request: s.Message(), Code: agent.Get(s, "code", "")})
		return err
	})
	send.OnText().When(fromAgent).GoTo(final)
	final.Body(func(ctx context.Context, s *agent.Session) error {
		code := s.Message()
		if err := s.Set("new_code", code); err != nil {
			return err
		}
		if err := replies(ctx, s, "Take a look at the new code:", code, "Do you want to merge the new code?"); err != nil {
			return err
		}
		return s.ReplyOptions(ctx, "Yes", "No")
	})
	final.OnIntent(yes).GoTo(receive)
	final.OnIntent(no).GoTo(await)
	return a, nil
}

// replies replies with several texts.
func replies(ctx context.Context, s *agent.Session, texts ...string) error {
	for _, text := range texts {
		if err := s.Reply(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
