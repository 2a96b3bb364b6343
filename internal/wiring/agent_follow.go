package wiring

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"slices"
	"time"

	"docent/agent/definition"
	"docent/agent/diagram"
	"docent/agent/session"
	"docent/internal/fault"
)

// agentPoll is the time between looks at the agent file.
const agentPoll = time.Second

// followAgent follows the file of an agent, and those that it names, until ctx ends. New turns run a valid change. An invalid one is
// logged, and changes nothing.
func (s *Server) followAgent(ctx context.Context, a *served) error {
	if a.file == "" {
		return nil
	}
	known, seen := a.content, a.content
	var wanted []string // files that only an invalid change names
	tick := time.NewTicker(agentPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		files := append(s.agentFiles(a), wanted...)
		now, err := readAgentFiles(files)
		if err != nil || bytes.Equal(now, known) {
			continue // an editor may replace the file just now
		}
		if !bytes.Equal(now, seen) { // wait until the file is whole
			seen = now
			continue
		}
		known, wanted = now, nil
		if !s.reloadAgent(ctx, a) {
			wanted = definition.Named(a.file, s.now().environment(s.now().Knowledge()))
		}
		if changed := append(s.agentFiles(a), wanted...); !slices.Equal(changed, files) {
			if known, err = readAgentFiles(changed); err != nil {
				known = now
			}
		}
	}
}

// agentFiles returns the file of an agent, and those that it names.
func (s *Server) agentFiles(a *served) []string {
	s.changing.Lock()
	defer s.changing.Unlock()
	return append([]string{a.file}, a.definition.Files...)
}

// readAgentFiles reads agent files. A missing file, except the first, counts as empty: loading the agent reports it.
func readAgentFiles(files []string) ([]byte, error) {
	var out []byte
	for i, file := range files {
		content, err := readAgentFile(file)
		if err != nil && i == 0 {
			return nil, err
		}
		out = append(out, content...)
	}
	return out, nil
}

// readAgentFile reads an agent file.
func readAgentFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err == nil && info.Size() > definition.MaxFile {
		return []byte("too large"), nil // Load reports it
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// reloadAgent loads the changed agent file, and reports whether new turns use it.
func (s *Server) reloadAgent(ctx context.Context, a *served) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	next, err := s.now().newAgent(ctx, a.file)
	if err == nil {
		err = s.run(s.now(), a, next)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.Log.Error("the changed agent file is not used", "file", a.file, "reason", fault.Message(err))
		}
		return false
	}
	s.Log.Info("the agent file has changed; new turns use it", "file", a.file)
	return true
}

// run makes new turns of an agent run its next version. If that fails, it closes the agent. The caller holds s.changing.
func (s *Server) run(answers *Answers, a *served, next *definition.Definition) error {
	err := a.runtime.Replace(session.Program{
		Agent: next.Agent, RAG: newSessionRAG(answers, s.Readers, next.Models), Models: answers.modelsOf(next), Location: next.Location,
		Retire: closing(next, s.Log),
	})
	if err != nil {
		closing(next, s.Log)()
		return err //nolint:wrapcheck // the error names the agent
	}
	a.definition = next
	draw(s, a)
	return nil
}

// draw lays out the graph of an agent for the page.
func draw(s *Server, a *served) {
	g, err := a.definition.Agent.Graph()
	if err != nil { // Validate found nothing before
		s.Log.Warn("cannot draw the agent", "reason", fault.Message(err))
		return
	}
	p := diagram.Lay(g)
	a.picture.Store(&p)
}

// closing returns a function that closes the servers and folders of an agent.
func closing(d *definition.Definition, log *slog.Logger) func() {
	return func() {
		if err := d.Close(); err != nil {
			log.Warn("close the agent before", "error", err)
		}
	}
}
