package wiring

import (
	"context"
	"fmt"

	"docent/agent"
	"docent/agent/assistant"
	"docent/agent/chat"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/agent/session/relay"
	"docent/agent/tool"
	"docent/agent/tool/mcp"
	"docent/client"
	"docent/config"
	"docent/llm"
	"docent/rag/corpus"
	"docent/rag/pipeline"
)

// CheckAgent loads an agent file as a server does, without documents and without
// connections to MCP servers. An error begins with the file and the line.
func (p *Parts) CheckAgent(ctx context.Context, file string) (*agent.Agent, error) {
	env := p.environment(&tool.KnowledgeConfig{Searcher: unopened{}, Library: unopened{}})
	env.MCP = func(context.Context, definition.MCPServer) (definition.ToolServer, error) { return unopened{}, nil }
	d, err := definition.Load(ctx, file, env)
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return d.Agent, nil
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
func (p *Parts) environment(knowledge *tool.KnowledgeConfig) definition.Environment {
	env := definition.Environment{
		Knowledge: knowledge, K: p.Config.K, History: p.Config.History, MCP: p.connectMCP, Variable: config.Variable,
		Functions: p.Functions, Logger: p.Log,
		OpenModel: func(m definition.ModelServer) (llm.Model, error) { return openModel(p, m) },
	}
	env.Models, env.Model = p.models()
	return env
}

// openModel returns a model of an agent file. Without a URL, it is on the configured
// chat server.
func openModel(p *Parts, m definition.ModelServer) (llm.Model, error) {
	cfg := p.modelConfig(m.Model, "model in the agent file")
	if m.URL != "" { // the key of the configured server is not for other servers
		cfg.BaseURL, cfg.APIKey = m.URL, m.Key
		cfg.Settings.URL, cfg.Settings.Key = "url in the agent file", "key in the agent file"
	}
	cfg.MaxTokens = p.Config.LLM.MaxTokens
	model, err := llm.NewOpenAI(cfg)
	if err != nil {
		return nil, err
	}
	return metered(p, model), nil
}

// connectMCP connects to an MCP server of an agent file.
func (p *Parts) connectMCP(ctx context.Context, s definition.MCPServer) (definition.ToolServer, error) {
	server, err := mcp.Connect(ctx, mcp.Config{
		Name: s.Name, Command: s.Command, Env: s.Env, Dir: s.Dir, URL: s.URL, Headers: s.Headers,
		Timeout: s.Timeout, Tools: s.Tools, Logger: p.Log,
	})
	if err != nil {
		return nil, err
	}
	return server, nil
}

// Knowledge returns the documents for the tools of agents.
func (p *Parts) Knowledge() *tool.KnowledgeConfig {
	return &tool.KnowledgeConfig{Searcher: p.Searcher, Library: p.Library, K: p.Config.K}
}

// ChatModel returns the default model for agents, or nil without one. In a server, it
// counts tokens for the quota of the user.
func (p *Parts) ChatModel() llm.Model {
	if p.Model == nil {
		return nil
	}
	return metered(p, p.Model)
}

// newAgent loads the configured agent file or makes the built-in assistant. The
// caller closes it.
func (p *Parts) newAgent(ctx context.Context) (*definition.Definition, error) {
	knowledge := p.Knowledge()
	if p.Config.AgentFile != "" {
		return definition.Load(ctx, p.Config.AgentFile, p.environment(knowledge)) // its error begins with the file and the line
	}
	cfg := assistant.Config{
		Name: p.Config.Agent, K: p.Config.K, History: p.Config.History, Knowledge: knowledge, Model: p.ChatModel(), Log: p.Log,
	}
	a, err := assistant.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("assistant: %w", err)
	}
	return &definition.Definition{Agent: a, History: p.Config.History}, nil
}

// newRuntime returns the runtime of an agent. The caller starts it. others are nil without other
// processes.
func (p *Parts) newRuntime(d *definition.Definition, others *relay.Relay) (*session.Runtime, error) {
	dialer, err := client.NewDialer(client.DialerConfig{Logger: p.Log})
	if err != nil {
		return nil, fmt.Errorf("connections to other agents: %w", err)
	}
	cfg := session.RuntimeConfig{
		Agent: d.Agent, Store: announced(p, tracedStore(p)), Unused: p.unused,
		RAG: newSessionRAG(p, d.Models), History: d.History, Location: d.Location,
		Choices: p.choices, Dialer: dialer, Logger: p.Log, Metrics: p.metrics,
		Quotas: p.quotas, ConditionInterval: p.Config.CheckInterval, QueueSize: p.Config.Sockets.MailboxSize,
	}
	if others != nil {
		cfg.Replicas = others
	}
	if p.Speaks() {
		cfg.Speaker = p.speech
	}
	if p.Model != nil { // agents with a model can reason; the runtime cuts the history to the model's tokens
		cfg.History = max(cfg.History, session.DefaultHistory)
	}
	runtime, err := session.NewRuntime(cfg)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return runtime, nil
}

// choices returns the models and collections that a message may name.
func (p *Parts) choices(ctx context.Context) (chat.Choices, error) {
	all, err := p.Library.Collections(ctx)
	if err != nil {
		return chat.Choices{}, fmt.Errorf("list collections: %w", err)
	}
	out := chat.Choices{Models: p.RAG.Models()}
	for _, c := range all {
		out.Collections = append(out.Collections, c.Name)
	}
	return out, nil
}
