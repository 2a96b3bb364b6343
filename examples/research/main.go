// Command research is an assistant that reasons over documents and a folder of
// data. It plans, searches, reads files, and cites its sources. Without a chat
// model, it answers with quotes from the documents. Run it in the root of the
// repository and open http://127.0.0.1:8765. The documents go to the given data
// folder:
//
//	DOCENT_MODEL=gpt-4o-mini OPENAI_API_KEY=... go run ./examples/research --data research-data
//
// research.yaml is the same agent without Go: docent ingest
// examples/research/notes, then docent serve --agent examples/research/research.yaml
package main

import (
	"context"
	"errors"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"docent"
	"docent/agent"
	"docent/agent/reason"
	"docent/agent/tool"
)

const greeting = "Hi! Ask me about the ships Aurora and Borealis."

// newAgent returns an agent with one state, which reasons about every message.
func newAgent(d *docent.Docent, files *tool.Workspaces) (*agent.Agent, error) {
	reason, err := reason.New(d.Model(), reason.Options{
		Greeting:   greeting,
		Knowledge:  d.Knowledge(),
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, docent.Options{Args: os.Args[1:]}, "examples/research")
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// run reads the notes in a folder and serves the agent, which also reads its data.
func run(ctx context.Context, opts docent.Options, folder string) (err error) {
	d, err := docent.New(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(ctx)) }()
	if err := d.Ingest(ctx, filepath.Join(folder, "notes")); err != nil {
		return err
	}
	files, err := tool.OpenWorkspaces(tool.Workspace{Name: "data", Path: filepath.Join(folder, "data"), Description: "tables of voyages"})
	if err != nil {
		return err
	}
	a, err := newAgent(d, files)
	if err == nil {
		err = d.Serve(ctx, a)
	}
	return errors.Join(err, files.Close())
}
