// Package reason makes state bodies that reason: a chat model plans tasks, calls
// tools, and answers from their results.
package reason

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"docent/agent"
	"docent/agent/tool"
	"docent/embed"
	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
	words "docent/rag/text"
)

// Defaults and limits of Options.
const (
	// DefaultMaxSteps is the maximum number of model calls in a run, as in BAF.
	DefaultMaxSteps = 8
	// MaxRunSteps limits Options.MaxSteps.
	MaxRunSteps = 64
	// DefaultHistoryTokens is the default of Options.HistoryTokens.
	DefaultHistoryTokens = 2000
	// DefaultParallel is the number of concurrent calls in a step.
	DefaultParallel = 4
	// MaxParallel limits Options.Parallel.
	MaxParallel = 32
	// DefaultFallback is the reply of a run without an answer.
	DefaultFallback = "Sorry, I could not find an answer to that."
)

// Replies without a model.
const ()

// Session variables of reasoning.
const (
	// ScratchpadVariable holds a record of the last run, as in BAF. It is an array of objects, shortened to fit.
	ScratchpadVariable = "reasoning_scratchpad"
	// WithoutToolsVariable is true after the agent has said that no model can use tools.
	WithoutToolsVariable = "reasoning_without_tools"
)

// Options configure the reasoning of a state. The zero value is ready for use.
type Options struct {
	// MaxSteps is the maximum number of model calls in a run, at most MaxRunSteps. Default: DefaultMaxSteps.
	MaxSteps int
	// System replaces the first part of the system prompt, which describes the agent and the style of its answers. Default:
	// prompts/base.tmpl.
	System string
	// SystemOf returns System for a session. A longer text than rag.MaxPromptBytes is cut. Default: nil, System for all.
	SystemOf func(s *agent.Session) string
	// Fallback is the reply of a run without an answer. Default: DefaultFallback with a list of the searches.
	Fallback string
	// NoPlanning removes the tools for planning tasks. Default: false.
	NoPlanning bool
	// HideSteps hides steps, task lists, and tool names from clients and the store. Default: false.
	HideSteps bool
	// Tools are offered to the model. Their names must differ from those of the planning tools. Default: none.
	Tools []tool.Tool
	// Knowledge adds tools to search and read documents. Answers cite their results. Default: nil, none.
	Knowledge *tool.KnowledgeConfig
	// Choices are the models that users may choose, by name. With Knowledge, the chosen one reasons. RunRAG answers for other
	// choices, such as quotes. Default: nil, none.
	Choices map[string]llm.Model
	// Workspaces adds tools for files, and a list of the files to the prompt. The caller closes the workspaces. Default: nil,
	// none.
	Workspaces *tool.Workspaces
	// Skills are instructions. The prompt contains those that fit the message. Default: nil, none.
	Skills *tool.Skills
	// Memory adds tools to keep facts about the user, to find them by meaning, and to forget them; see agent.Memory.
	// Default: false.
	Memory bool
	// Approve are the names of tools that are called only after the user has allowed the call. The run ends with a question,
	// and goes on with the user's next message; see agent.Approvals. An allowed call is made at most once, even if docent is
	// killed. Default: none.
	Approve []string
	// ApproveWithin is the time that the user has to allow a call. Default: agent.ApprovalTime.
	ApproveWithin time.Duration
	// HistoryTokens limits the earlier conversation in the prompt, in tokens of the built-in tokenizer. The prompt contains
	// the newest whole messages that fit, at most RuntimeConfig.History of them. A negative value means none. Default: 0,
	// which means DefaultHistoryTokens.
	HistoryTokens int
	// ToolTimeout is the timeout of tools without one. Default: tool.DefaultTimeout.
	ToolTimeout time.Duration
	// Parallel is the number of concurrent calls in a step, at most MaxParallel. Default: DefaultParallel.
	Parallel int
	// ModelTimeout is the timeout of one call of the model. Default: 0, only the limits of the model and the turn apply.
	ModelTimeout time.Duration
	// Log receives panics and internal failures of tools. Default: nil, which discards them.
	Log *slog.Logger
	// Greeting is the message if the session begins in the state. Default: "", none.
	Greeting string
	// RAG is the request for answers without reasoning. They are used if no model can use tools, or if the user chooses a
	// model other than the reasoning one. The message becomes the question. If RAG sets a Model, the user cannot choose
	// another. Default: the defaults of the runtime's RAG.
	RAG rag.Request
}

