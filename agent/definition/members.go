package definition

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/internal/fault"
	"docent/llm"
)

// maxTaskTokens bounds the key max_tokens.
const maxTaskTokens = 100_000_000

// member is an agent of another file that this agent hands over to, or asks.
type member struct {
	path       string
	node       *yaml.Node
	draft      *draft
	consultant *agent.Consultant // once the agent is open
}

// member reads the path of an agent file. It returns nil if that file cannot be used.
func (d *draft) member(n *yaml.Node, what string) *member {
	path := d.expanded(n, what)
	if path == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.env.Dir, path)
	}
	path = filepath.Clean(path)
	if i := slices.IndexFunc(d.members, func(m *member) bool { return m.path == path }); i >= 0 {
		return d.members[i]
	}
	line := slices.Concat(d.above, []string{path})
	switch {
	case slices.Contains(d.above, path):
		d.wrong(n, "%s: the file %s leads to this file, so agents would lead to each other for ever", what, path)
		return nil
	case len(line) > agent.MaxAgentDepth:
		d.wrong(n, "%s: at most %d agent files may lead to each other", what, agent.MaxAgentDepth)
		return nil
	}
	d.mentions = append(d.mentions, path)
	if _, err := os.Stat(path); err != nil {
		d.wrong(n, "%s: there is no file %s; paths are relative to the file", what, path)
		return nil
	}
	raw, err := readFile(path)
	if err != nil {
		d.wrong(n, "%s: %s", what, fault.Message(err))
		return nil
	}
	env := d.env
	env.Dir = filepath.Dir(path)
	child := newDraft(&reader{file: path, variable: d.variable}, env)
	child.above = line
	child.load(raw)
	d.mentions = append(d.mentions, child.mentions...)
	for _, p := range child.problems {
		if p.file == "" {
			p.file = child.file
		}
		d.problems = append(d.problems, p)
	}
	if len(child.problems) > 0 || child.agent == nil {
		return nil
	}
	m := &member{path: path, node: n, draft: child}
	d.members = append(d.members, m)
	return m
}

// Named returns the agent files that a file names, and those that they name, also if some of them are missing or have mistakes.
func Named(path string, env Environment) []string {
	raw, err := readFile(path)
	if err != nil {
		return nil
	}
	if env.Dir == "" {
		env.Dir = filepath.Dir(path)
	}
	return drafted(&reader{file: path, variable: env.Variable}, raw, env).mentions
}

// openMembers opens the agents of other files. out closes them.
func (d *draft) openMembers(ctx context.Context, out *Definition) error {
	for _, m := range d.members {
		inner, err := m.draft.open(ctx)
		if err != nil {
			return err
		}
		out.closers = append(out.closers, inner.Close)
		out.Files = append(append(out.Files, m.path), inner.Files...)
		out.Warnings = append(out.Warnings, inner.Warnings...)
		out.History = max(out.History, inner.History)
		for name, model := range inner.Models {
			if out.Models[name] != nil {
				return d.located(m.node, fault.New(fault.Invalid, "agent_models_twice",
					"two agent files name a model %q: choose another name in one of them", name))
			}
			out.Models[name] = model
		}
		if m.consultant, err = agent.NewConsultant(inner.Agent); err != nil {
			return d.located(m.node, err)
		}
	}
	return nil
}

// question is a task of the action ask_agent.
type question struct {
	to     *member
	task   template
	into   string
	tokens int
}

