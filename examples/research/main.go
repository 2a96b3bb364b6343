// Command research is an assistant that reasons over documents and a folder of
// data. It plans, searches, reads files, and cites its sources. Without a chat
// model, it answers with quotes from the documents. Run it in the root of the
// repository:
//
//	DOCENT_MODEL=gpt-4o-mini OPENAI_API_KEY=... go run ./examples/research
//	npx wscat -c ws://127.0.0.1:8771
//
// research.yaml is the same agent without Go: docent ingest
// examples/research/notes, then docent serve --agent examples/research/research.yaml
package main

import (
	"context"
	"errors"
	"path/filepath"

	"docent/agent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/examples/host"
)

const greeting = "Hi! Ask me about the ships Aurora and Borealis."

// newAgent returns an agent with one state, which reasons about every message.
func newAgent(h *host.Host, files *tool.Workspaces) (*agent.Agent, error) {
	reason, err := reason.New(h.Model, reason.Options{
		Greeting:   greeting,
		Knowledge:  h.Knowledge,
		Workspaces: files,
	})
	if err != nil {
		return nil, err
	}
	a := agent.New("research")
	think := a.State("think", agent.Initial)
	think.Body(reason)
	think.OnMessage().GoTo(think)
	return a, nil
}

func main() {
	host.Main("127.0.0.1:8771", func(ctx context.Context, addr, folder string, ready func(url string)) error {
		return run(ctx, addr, folder, "examples/research", ready)
	})
}

func run(ctx context.Context, addr, folder, from string, ready func(url string)) error {
	h, err := host.Open(ctx, folder)
	if err != nil {
		return err
	}
	defer h.Close()
	if err := h.Read(ctx, filepath.Join(from, "notes")); err != nil {
		return err
	}
	files, err := tool.OpenWorkspaces(tool.Workspace{Name: "data", Path: filepath.Join(from, "data"), Description: "tables of voyages"})
	if err != nil {
		return err
	}
	a, err := newAgent(h, files)
	if err == nil {
		err = h.Serve(ctx, addr, a, ready)
	}
	return errors.Join(err, files.Close())
}
