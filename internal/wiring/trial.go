package wiring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/recording"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/tool"
	"docent/llm"
	"docent/store/sqlite"
)

// Trial runs an agent file outside of a server. It keeps conversations only while it
// is open, and not in the configured database.
type Trial struct {
	// Runtime runs the agent.
	Runtime *session.Runtime

	definition *definition.Definition
	store      *sqlite.Store
	dir        string
}

// TrialConfig describes a Trial.
type TrialConfig struct {
	// File is the agent file; "" is the built-in assistant.
	File string
	// Wrap returns the store of the runtime. Required.
	Wrap func(*agent.Agent, journal.Store) journal.Store
	// Script, if set, takes the place of the model, the functions, the MCP servers, and the other agents.
	Script *recording.Script
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// NewTrial opens an agent file. The caller closes the Trial.
func NewTrial(ctx context.Context, a *Answers, readers *Readers, cfg TrialConfig) (_ *Trial, err error) {
	t := &Trial{}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close(ctx))
		}
	}()
	if t.definition, err = a.trialAgent(ctx, cfg); err != nil {
		return nil, err
	}
	if t.dir, err = os.MkdirTemp("", "docent-trial-"); err != nil {
		return nil, fmt.Errorf("conversation: %w", err)
	}
	if t.store, err = sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(t.dir, "trial.db")}); err != nil {
		return nil, fmt.Errorf("conversation: %w", err)
	}
	host := hosting{
		conversations: cfg.Wrap(t.definition.Agent, t.store), memories: &session.TemporaryMemories{},
		readers: readers, now: cfg.Now, script: cfg.Script,
	}
	if t.Runtime, err = a.newRuntime(t.definition, host); err != nil {
		return nil, err
	}
	if err := t.Runtime.Start(ctx); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return t, nil
}

// trialAgent loads the agent of a trial.
func (a *Answers) trialAgent(ctx context.Context, cfg TrialConfig) (*definition.Definition, error) {
	if cfg.Script == nil || cfg.File == "" {
		return a.newAgent(ctx, cfg.File)
	}
	env := a.environment(a.Knowledge())
	env.Functions = cfg.Script.Tools()
	env.MCP = func(context.Context, definition.MCPServer) (definition.ToolServer, error) {
		return scriptedServer{cfg.Script}, nil
	}
	if cfg.Script.Models() {
		env.Model, env.Models = cfg.Script.Name(), map[string]llm.Model{cfg.Script.Name(): cfg.Script}
		env.OpenModel = func(definition.ModelServer) (llm.Model, error) { return cfg.Script, nil }
	}
	return definition.Load(ctx, cfg.File, env)
}

// scriptedServer is an MCP server with the tools of a recording.
type scriptedServer struct{ script *recording.Script }

// Tools implements definition.ToolServer.
func (s scriptedServer) Tools(context.Context) ([]tool.Tool, error) { return s.script.Tools(), nil }

// Close implements definition.ToolServer.
func (scriptedServer) Close() {}

// Close ends the runtime and removes its conversations. It also works if ctx has
// ended.
func (t *Trial) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	var errs []error
	if t.Runtime != nil {
		errs = append(errs, t.Runtime.Shutdown(ctx))
	}
	if t.definition != nil {
		errs = append(errs, t.definition.Close())
	}
	if t.store != nil {
		errs = append(errs, t.store.Close())
	}
	if t.dir != "" {
		errs = append(errs, os.RemoveAll(t.dir))
	}
	return errors.Join(errs...)
}