// askAgent reads the action ask_agent: one task, or a list of tasks that run at the same time. otherwise are the actions after
// a failure; nil without any.
func (d bodies) askAgent(n, otherwise *yaml.Node) *action {
	var all []question
	list := n
	for list.Kind == yaml.AliasNode {
		list = list.Alias
	}
	if list.Kind == yaml.SequenceNode {
		d.list(n, "ask_agent", func(item *yaml.Node) { all = append(all, d.question(item)) })
		if len(all) == 0 || len(all) > agent.MaxTasks {
			d.wrong(n, "ask_agent has %d tasks, it may have 1 to %d", len(all), agent.MaxTasks)
		}
	} else {
		all = append(all, d.question(n))
	}
	var failed []action
	if otherwise != nil {
		failed = d.actions(otherwise, "else")
	}
	return &action{history: mostHistory(failed), make: func() (agent.Body, error) {
		recovering, err := sequence(failed)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, s *agent.Session) error {
			if _, ok := agent.Resumes(ctx, s); ok { // an action in else asked for an approval
				return recovering(ctx, s)
			}
			err := ask(ctx, s, all)
			switch {
			case err == nil:
				return nil
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case otherwise == nil:
				return fmt.Errorf("%s:%d: %w", d.file, n.Line, err)
			}
			return recovering(ctx, s)
		}, nil
	}}
}

// question reads one task.
func (d bodies) question(n *yaml.Node) question {
	var q question
	keys := d.mapping(n, "ask_agent",
		field{"agent", func(n *yaml.Node) { q.to = d.member(n, "agent") }},
		field{"task", func(n *yaml.Node) { q.task = d.template(n, "task") }},
		field{"into", func(n *yaml.Node) { q.into = d.variableName(n, "into") }},
		field{"max_tokens", func(n *yaml.Node) { q.tokens = d.integer(n, "max_tokens", 1, maxTaskTokens) }},
	)
	d.require(n, keys, "ask_agent", "agent", "task", "into")
	return q
}

// ask gives tasks to agents and stores their findings in variables. The variable of a failed task is removed.
func ask(ctx context.Context, s *agent.Session, all []question) error {
	tasks := make([]agent.Task, len(all))
	for i, q := range all {
		tasks[i] = agent.Task{To: q.to.consultant, Text: q.task.fill(s), MaxTokens: q.tokens}
	}
	findings, err := agent.Consult(ctx, s, tasks...)
	if err != nil {
		return err //nolint:wrapcheck // the caller adds the line
	}
	var errs []error
	for i, f := range findings {
		switch {
		case f.Err != nil:
			s.Delete(all[i].into)
			errs = append(errs, f.Err)
		case f.Value != nil:
			errs = append(errs, s.Set(all[i].into, f.Value))
		default:
			errs = append(errs, s.Set(all[i].into, f.Text))
		}
	}
	return errors.Join(errs...)
}

// agentTool is an agent that models and the action call ask.
type agentTool struct {
	node              *yaml.Node
	to                *member
	name, description string
	tokens            int
}

// readAgent reads an agent in the section tools.
func (d *draft) readAgent(n *yaml.Node) {
	a := agentTool{node: n}
	keys := d.mapping(n, "a tool of agents",
		field{"name", func(n *yaml.Node) { a.name = d.text(n, "name") }},
		field{"description", func(n *yaml.Node) { a.description = d.text(n, "description") }},
		field{"agent", func(n *yaml.Node) { a.to = d.member(n, "agent") }},
		field{"max_tokens", func(n *yaml.Node) { a.tokens = d.integer(n, "max_tokens", 1, maxTaskTokens) }},
	)
	d.require(n, keys, "a tool of agents", "name", "description", "agent")
	d.agentTools = append(d.agentTools, a)
}

// openAgentTools makes the tools of agents.
func (d *draft) openAgentTools() error {
	for _, a := range d.agentTools {
		t, err := a.to.consultant.Tool(a.name, a.description, a.tokens)
		if err != nil {
			return d.located(a.node, err)
		}
		d.tools.tools = append(d.tools.tools, t)
	}
	return nil
}

// newDraft returns a draft without content.
func newDraft(r *reader, env Environment) *draft {
	return &draft{
		reader: r, env: env, tools: &toolset{reader: r, env: env}, properties: &Properties{},
		parameters: map[string]bool{}, models: map[string]llm.Model{},
	}
}

// load reads the content of a file into the draft.
func (d *draft) load(raw []byte) {
	if len(raw) > MaxFile {
		d.wrong(nil, "the file is larger than %d bytes: split the agent", MaxFile)
	} else if root := d.document(raw); root != nil {
		d.root(root)
	}
}
