package baf

import (
	"context"
	"fmt"

	"docent/agent"
)

// Telegram counts hellos and byes. docent has no Telegram platform: this is the
// agent itself, for all clients. The command /help is a transition, and the counters
// belong to the session.
func Telegram(Services) (*agent.Agent, error) {
	a := agent.New("telegram")
	helloIntent := a.Intent("hello", "hello", "hi")
	byeIntent := a.Intent("bye", "bye", "goodbye", "see you")
	fineIntent := a.Intent("howareyou", "how are you?", "how r u")
	start, help, hello := a.State("start", agent.Initial), a.State("help"), a.State("hello")
	bye, fine := a.State("bye"), a.State("howareyou")
	a.Fallback(say("Greetings from global fallback"))

	start.Body(say("Waiting..."))
	start.OnText().When(func(_ context.Context, s *agent.Session) (bool, error) { return s.Message() == "/help", nil }).GoTo(help)
	start.OnIntent(helloIntent).GoTo(hello)
	start.OnIntent(fineIntent).GoTo(fine)
	help.Body(say("I am an agent, tell me something!"))
	help.GoTo(start)
	hello.Body(counting("hello", "hellos"))
	hello.Fallback(say("Greetings from hello fallback"))
	hello.OnIntent(byeIntent).GoTo(bye)
	bye.Body(counting("bye", "byes"))
	bye.GoTo(start)
	fine.Body(say("I am fine, thanks!"))
	fine.GoTo(start)
	return a, nil
}

// counting returns a body that counts in a variable how often it ran.
func counting(word, variable string) agent.Body {
	return func(ctx context.Context, s *agent.Session) error {
		count := agent.Get(s, variable, 0) + 1
		if err := s.Set(variable, count); err != nil {
			return err
		}
		return s.Reply(ctx, fmt.Sprintf("You said %s %d times", word, count))
	}
}
