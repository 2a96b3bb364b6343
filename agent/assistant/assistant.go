// Package assistant is docent's built-in agent. It greets, answers from the documents, and reasons about questions that need
// several steps. Small talk and questions about the documents as such are part of answering.
package assistant

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"

	"docent/internal/fault"

	"docent/agent"
	"docent/agent/intent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/llm"
	"docent/rag"
)

// Config configures the built-in assistant.
type Config struct {
	// Name is the name of the agent. Default: docent.
	Name string
	// K is the number of passages for an answer. Default: retrieve.AnswerK.
	K int
	// History is the maximum number of earlier messages for an answer. Default: 0, none.
	History int
	// Greeting opens a conversation. Default: DefaultGreeting.
	Greeting string
	// Knowledge are the documents that reasoning searches. Default: nil, none.
	Knowledge *tool.KnowledgeConfig
	// Model answers questions that need several steps, such as comparisons, with tools. Default: nil, which answers them like
	// other questions.
	Model llm.Model
	// Choices are the models that users may choose, by name; they answer such questions, too. Default: nil, none.
	Choices map[string]llm.Model
	// Log receives panics and internal failures of tools. Default: nil, which discards them.
	Log *slog.Logger
}

// Messages of the assistant.
const (
	// DefaultGreeting lists the assistant's abilities.
	DefaultGreeting = "Hi! Ask me about your documents. I answer from their text and show the passages. " +
		"If the answer is not in them, I say so."
)

// Limits for recognizing questions that need several steps. With them, no question about the contents of documents is
// misrouted, as TestRouting measures.
const (
	stepsThreshold = .6
	// severalSteps matches questions about more than one thing.
	severalSteps = `(?is)^\W*(?:please |can you |could you )?(?:compare|contrast|summari[sz]e)\b|\?\s+\S.*\?`
)

// New returns the built-in assistant. It greets, and answers from the documents. It reasons about questions that need several
// steps if a model can call tools. It chooses among these without a model. Package definition has the
// same assistant in YAML.
func New(cfg Config) (*agent.Agent, error) {
	if cfg.Name == "" {
		cfg.Name = "docent"
	}
	if cfg.Greeting == "" {
		cfg.Greeting = DefaultGreeting
	}
	a := agent.New(cfg.Name)
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	greet.Body(func(ctx context.Context, s *agent.Session) error { return s.Say(ctx, greeting(cfg.Greeting)) })
	request := rag.Request{K: cfg.K, History: cfg.History, FilesFirst: true}
	answer.Body(agent.Answering(request))
	read := a.State("read")
	read.Body(agent.ReadingFile())
	silent := a.State("silent") // the assistant shows no user interface, so these events would wait forever
	r := routes{agent: a, thresholds: map[string]float64{}}
	r.add("documents", "asks something that only speaks of documents, files or sources", 0, documentExamples, answer)
	reason, err := reason.New(cfg.Model, reason.Options{
		Knowledge: cfg.Knowledge, Choices: cfg.Choices, RAG: request, Log: cfg.Log,
	})
	if err != nil {
		return nil, err
	}
	research := r.state("research", reason)
	r.add("steps", "asks for what takes several searches, such as comparing or summarising", stepsThreshold, stepsExamples, research)
	several := regexp.MustCompile(severalSteps)
	for _, s := range a.States() {
		for n, i := range r.intents {
			s.OnIntent(i).GoTo(r.to[n])
		}
		s.OnText().WhenMatches(several).GoTo(research)
		s.OnFile().GoTo(read)
		s.OnEvent(agent.EventUI).GoTo(silent)
		s.OnMessage().GoTo(answer)
	}
	if err := r.classify(); err != nil {
		return nil, err
	}
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return a, nil
}

// greeting returns the greeting, with its id if it is the default one.
func greeting(text string) fault.Text {
	if text == DefaultGreeting {
		return fault.NewText("greeting", DefaultGreeting)
	}
	return fault.Plain(text)
}

// routes are the intents of the assistant and their states.
type routes struct {
	agent      *agent.Agent
	intents    []*agent.Intent
	to         []*agent.State
	thresholds map[string]float64
}

func (r *routes) state(name string, body agent.Body) *agent.State {
	s := r.agent.State(name)
	s.Body(body)
	return s
}

func (r *routes) add(name, description string, threshold float64, examples []string, to *agent.State) {
	r.intents = append(r.intents, r.agent.Intent(name, examples...).Describe(description))
	r.to = append(r.to, to)
	r.thresholds[name] = threshold
}

// classify sets the assistant's classifier.
func (r *routes) classify() error {
	examples, err := intent.NewExamples(intent.ExamplesConfig{})
	if err != nil {
		return fmt.Errorf("assistant: %w", err)
	}
	c, err := intent.NewThresholds(examples, r.thresholds)
	if err != nil {
		return fmt.Errorf("assistant: %w", err)
	}
	r.agent.ClassifyWith(c)
	return nil
}
