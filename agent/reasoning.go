package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"docent/agent/tool"
	"docent/embed"
	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
)

// Defaults and bounds of Options.
const (
	// DefaultMaxSteps is how often a run may call the model, as in BAF.
	DefaultMaxSteps = 8
	// MaxRunSteps bounds Options.MaxSteps.
	MaxRunSteps = 64
	// DefaultHistoryTokens is how much of the conversation the model is shown.
	DefaultHistoryTokens = 2000
	// DefaultParallel is how many calls of one step run at a time.
	DefaultParallel = 4
	// MaxParallel bounds Options.Parallel.
	MaxParallel = 32
	// DefaultFallback is said when a run comes to no answer.
	DefaultFallback = "Sorry, I could not find an answer to that."
)

// What is said without a model.
const (
	withoutToolsNotice = "Comparing, summarising and the like need a chat model that can use tools. None is set up here, so I answer from a single search of the documents."
	emptyMessageReply  = "Your message was empty. What would you like to know?"
)

// Variables that reasoning leaves in a session.
const (
	// ScratchpadVariable holds what the last run did, as in BAF: an array of
	// objects, shortened to fit.
	ScratchpadVariable = "reasoning_scratchpad"
	// WithoutToolsVariable is true once the user was told that there is no
	// model that can use tools.
	WithoutToolsVariable = "reasoning_without_tools"
)

// Options say how a state reasons. The zero value is ready.
type Options struct {
	// MaxSteps is how often a run may call the model, at most MaxRunSteps.
	// Default: DefaultMaxSteps.
	MaxSteps int
	// System replaces the first part of the system prompt, which says what the
	// agent is and how it is to answer. Default: prompts/base.tmpl.
	System string
	// Fallback is said when a run comes to no answer. Default: DefaultFallback,
	// and what was searched for.
	Fallback string
	// NoPlanning leaves out the tools by which the model plans tasks. Default:
	// false.
	NoPlanning bool
	// HideSteps keeps steps, task lists and the names of tools from clients and
	// store. Default: false.
	HideSteps bool
	// Tools are offered to the model. None may be called like a planning tool.
	// Default: none.
	Tools []tool.Tool
	// Knowledge adds the tools that search and read documents; what they find
	// is cited. Default: nil, none.
	Knowledge *tool.KnowledgeConfig
	// Workspaces adds the tools for their files, and says in the prompt what
	// they hold. Who opened them closes them. Default: nil, none.
	Workspaces *tool.Workspaces
	// Skills are instructions of which those that fit a message are put into
	// the prompt. Default: nil, none.
	Skills *tool.Skills
	// HistoryTokens bounds what the model is shown of the conversation before
	// the message, in tokens of the built-in tokenizer; whole messages, the
	// newest, and never more than RuntimeConfig.History of them. Negative
	// shows none. Default: 0, which means DefaultHistoryTokens.
	HistoryTokens int
	// ToolTimeout bounds a call of a tool that says nothing itself. Default:
	// tool.DefaultTimeout.
	ToolTimeout time.Duration
	// Parallel is how many calls of one step run at a time, at most
	// MaxParallel. Default: DefaultParallel.
	Parallel int
	// ModelTimeout bounds one call of the model. Default: 0, the model's own
	// and the turn's.
	ModelTimeout time.Duration
	// Greeting is said where the session begins in the state. Default: "",
	// nothing.
	Greeting string
	// RAG is what is asked when there is no model that can use tools, or the user
	// wants another model than that which reasons, without question: it is the
	// message. With a Model, the user cannot choose another. Default: as the
	// runtime's RAG has it.
	RAG rag.Request
}

// ToolCaller is a model that knows beforehand whether it can use tools. Others
// are asked, and believed when they refuse with llm.ErrNoTools.
type ToolCaller interface {
	// CallsTools reports whether the model takes tools.
	CallsTools() bool
}

// complete applies the defaults and checks the rest.
func (o *Options) complete() error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "agent: Options."+format, args...)
	}
	for _, v := range []*string{&o.System, &o.Fallback, &o.Greeting} {
		*v = strings.TrimSpace(*v)
	}
	switch {
	case o.MaxSteps < 0 || o.MaxSteps > MaxRunSteps:
		return wrong("MaxSteps is %d, want 1 to %d", o.MaxSteps, MaxRunSteps)
	case o.Parallel < 0 || o.Parallel > MaxParallel:
		return wrong("Parallel is %d, want 1 to %d", o.Parallel, MaxParallel)
	case o.ToolTimeout < 0 || o.ModelTimeout < 0:
		return wrong("ToolTimeout and ModelTimeout must not be negative")
	case len(o.System) > rag.MaxPromptBytes:
		return wrong("System has %d bytes, at most %d are sent", len(o.System), rag.MaxPromptBytes)
	}
	orInt := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	orInt(&o.MaxSteps, DefaultMaxSteps)
	orInt(&o.Parallel, DefaultParallel)
	orInt(&o.HistoryTokens, DefaultHistoryTokens)
	if o.Fallback == "" {
		o.Fallback = DefaultFallback
	}
	return nil
}

// reasoner is what all runs of a state share.
type reasoner struct {
	o     Options
	model llm.Model // nil if there is none
	// name is the model's.
	name  string
	tools *tool.Set
	// offered are the tools as the model is told of them.
	offered []llm.Tool
	// ordered are the tools whose calls run one after the other.
	ordered []string
	static  *embed.Static
	// refused reports that the model has refused tools.
	refused atomic.Bool
	// waiting reports that a goroutine waits for calls that were left behind.
	waiting atomic.Bool
}