// ToolCaller is a model that knows in advance whether it can use tools. Other models show it with their first call, which
// fails with llm.ErrNoTools if they cannot.
type ToolCaller interface {
	// CallsTools reports whether the model can use tools.
	CallsTools() bool
}

// complete applies the defaults and checks the rest.
func (o *Options) complete() error {
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "config_reason_options", "reason: Options.%w", fmt.Errorf(format, args...))
	}
	for _, v := range []*string{&o.System, &o.Fallback, &o.Greeting} {
		*v = strings.TrimSpace(*v)
	}
	switch {
	case o.MaxSteps < 0 || o.MaxSteps > MaxRunSteps:
		return wrong("MaxSteps is %d, want 1 to %d", o.MaxSteps, MaxRunSteps)
	case o.Parallel < 0 || o.Parallel > MaxParallel:
		return wrong("Parallel is %d, want 1 to %d", o.Parallel, MaxParallel)
	case o.ToolTimeout < 0 || o.ModelTimeout < 0 || o.ApproveWithin < 0:
		return wrong("ToolTimeout, ModelTimeout, and ApproveWithin must not be negative")
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

// reasoner is the part that all runs of a state share.
type reasoner struct {
	o     Options
	model llm.Model // nil if there is none
	// name is the name of the model.
	name  string
	tools *tool.Set
	// offered are the definitions of the tools for the model.
	offered []llm.Tool
	// ordered are the tools whose calls run one after the other.
	ordered []string
	static  *embed.Static
	// refused reports that the model has refused tools.
	refused atomic.Bool
	// waiting reports that a goroutine waits for abandoned calls.
	waiting atomic.Bool
	// choices reason with the other models of Options.Choices, by name.
	choices map[string]*reasoner
}

// New returns a body that answers the event of the state in a loop. The model calls tools, plans tasks, and answers. The
// steps are shown as they happen. The last step, reasoning_finished, follows the answer. Without an event, the body does
// not call the model.
//
// With Knowledge, the tools only use the user's collections and number of passages, see Session.AskOptions. If the user
// chooses another model, it reasons if it is one of Choices; otherwise RunRAG answers.
//
// With RAG.FilesFirst, RunRAG answers if the session has documents of its own.
//
// Without a model that can use tools, RunRAG answers, and the agent says so once per session. The model handles the
// errors of tools. An error of the model is returned after reasoning_finished, so the turn fails.
//
// When ctx ends, the run ends within a second with reasoning_finished. It abandons tools that go on, and Runtime.Shutdown
// waits for them.
func New(model llm.Model, o Options) (agent.Body, error) {
	r, err := newReasoner(model, o)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *agent.Session) error { return errlog.Withhold(r.body(ctx, s)) }, nil
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
			return nil, fault.New(fault.Invalid,
				"config_reason_tool_name", "reason: Options.Tools: %s is the name of a planning tool", t.Name)
		}
	}
	if o.Knowledge != nil {
		knowledge, err := tool.Knowledge(*o.Knowledge)
		if err != nil {
			return nil, fmt.Errorf("reason: Options.Knowledge: %w", err)
		}
		for _, t := range knowledge {
			r.ordered = append(r.ordered, t.Name)
		}
		tools = append(tools, knowledge...)
	}
	if o.Workspaces != nil {
		files, err := o.Workspaces.Tools()
		if err != nil {
			return nil, fmt.Errorf("reason: Options.Workspaces: %w", err)
		}
		tools = append(tools, files...)
	}
	if o.Memory {
		memory, err := memoryTools()
		if err != nil {
			return nil, fmt.Errorf("reason: Options.Memory: %w", err)
		}
		tools = append(tools, memory...)
	}
	if !o.NoPlanning {
		planning, err := planningTools()
		if err != nil {
			return nil, fmt.Errorf("reasoning: %w", err)
		}
		tools = append(tools, planning...)
	}
	if r.tools, err = tool.NewSet(tool.SetConfig{Tools: tools, Timeout: o.ToolTimeout, Log: o.Log, Attrs: agent.LogAttrs}); err != nil {
		return nil, fmt.Errorf("reason: Options.Tools: %w", err)
	}
	for _, name := range o.Approve {
		if isTaskTool(name) || !slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Name == name }) {
			return nil, fault.New(fault.Invalid, "config_reason_approve", "reason: Options.Approve: there is no tool %s", name)
		}
	}
	for _, t := range r.tools.Tools() {
		r.offered = append(r.offered, t.Definition())
	}
	r.choices = map[string]*reasoner{}
	for name, model := range o.Choices {
		r.choices[name] = &reasoner{
			o: r.o, model: model, name: name, tools: r.tools, offered: r.offered, ordered: r.ordered, static: r.static, choices: r.choices,
		}
	}
	return r, nil
}

