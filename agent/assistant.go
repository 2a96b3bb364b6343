package agent

import (
	"context"
	"strings"

	"docent/rag"
)

// AssistantConfig makes the built-in assistant.
type AssistantConfig struct {
	// Name is the agent's name. Default: docent.
	Name string
	// K is how many passages an answer is made from. Default: rag.DefaultK.
	K int
	// History is how many earlier messages an answer may use. Default: 0, none.
	History int
	// Greeting opens a conversation. Default: DefaultGreeting.
	Greeting string
}

// DefaultGreeting names what the assistant can do.
const DefaultGreeting = "Hi! Ask me about your documents: I answer from what they say and show the passages, " +
	"and I say so when they do not hold the answer."

// NewAssistant returns the built-in assistant: it greets, then answers each
// message from the documents.
func NewAssistant(cfg AssistantConfig) (*Agent, error) {
	if cfg.Name == "" {
		cfg.Name = "docent"
	}
	if cfg.Greeting == "" {
		cfg.Greeting = DefaultGreeting
	}
	a := New(cfg.Name)
	greet, answer := a.State("greet", Initial), a.State("answer")
	greet.Body(func(ctx context.Context, s *Session) error { return s.Reply(ctx, cfg.Greeting) })
	greet.OnMessage().GoTo(answer)
	answer.Body(func(ctx context.Context, s *Session) error {
		if strings.TrimSpace(s.Message()) == "" {
			return s.Reply(ctx, "Your message was empty. Ask me about your documents.")
		}
		message, err := s.RunRAG(ctx, rag.Request{K: cfg.K, History: cfg.History})
		if err != nil {
			return err
		}
		return s.ReplyRAG(ctx, message)
	})
	answer.OnMessage().GoTo(answer)
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return a, nil
}
