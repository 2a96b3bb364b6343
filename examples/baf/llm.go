package baf

import (
	"context"

	"docent/agent"
	"docent/agent/intent"
)

// greeting is the prompt for the first message of an agent.
const greeting = "Begin the conversation with a short and original greeting of 2 to 15 words."

// LLM answers questions about four subjects with a chat model, which also recognizes
// the intents by their descriptions.
func LLM(v Services) (*agent.Agent, error) {
	classifier, err := intent.NewLLM(intent.LLMConfig{Model: v.Model})
	if err != nil {
		return nil, err
	}
	a := agent.New("llm")
	a.ClassifyWith(classifier)
	greetings, answer := a.State("greetings", agent.Initial), a.State("answer")
	greetings.Body(v.asking(greeting))
	greetings.OnIntent(a.Intent("hello").Describe("The user greets you")).GoTo(greetings)
	for _, subject := range []string{"maths", "physics", "literature", "psychology"} {
		description := "The user asks something about " + subject
		if subject == "maths" {
			description = "The user asks something about mathematics"
		}
		greetings.OnIntent(a.Intent(subject).Describe(description)).GoTo(answer)
	}
	greetings.Fallback(func(ctx context.Context, s *agent.Session) error {
		return v.asking("Say that you do not know the answer to this message of the user: "+s.Message())(ctx, s)
	})
	answer.Body(func(ctx context.Context, s *agent.Session) error { return v.asking(s.Message())(ctx, s) })
	answer.GoTo(greetings)
	return a, nil
}
