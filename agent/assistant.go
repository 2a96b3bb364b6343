package agent

import (
	"context"
	"fmt"
	"regexp"

	"docent/agent/intent"
	"docent/agent/tool"
	"docent/llm"
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
	// Knowledge is what the assistant describes when it is asked what it knows,
	// and what reasoning searches. Default: nil, it then does neither.
	Knowledge *tool.KnowledgeConfig
	// Model answers what takes several steps, such as comparing, with tools.
	// Default: nil, such questions are answered as all others.
	Model llm.Model
}

// What the assistant says.
const (
	// DefaultGreeting names what the assistant can do.
	DefaultGreeting = "Hi! Ask me about your documents: I answer from what they say and show the passages, " +
		"and I say so when they do not hold the answer."
	emptyQuestionReply = "Your message was empty. Ask me about your documents."
	fileReply          = "I do not read files that are sent here. To have me answer from %s, add it to the documents: " +
		"upload it on the page, or run: docent ingest FILE"
)

// What the assistant takes for a question that needs several steps, for one
// about what it knows, and for small talk. The thresholds are those at which no
// question about the documents themselves is taken for either, which TestRouting
// measures.
const (
	aboutThreshold = .88
	stepsThreshold = .6
	talkThreshold  = .95
	// severalSteps matches what asks for more than one thing.
	severalSteps = `(?is)^\W*(?:please |can you |could you )?(?:compare|contrast|summari[sz]e)\b|\?\s+\S.*\?`
)

// NewAssistant returns the built-in assistant: it greets, answers from the
// documents, tells what documents there are, and reasons where a question needs
// several steps and a model can call tools. Which of these a message wants is
// decided without a model. Package definition has the same assistant in YAML.
func NewAssistant(cfg AssistantConfig) (*Agent, error) {
	if cfg.Name == "" {
		cfg.Name = "docent"
	}
	if cfg.Greeting == "" {
		cfg.Greeting = DefaultGreeting
	}
	a := New(cfg.Name)
	greet, answer, file := a.State("greet", Initial), a.State("answer"), a.State("file")
	greet.Body(func(ctx context.Context, s *Session) error { return s.Reply(ctx, cfg.Greeting) })
	answer.Body(Answering(rag.Request{K: cfg.K, History: cfg.History}))
	file.Body(func(ctx context.Context, s *Session) error {
		return s.Reply(ctx, fmt.Sprintf(fileReply, s.Message()))
	})
	silent := a.State("silent") // as the assistant shows no user interface, what is done in one would wait for ever
	r := routes{agent: a, thresholds: map[string]float64{}}
	for _, t := range rag.Talks() {
		r.add(t.Name, t.Description, talkThreshold, t.Phrases,
			r.state(t.Name, func(ctx context.Context, s *Session) error { return s.Reply(ctx, t.Reply) }))
	}
	if cfg.Knowledge != nil {
		r.add("about", "asks what the assistant knows, or which documents there are", aboutThreshold, aboutExamples,
			r.state("about", Holdings(cfg.Knowledge.Library)))
		r.add("documents", "asks something that only speaks of documents, files or sources", 0, documentExamples, answer)
	}
	reason, err := Reasoning(cfg.Model, Options{Knowledge: cfg.Knowledge, RAG: rag.Request{K: cfg.K, History: cfg.History}})
	if err != nil {
		return nil, err
	}
	research := r.state("research", reason)
	r.add("steps", "asks for what takes several searches, such as comparing or summarising", stepsThreshold, stepsExamples, research)
	several := regexp.MustCompile(severalSteps)
	for _, s := range a.states {
		for n, i := range r.intents {
			s.OnIntent(i).GoTo(r.to[n])
		}
		s.OnText().When(Matches(several)).GoTo(research)
		s.OnFile().GoTo(file)
		s.OnEvent(EventUI).GoTo(silent)
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

// routes are the intents of the assistant and where they lead.
type routes struct {
	agent      *Agent
	intents    []*Intent
	to         []*State
	thresholds map[string]float64
}

func (r *routes) state(name string, body Body) *State {
	s := r.agent.State(name)
	s.Body(body)
	return s
}

func (r *routes) add(name, description string, threshold float64, examples []string, to *State) {
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
