package wiring

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"docent/agent"
	"docent/agent/assistant"
	"docent/agent/chat"
	"docent/agent/definition"
	"docent/agent/recording"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/session/relay"
	"docent/agent/tool"
	"docent/agent/tool/mcp"
	"docent/client"
	"docent/config"
	"docent/llm"
	"docent/llm/speech"
	"docent/rag/corpus"
	"docent/rag/pipeline"
)

// CheckAgent loads an agent file as a server does, without documents and without
// connections to MCP servers. The definition is closed. An error begins with the file and the line.
func (m *Models) CheckAgent(ctx context.Context, file string) (*definition.Definition, error) {
	env := m.environment(&tool.KnowledgeConfig{Searcher: unopened{}, Library: unopened{}})
	env.MCP = func(context.Context, definition.MCPServer) (definition.ToolServer, error) { return unopened{}, nil }
	d, err := definition.Load(ctx, file, env)
	if err != nil && env.Model == "" {
		d, err = checkedWithModel(ctx, file, env, err)
	}
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return d, nil
}

// checkedWithModel checks an agent that cannot be loaded without a chat model as if there were one, and adds a warning. If the
// agent has other errors, it returns unmet, the error without a model.
func checkedWithModel(ctx context.Context, file string, env definition.Environment, unmet error) (*definition.Definition, error) {
	script := recording.NewPlayer(recording.Recording{}).Script
	env.Models = maps.Clone(env.Models)
	if env.Models == nil {
		env.Models = map[string]llm.Model{}
	}
	env.Models[script.Name()], env.Model = script, script.Name()
	d, err := definition.Load(ctx, file, env)
	if err != nil {
		return nil, unmet
	}
	d.Warnings = append(d.Warnings, "no chat model is set up here, and docent serve needs one for this agent: "+unmet.Error())
	return d, nil
}

// unopened replaces documents and MCP servers while an agent is checked.
type unopened struct {
	pipeline.Searcher
	corpus.Library
}

// Tools returns definition.ErrNotListed.
func (unopened) Tools(context.Context) ([]tool.Tool, error) { return nil, definition.ErrNotListed }

// Close does nothing.
func (unopened) Close() {}

// environment returns the models, documents, and connectors for agent files.
func (m *Models) environment(knowledge *tool.KnowledgeConfig) definition.Environment {
	b := m.base
	env := definition.Environment{
		Knowledge: knowledge, K: b.Config.K, History: b.Config.History, MCP: b.connectMCP, Variable: config.Variable,
		Functions: b.Functions, Logger: b.Log, OpenModel: m.open,
	}
	env.Models, env.Model = m.byName()
	env.Choices = m.choosable()
	return env
}

// connectMCP connects to an MCP server of an agent file.
func (b Base) connectMCP(ctx context.Context, s definition.MCPServer) (definition.ToolServer, error) {
	server, err := mcp.Connect(ctx, mcp.Config{
		Name: s.Name, Command: s.Command, Env: s.Env, Dir: s.Dir, URL: s.URL, Headers: s.Headers,
		Timeout: s.Timeout, Tools: s.Tools, Logger: b.Log,
	})
	if err != nil {
		return nil, err
	}
	return server, nil
}

// newAgent loads an agent file, or makes the built-in assistant without one. The
// caller closes it.
func (a *Answers) newAgent(ctx context.Context, file string) (*definition.Definition, error) {
	knowledge := a.Knowledge()
	if file != "" {
		return definition.Load(ctx, file, a.environment(knowledge)) // its error begins with the file and the line
	}
	of := a.store.Config
	assistant, err := assistant.New(assistant.Config{
		Name: of.Agent, K: of.K, History: of.History, Knowledge: knowledge, Model: a.DefaultModel(), Choices: a.choosable(), Log: a.store.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("assistant: %w", err)
	}
	return &definition.Definition{Agent: assistant, History: of.History}, nil
}

// hosting has the parts of a runtime beside the agent and the answers.
type hosting struct {
	conversations journal.Store
	unused        journal.Unused                              // nil keeps unused conversations
	versions      journal.Versions                            // nil shows only the newest versions of answers
	memories      journal.Memories                            // nil remembers nothing
	readers       *Readers                                    // nil without files
	speech        *speech.Client                              // nil without a speech server
	others        *relay.Relay                                // nil without other processes
	retire        func()                                      // closes the agent after a change of its file
	choices       func(context.Context) (chat.Choices, error) // nil has those of the Answers
	now           func() time.Time
	script        *recording.Script // of a trial; nil otherwise
}

// newRuntime returns the runtime of an agent. The caller starts it.
func (a *Answers) newRuntime(d *definition.Definition, h hosting) (*session.Runtime, error) {
	s := a.store
	dialer, err := client.NewDialer(client.DialerConfig{Logger: s.Log})
	if err != nil {
		return nil, fmt.Errorf("connections to other agents: %w", err)
	}
	cfg := session.RuntimeConfig{
		Agent: d.Agent, Store: announced(s.Webhooks, tracedStore(a.with.tracer, h.conversations, s.DB.Kind)), Unused: h.unused,
		RAG: newSessionRAG(a, h.readers, d.Models), History: d.History, Location: d.Location,
		Choices: a.choices, Dialer: dialer, Logger: s.Log, Metrics: s.metrics,
		Versions: h.versions, Memories: h.memories, Quotas: a.with.quotas,
		ConditionInterval: s.Config.CheckInterval, QueueSize: s.Config.Sockets.MailboxSize,
	}
	if h.choices != nil {
		cfg.Choices = h.choices
	}
	if h.others != nil {
		cfg.Replicas = h.others
	}
	if h.speech != nil && Speaks(s.Config) {
		cfg.Speaker = h.speech
	}
	if a.Chat != nil { // agents with a model can reason; the runtime cuts the history to the model's tokens
		cfg.History = max(cfg.History, session.DefaultHistory)
	}
	cfg.Models, cfg.Retire = a.modelsOf(d), h.retire
	if h.now != nil {
		cfg.Now, cfg.Location = h.now, cmp.Or(d.Location, time.UTC)
	}
	if h.script != nil {
		cfg.Dialer, cfg.Speaker = h.script, h.script
		if h.script.Models() {
			cfg.Models = agent.Models{ByName: map[string]llm.Model{h.script.Name(): h.script}, Default: h.script.Name()}
		}
	}
	runtime, err := session.NewRuntime(cfg)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return runtime, nil
}

// modelsOf returns the models of an agent: the configured one, and those of its file.
func (a *Answers) modelsOf(d *definition.Definition) agent.Models {
	var out agent.Models
	out.ByName, out.Default = a.byName()
	out.ByName = maps.Clone(out.ByName)
	if out.ByName == nil {
		out.ByName = map[string]llm.Model{}
	}
	maps.Copy(out.ByName, d.Models)
	return out
}

// choices returns the models and collections that a message may name.
func (a *Answers) choices(ctx context.Context) (chat.Choices, error) {
	all, err := a.Library.Collections(ctx)
	if err != nil {
		return chat.Choices{}, fmt.Errorf("list collections: %w", err)
	}
	out := chat.Choices{Models: a.RAG.Models()}
	for _, c := range all {
		out.Collections = append(out.Collections, c.Name)
	}
	return out, nil
}