// Reasoning returns a body that answers the event that led to it in a loop:
// the model calls tools, plans tasks and answers. The steps are said as they
// happen, the answer before the last of them, reasoning_finished. Where no
// event led to the state, the model is not called.
//
// With Knowledge, the tools keep to the collections and the number of passages
// that the user wants, see Session.AskOptions; who wants another model than this
// one is answered by RunRAG.
//
// Without a model, or with one that takes no tools, the answer is RunRAG's, and
// the user is told so once in a session. A tool's error is the model's to deal
// with. The model's error is returned after reasoning_finished, so that the turn
// fails.
//
// When ctx ends, the run ends with reasoning_finished, at the latest a second
// later: a tool that goes on regardless is left behind, and Runtime.Shutdown
// waits for it.
func Reasoning(model llm.Model, o Options) (Body, error) {
	r, err := newReasoner(model, o)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *Session) error { return withhold(r.body(ctx, s)) }, nil
}

func newReasoner(model llm.Model, o Options) (*reasoner, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	static, err := embed.NewStatic()
	if err != nil {
		return nil, fmt.Errorf("reasoning: %w", err)
	}
	r := &reasoner{o: o, model: model, name: modelName(model), static: static}
	tools := slices.Clone(o.Tools)
	for _, t := range tools {
		if isTaskTool(t.Name) {
			return nil, fault.New(fault.Invalid, "agent: Options.Tools: %s is the name of a planning tool", t.Name)
		}
	}
	if o.Knowledge != nil {
		knowledge, err := tool.Knowledge(*o.Knowledge)
		if err != nil {
			return nil, fmt.Errorf("agent: Options.Knowledge: %w", err)
		}
		for _, t := range knowledge {
			r.ordered = append(r.ordered, t.Name)
		}
		tools = append(tools, knowledge...)
	}
	if o.Workspaces != nil {
		files, err := o.Workspaces.Tools()
		if err != nil {
			return nil, fmt.Errorf("agent: Options.Workspaces: %w", err)
		}
		tools = append(tools, files...)
	}
	if !o.NoPlanning {
		planning, err := planningTools()
		if err != nil {
			return nil, fmt.Errorf("reasoning: %w", err)
		}
		tools = append(tools, planning...)
	}
	if r.tools, err = tool.NewSet(tool.SetConfig{Tools: tools, Timeout: o.ToolTimeout}); err != nil {
		return nil, fmt.Errorf("agent: Options.Tools: %w", err)
	}
	for _, t := range r.tools.Tools() {
		r.offered = append(r.offered, t.Definition())
	}
	return r, nil
}

// modelName is what a model is called in an answer.
func modelName(model llm.Model) string {
	if model == nil {
		return "model"
	}
	return model.Name()
}

// body is the state's.
func (r *reasoner) body(ctx context.Context, s *Session) error {
	event := s.Event()
	question := asked(event)
	switch {
	case event.Name == "" && s.Begins() && r.o.Greeting != "":
		return s.Reply(ctx, r.o.Greeting)
	case event.Name == "":
		return nil
	case question == "":
		return s.Reply(ctx, emptyMessageReply)
	case !r.capable():
		return r.plain(ctx, s, question)
	}
	if r.o.Knowledge != nil {
		o := s.askOptions(ctx)
		if o.Model != "" && o.Model != r.name && r.o.RAG.Model == "" {
			return r.search(ctx, s, question)
		}
		ctx = scoped(ctx, o)
	}
	return newRun(r, s, question).do(ctx)
}

// asked is what an event wants, as text.
func asked(e Event) string {
	text := strings.TrimSpace(e.Text)
	switch {
	case e.File != nil:
		return fmt.Sprintf("(The user sent the file %q of type %q.)", shorten(e.File.Name, maxTaskText), shorten(e.File.Type, maxTaskText))
	case text != "" || e.Name == EventText || e.Name == EventMessage:
		return text
	default:
		return strings.TrimSpace(fmt.Sprintf("(Event %s) %s", e.Name, shorten(string(e.Data), maxStepText)))
	}
}

// capable reports whether there is a model that is not known to take no tools.
func (r *reasoner) capable() bool {
	if r.model == nil || r.refused.Load() {
		return false
	}
	caller, ok := r.model.(ToolCaller)
	return !ok || caller.CallsTools()
}

// plain answers from the documents alone.
func (r *reasoner) plain(ctx context.Context, s *Session, question string) error {
	if !Get(s, WithoutToolsVariable, false) {
		if err := s.Reply(ctx, withoutToolsNotice); err != nil {
			return err
		}
		if err := s.Set(WithoutToolsVariable, true); err != nil {
			return err
		}
	}
	return r.search(ctx, s, question)
}

// search answers from a single search of the documents.
func (r *reasoner) search(ctx context.Context, s *Session, question string) error {
	req := r.o.RAG
	if req.Question == "" {
		req.Question = question
	}
	message, err := s.RunRAG(ctx, req)
	if err != nil {
		return err
	}
	return s.ReplyRAG(ctx, message)
}

// refuses reports, and remembers, that the model takes no tools.
func (r *reasoner) refuses(err error) bool {
	if !errors.Is(err, llm.ErrNoTools) {
		return false
	}
	r.refused.Store(true)
	return true
}
