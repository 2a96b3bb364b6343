package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"docent/agent"
	"docent/agent/assistant"
	"docent/agent/definition"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/agent/tool/mcp"
	"docent/client"
	"docent/config"
	"docent/llm"
	"docent/rag"
	"docent/rag/corpus"
)

func newAgent(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Check and print agent files (YAML)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAgentCheck(std), newAgentPrint(std))
	return cmd
}

func newAgentCheck(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check an agent file for errors",
		Long:  "Check an agent file as docent serve --agent does, without starting a server.\nErrors are reported with their line numbers.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			a := &app{cfg: cfg, log: logger(std, cfg, false)}
			if err := a.addModel(); err != nil {
				return err
			}
			env := a.environment(&tool.KnowledgeConfig{Searcher: unopened{}, Library: unopened{}})
			env.MCP = func(context.Context, definition.MCPServer) (definition.ToolServer, error) { return unopened{}, nil }
			d, err := definition.Load(cmd.Context(), args[0], env)
			if err != nil {
				return err // it begins with the file and the line
			}
			_, err = fmt.Fprintf(std.out, "%s is right: agent %s with %s and %s\n", args[0], d.Agent.Name(),
				plural(len(d.Agent.States()), "state"), plural(len(d.Agent.Intents()), "intent"))
			if failed := d.Close(); failed != nil {
				return fmt.Errorf("agent: %w", failed)
			}
			return err
		},
	}
	scoped(cmd, config.Answering)
	return cmd
}

func newAgentPrint(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "print",
		Short: "Print the built-in assistant as a YAML file to start from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(definition.Assistant())
			return err
		},
	}
}

// unopened stands for documents and servers where agents are only checked.
type unopened struct {
	rag.Searcher
	corpus.Library
}

// Tools are none.
func (unopened) Tools(context.Context) ([]tool.Tool, error) { return nil, nil }

// Close does nothing.
func (unopened) Close() {}

// environment returns the models, documents, and connectors for agent files.
func (a *app) environment(knowledge *tool.KnowledgeConfig) definition.Environment {
	env := definition.Environment{
		Knowledge: knowledge, K: a.cfg.K, History: a.cfg.History, MCP: a.connectMCP, Variable: config.Variable,
	}
	if a.model != nil {
		env.Models, env.Model = map[string]llm.Model{a.model.Name(): a.model}, a.model.Name()
	}
	return env
}

// connectMCP connects to a server that an agent's file names.
func (a *app) connectMCP(ctx context.Context, s definition.MCPServer) (definition.ToolServer, error) {
	server, err := mcp.Connect(ctx, mcp.Config{
		Name: s.Name, Command: s.Command, Env: s.Env, Dir: s.Dir, URL: s.URL, Headers: s.Headers,
		Timeout: s.Timeout, Tools: s.Tools, Logger: a.log,
	})
	if err != nil {
		return nil, err
	}
	return server, nil
}

// addAgent adds the agent: that of the configured file, or the built-in
// assistant.
func (a *app) addAgent(ctx context.Context) error {
	knowledge := &tool.KnowledgeConfig{Searcher: a.retriever, Library: a.db, K: a.cfg.K}
	if a.cfg.AgentFile != "" {
		var err error
		a.definition, err = definition.Load(ctx, a.cfg.AgentFile, a.environment(knowledge))
		return err // it begins with the file and the line
	}
	cfg := assistant.Config{Name: a.cfg.Agent, K: a.cfg.K, History: a.cfg.History, Knowledge: knowledge}
	if a.model != nil {
		cfg.Model = a.model
	}
	assistant, err := assistant.New(cfg)
	if err != nil {
		return fmt.Errorf("assistant: %w", err)
	}
	a.definition = &definition.Definition{Agent: assistant, History: a.cfg.History}
	return nil
}

// choices returns the models and collections that a message may name.
func (a *app) choices(ctx context.Context) (agent.Choices, error) {
	all, err := a.db.Collections(ctx)
	if err != nil {
		return agent.Choices{}, fmt.Errorf("list collections: %w", err)
	}
	out := agent.Choices{Models: a.rag.Models()}
	for _, c := range all {
		out.Collections = append(out.Collections, c.Name)
	}
	return out, nil
}

// newRuntime runs the agent.
func (a *app) newRuntime() (*session.Runtime, error) {
	dialer, err := client.NewDialer(client.DialerConfig{Logger: a.log})
	if err != nil {
		return nil, fmt.Errorf("connections to other agents: %w", err)
	}
	cfg := session.RuntimeConfig{
		Agent: a.definition.Agent, Store: a.db, RAG: a.rag, History: a.definition.History, Location: a.definition.Location,
		Choices: a.choices, Dialer: dialer, Logger: a.log, Metrics: a.metrics, ConditionInterval: a.cfg.CheckInterval, MailboxSize: a.cfg.Sockets.MailboxSize,
	}
	if a.speaks() {
		cfg.Speaker = a.speech
	}
	if a.model != nil { // which may reason, with as many messages as fit its tokens
		cfg.History = max(cfg.History, session.DefaultHistory)
	}
	runtime, err := session.NewRuntime(cfg)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return runtime, nil
}
