package wiring

import (
	"context"
	"fmt"
	"sync/atomic"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/definition"
	"docent/agent/diagram"
	"docent/agent/session"
	"docent/agent/session/trigger"
	"docent/api"
	"docent/config"
)

// served is an agent of a server. Server.changing guards definition after the start.
type served struct {
	runtime    *session.Runtime
	definition *definition.Definition
	picture    atomic.Pointer[diagram.Picture] // of definition
	builtIn    bool                            // it is the built-in assistant
	file       string                          // the agent file, or ""
	content    []byte                          // of the file, and those that it names, at the start
}

// UnusedModel says why the variable MODEL has no effect; see config.Config.UnusedModel.
const UnusedModel = "MODEL does not turn a model on; set DOCENT_MODEL, or DOCENT_LLM_URL to name its server"

// openAgents makes the agents, their runtimes, and the relay. Without agents of Go code, they are the configured ones.
func (s *Server) openAgents(ctx context.Context, of []*agent.Agent) error {
	if s.Config.UnusedModel != "" {
		s.Log.Warn("no chat model: " + UnusedModel)
	}
	if err := makeAgents(ctx, s, of); err != nil {
		return err
	}
	if err := s.newRelay(); err != nil {
		return err
	}
	runtimes := make([]*session.Runtime, len(s.served))
	for i, a := range s.served {
		draw(s, a)
		host := hosting{
			conversations: s.conversations, unused: s.DB.Unused, versions: s.DB.Versions, memories: s.DB.Memories,
			readers: s.Readers, speech: s.speech, others: s.relay,
			retire:  closing(a.definition, s.Log),
			choices: func(ctx context.Context) (chat.Choices, error) { return s.now().choices(ctx) },
		}
		var err error
		if a.runtime, err = s.now().newRuntime(a.definition, host); err != nil {
			return err
		}
		runtimes[i] = a.runtime
	}
	var err error
	if s.Agents, err = session.NewAgents(runtimes...); err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	s.Runtime = runtimes[0]
	return nil
}

// newTriggers returns the runner of the triggers of all agents.
func newTriggers(s *Server) (*trigger.Runner, error) {
	cfg := trigger.Config{Store: s.DB.Triggers, Leases: s.DB.Jobs, Anonymous: s.authenticator == nil, Logger: s.Log}
	for _, a := range s.served {
		cfg.Agents = append(cfg.Agents, a.runtime)
	}
	out, err := trigger.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("triggers: %w", err)
	}
	return out, nil
}

// makeAgents makes the agents.
func makeAgents(ctx context.Context, s *Server, of []*agent.Agent) error {
	if len(of) > 0 {
		if len(s.Config.AgentFiles) > 0 {
			s.Log.Warn("this program has its own agent, so the setting agent-file has no effect")
		}
		for _, a := range of {
			s.served = append(s.served, &served{definition: &definition.Definition{Agent: a, History: s.Config.History}})
		}
		return nil
	}
	files := s.Config.AgentFiles
	if len(files) == 0 {
		files = []string{config.BuiltInAgent}
	}
	for _, file := range files {
		a := &served{file: file}
		if a.builtIn = file == config.BuiltInAgent; a.builtIn {
			a.file = ""
			if err := NeedModel(s.Config); err != nil {
				return err
			}
		}
		var err error
		if a.definition, err = s.now().newAgent(ctx, a.file); err != nil {
			return err
		}
		s.served = append(s.served, a)
		if a.file == "" {
			continue
		}
		if a.content, err = readAgentFiles(append([]string{a.file}, a.definition.Files...)); err != nil {
			a.content = nil // followAgent reads it again
		}
	}
	return nil
}

// pictures returns a function that returns the graph of an agent, or nil.
func pictures(all []*served) func(name string) *diagram.Picture {
	return func(name string) *diagram.Picture {
		for _, a := range all {
			if a.runtime.Name() == name {
				return a.picture.Load()
			}
		}
		return nil
	}
}

// agentInfos describes agents.
func agentInfos(all []*served) []api.AgentInfo {
	out := make([]api.AgentInfo, len(all))
	for i, a := range all {
		out[i] = api.AgentInfo{Name: a.runtime.Name(), BuiltIn: a.builtIn, Files: a.runtime.Takes(chat.EventFile)}
	}
	return out
}

// assistantOf returns the name of the built-in assistant, or "" if it is not among agents.
func assistantOf(all []*served) string {
	for _, a := range all {
		if a.builtIn {
			return a.runtime.Name()
		}
	}
	return ""
}
