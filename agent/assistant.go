package agent

import (
	"context"
	"fmt"
	"regexp"

	"github.com/tmc/langchaingo/llms"

	"docent/agent/intent"
	"docent/agent/tool"
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
	Model llms.Model
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

// What the assistant takes for a question that needs several steps, and for one
// about what it knows. The thresholds are those at which no question about the
// documents themselves is taken for either, which TestRouting measures.
const (
	aboutThreshold = .9
	stepsThreshold = .6
	// severalSteps matches what asks for more than one thing.
	severalSteps = `(?is)^\W*(?:please |can you |could you )?(?:compare|contrast|summari[sz]e)\b|\?\s+\S.*\?`
)

var aboutExamples = []string{
	"what do you know about?", "what do you know?", "tell me what you know", "what can you tell me about?", "what can I ask you about?",
	"what documents do you have?", "which documents are there?", "do you have any documents?", "how many documents do you have?",
	"list your documents", "list all documents", "show me your documents", "which files do you have?", "what have you read?",
	"what topics do you cover?", "what subjects do you know?", "what are your documents about?", "what are your sources?",
	"what is in your knowledge base?", "what is in your library?", "which collections are there?", "what collections do you have?",
}

var stepsExamples = []string{
	"compare A and B", "compare A with B", "compare A, B and C", "compare A and B step by step", "contrast A with B",
	"compare these two documents", "compare what the documents say about this", "compare the first with the second in a table",
	"compare the advantages and disadvantages of both", "what are all the differences and similarities across the documents",
	"summarise across all documents", "summarise what all documents say about this", "summarise what the manuals say about A",
	"summarize everything the documents say about this", "find all that the manuals say about it and summarise it",
	"give me an overview of all documents", "list everything that the documents say about it",
	"go through all documents and list every mention", "look through every document and collect all of them",
	"first find one, then look up the other, and then compare them", "make a table that compares them", "write a report on this",
	"answer step by step", "work it out step by step", "do it step by step",
	"research this thoroughly", "do a thorough research on this", "I have several questions", "answer these questions one after the other",
}

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
	var about, research *State
	asksAbout := a.Intent("about", aboutExamples...).Describe("asks what the assistant knows, or which documents there are")
	steps := a.Intent("steps", stepsExamples...).Describe("asks for what takes several searches, such as comparing or summarising")
	if cfg.Knowledge != nil {
		about = a.State("about")
		about.Body(Holdings(cfg.Knowledge.Library))
	}
	if cfg.Model != nil {
		reason, err := Reasoning(cfg.Model, Options{Knowledge: cfg.Knowledge, RAG: rag.Request{K: cfg.K, History: cfg.History}})
		if err != nil {
			return nil, err
		}
		research = a.State("research")
		research.Body(reason)
	}
	several := regexp.MustCompile(severalSteps)
	for _, s := range a.states {
		if about != nil {
			s.OnIntent(asksAbout).GoTo(about)
		}
		if research != nil {
			s.OnIntent(steps).GoTo(research)
			s.OnText().When(Matches(several)).GoTo(research)
		}
		s.OnFile().GoTo(file)
		s.OnMessage().GoTo(answer)
	}
	if about != nil || research != nil {
		if err := a.classifyAssistant(asksAbout, steps); err != nil {
			return nil, err
		}
	}
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return a, nil
}

// classifyAssistant sets the assistant's classifier.
func (a *Agent) classifyAssistant(about, steps *Intent) error {
	examples, err := intent.NewExamples(intent.ExamplesConfig{})
	if err != nil {
		return fmt.Errorf("assistant: %w", err)
	}
	c, err := intent.NewThresholds(examples, map[string]float64{about.Name: aboutThreshold, steps.Name: stepsThreshold})
	if err != nil {
		return fmt.Errorf("assistant: %w", err)
	}
	a.ClassifyWith(c)
	return nil
}