// modelName returns the name of a model for an answer.
func modelName(model llm.Model) string {
	if model == nil {
		return "model"
	}
	return model.Name()
}

// body is the body of the state.
func (r *reasoner) body(ctx context.Context, s *agent.Session) error {
	all := r
	if asked, verdict := agent.ApprovalsOf(s).Answer(); asked != nil {
		return cmp.Or(r.chosen(ctx, s), r).resume(ctx, s, asked, verdict)
	}
	event := s.Event()
	question := asked(event)
	switch {
	case event.Name == "" && s.Begins() && r.o.Greeting != "":
		return s.Reply(ctx, r.o.Greeting)
	case event.Name == "":
		return nil
	case question == "":
		return s.Say(ctx, fault.NewText("message_was_empty", "Your message was empty. What would you like to know?"))
	}
	if len(s.AskOptions().Brief) > 0 { // each section has a search of its own
		return agent.Answering(r.o.RAG)(ctx, s)
	}
	if r.o.RAG.FilesFirst { // the tools search only the library
		files, err := agent.DocumentsOf(s).List(ctx)
		if err != nil {
			return err
		}
		if len(files) > 0 {
			return r.search(ctx, s, question)
		}
	}
	if r = r.chosen(ctx, s); r == nil {
		return all.search(ctx, s, question)
	}
	if !r.capable() {
		return r.plain(ctx, s, question)
	}
	u := newRun(r, s, question)
	if r.o.Knowledge != nil {
		o := s.ChosenOptions(ctx)
		documents, err := corpus.Within(ctx, r.o.Knowledge.Library, o.Documents, corpus.Place{Folders: o.Folders, Tags: o.Tags}, o.Collections)
		if err != nil {
			return err //nolint:wrapcheck // it names the operation
		}
		u.scope = tool.Scope{Collections: o.Collections, Documents: documents, K: o.K}
		ctx = tool.WithScope(ctx, u.scope)
	}
	return u.do(ctx)
}

// chosen returns the reasoner with the model that the user has chosen, or nil if RunRAG answers with it.
func (r *reasoner) chosen(ctx context.Context, s *agent.Session) *reasoner {
	if r.o.Knowledge == nil || r.o.RAG.Model != "" {
		return r
	}
	if name := s.ChosenOptions(ctx).Model; name != "" && name != r.name {
		return r.choices[name]
	}
	return r
}

// asked returns the request in an event as text.
func asked(e agent.Event) string {
	text := strings.TrimSpace(e.Text)
	switch {
	case e.File != nil:
		return fmt.Sprintf("(The user sent the file %q of type %q.)", words.Shorten(e.File.Name, maxTaskText),
			words.Shorten(e.File.Type, maxTaskText))
	case text != "" || e.Name == agent.EventText || e.Name == agent.EventMessage:
		return text
	default:
		return strings.TrimSpace(fmt.Sprintf("(Event %s) %s", e.Name, words.Shorten(string(e.Data), maxStepText)))
	}
}

// capable reports whether there is a model that may be able to use tools.
func (r *reasoner) capable() bool {
	if r.model == nil || r.refused.Load() {
		return false
	}
	caller, ok := r.model.(ToolCaller)
	return !ok || caller.CallsTools()
}

// plain answers from the documents without reasoning. It says so once, unless docent answers the message as well without it.
func (r *reasoner) plain(ctx context.Context, s *agent.Session, question string) error {
	if talk.Read(question, nil).Kind == talk.Question && len(talk.Parts(question)) == 0 &&
		!agent.Get(s, WithoutToolsVariable, false) {
		if err := s.Say(ctx, fault.NewText("notice_without_tools", "Comparing, summarizing and the like need a chat model that can use tools. "+
			"None is set up here, so I answer from a single search of the documents.")); err != nil {
			return err
		}
		if err := s.Set(WithoutToolsVariable, true); err != nil {
			return err
		}
	}
	return r.search(ctx, s, question)
}

// search answers from a single search of the documents.
func (r *reasoner) search(ctx context.Context, s *agent.Session, question string) error {
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

// refuses records and reports that the model cannot use tools.
func (r *reasoner) refuses(err error) bool {
	if !errors.Is(err, llm.ErrNoTools) {
		return false
	}
	r.refused.Store(true)
	return true
}
