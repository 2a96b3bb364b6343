package reason_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/rag/corpus"
	"docent/rag/retrieve"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/tool"
	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/payload"
)

// reasoning is a conversation with a state that reasons, its model behind a
// real HTTP server.
type reasoning struct {
	t      *testing.T
	store  *agenttest.Store
	rt     *session.Runtime
	sub    *session.Subscription
	client *client
	server *llmtest.Server
}

// calls returns a reply that calls tools. namesAndArguments alternates between
// the names of tools and their arguments.
func calls(text string, namesAndArguments ...string) llmtest.Reply {
	r := llmtest.Reply{}
	if text != "" {
		r.Text = []string{text}
	}
	for i := 0; i < len(namesAndArguments); i += 2 {
		r.ToolCalls = append(r.ToolCalls, llmtest.ToolCall{
			ID: fmt.Sprintf("call_%s_%d", namesAndArguments[i], i/2), Name: namesAndArguments[i], Arguments: namesAndArguments[i+1],
		})
	}
	return r
}

// reasonWith begins a conversation in which every message is reasoned about.
func reasonWith(t *testing.T, o reason.Options, replies ...llmtest.Reply) *reasoning {
	t.Helper()
	server := llmtest.NewServer(llmtest.Script(replies...))
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	model, err := llm.NewOpenAI(llm.Config{BaseURL: server.URL, Model: "scripted", MaxRetries: -1, HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	body, err := reason.New(model, o)
	if err != nil {
		t.Fatal(err)
	}
	r := converse(t, body)
	r.server = server
	return r
}

// converse begins a conversation with a body for every message.
func converse(t *testing.T, body agent.Body) *reasoning {
	t.Helper()
	a := agent.New("thinker")
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnMessage().GoTo(think)
	return runAgent(t, a)
}

// runAgent begins a conversation with an agent.
func runAgent(t *testing.T, a *agent.Agent) *reasoning {
	t.Helper()
	r := &reasoning{t: t, store: agenttest.NewStore()}
	at := time.Date(2026, 11, 21, 7, 10, 0, 0, time.Local)
	r.rt = start(t, session.RuntimeConfig{
		Agent: a, Store: r.store, RAG: &agenttest.Answers{}, Now: func() time.Time { return at }, FlushAfter: time.Hour,
	})
	r.sub, r.client, _ = open(t, r.rt, "s")
	return r
}

// ask sends a message and returns the frames up to the end of the turn.
func (r *reasoning) ask(text string) []session.Delivery {
	r.t.Helper()
	send(r.t, r.sub, "", text)
	return r.heard()
}

// heard returns the frames up to the end of the turn.
func (r *reasoning) heard() []session.Delivery {
	r.t.Helper()
	var out []session.Delivery
	for {
		d := r.client.Next()
		out = append(out, d)
		if d.Frame.Action == payload.TurnFinishedAction {
			return out
		}
	}
}

// frames writes the frames of an audience, one per line.
func frames(heard []session.Delivery, audience session.Audience) string {
	var b bytes.Buffer
	for _, d := range heard {
		if d.Audience != session.Everyone && d.Audience != audience {
			continue
		}
		if audience == session.Plain {
			b.Write(d.Frame.AppendBAF(nil))
		} else {
			b.Write(d.Frame.AppendV1(nil))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// rows writes the stored rows, one per line.
func (r *reasoning) rows() string {
	var b strings.Builder
	for _, e := range r.store.Record("s") {
		if m := e.Message; m != nil {
			who := "agent"
			if m.IsUser {
				who = "user"
			}
			fmt.Fprintf(&b, "seq %d turn %d: %s, %s %q %s\n", m.Seq, m.Turn, who, m.Type, m.ClientID, m.Content)
			continue
		}
		s := e.Step
		fmt.Fprintf(&b, "seq %d turn %d: %s %s %d for seq %d, %s\n", s.Seq, s.Turn, s.Kind, s.StepKind, s.Step, r.seq(s.ChatID), s.Payload)
	}
	return b.String()
}

// seq returns the seq of a stored message, or 0 if no message has the id.
func (r *reasoning) seq(id int64) int64 {
	for _, e := range r.store.Record("s") {
		if e.Message != nil && e.Message.ID == id {
			return e.Message.Seq
		}
	}
	return 0
}

// sent writes the input of each model call, without the system prompt and the messages of the previous call.
func (r *reasoning) sent() string {
	var b strings.Builder
	var before []json.RawMessage
	if r.server == nil {
		return ""
	}
	for i, req := range r.server.Requests() {
		var body struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(req.Body, &body); err != nil {
			r.t.Fatal(err)
		}
		fmt.Fprintf(&b, "call %d\n", i)
		for k, m := range body.Messages {
			if req.Messages[k].Role != "system" && (k >= len(before) || !bytes.Equal(m, before[k])) {
				b.Write(append(m, '\n'))
			}
		}
		before = body.Messages
	}
	return b.String()
}

// golden compares a run with a file: frames for both kinds of clients, rows, and the input of the model.
func (r *reasoning) golden(name string, heard []session.Delivery) {
	r.t.Helper()
	got := "== BAF\n" + frames(heard, session.Plain) + "== docent.v1\n" + frames(heard, session.Streaming) + "== rows\n" + r.rows() + "== model\n" + r.sent()
	path := filepath.Join("testdata", name+".golden")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	if got != string(want) {
		r.t.Errorf("%s is not as in its golden file; if it should be, run the test with -update:\n%s", name, got)
	}
}

// steps returns the steps that BAF's clients receive as "kind step", with task
// lists and replies among them.
func steps(t *testing.T, heard []session.Delivery) []string {
	t.Helper()
	var out []string
	for _, d := range heard {
		if d.Audience == session.Streaming {
			continue
		}
		if d.Frame.Action != payload.ReplyReasoningStep {
			out = append(out, string(d.Frame.Action))
			continue
		}
		var s payload.ReasoningStep
		if err := json.Unmarshal(d.Frame.Message, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %d", s.Kind, s.Step))
	}
	return out
}

// saidText returns the agent's first text.
func saidText(t *testing.T, heard []session.Delivery) string {
	t.Helper()
	for _, d := range heard {
		if d.Frame.Action == payload.ReplyStr {
			return text(t, d)
		}
	}
	t.Fatal("nothing was said")
	return ""
}

// films is a workspace with one film.
func films(t *testing.T) *tool.Workspaces {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "inception.md"), []byte("Inception is a film.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	spaces, err := tool.OpenWorkspaces(tool.Workspace{Name: "films", Path: folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spaces.Close() })
	return spaces
}

// shelf is a library of three documents of a passage each, found by the first
// word of the query.
type shelf struct{}

var passages = map[string]corpus.Passage{
	"work_mem": {
		Chunk:    corpus.Chunk{ID: 11, DocumentID: 1, Kind: corpus.Prose, Text: "The default value of work_mem is four megabytes (4MB).", Headings: []string{"Memory"}, Start: 100, End: 154},
		Document: corpus.Document{ID: 1, Collection: "default", Source: "/docs/runtime.html", Title: "Runtime"},
	},
	"shared_buffers": {
		Chunk:    corpus.Chunk{ID: 12, DocumentID: 1, Kind: corpus.Prose, Text: "The default of shared_buffers is 128 megabytes (128MB).", Headings: []string{"Memory"}, Start: 200, End: 255},
		Document: corpus.Document{ID: 1, Collection: "default", Source: "/docs/runtime.html", Title: "Runtime"},
	},
	"cats": {
		Chunk:    corpus.Chunk{ID: 21, DocumentID: 2, Kind: corpus.Prose, Text: "Cats sleep most of the day.", Start: 0, End: 27},
		Document: corpus.Document{ID: 2, Collection: "default", Source: "/docs/cats.html", Title: "Cats"},
	},
}

func (shelf) Retrieve(_ context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	word, _, _ := strings.Cut(q.Question, " ")
	p, ok := passages[word]
	if !ok {
		return retrieve.Retrieval{Question: q.Question}, nil
	}
	return retrieve.Retrieval{Question: q.Question, Evidence: .9, Results: []retrieve.Result{{Rank: 1, Score: .5, Passage: p}}}, nil
}

func (shelf) DocumentIDs(context.Context, corpus.DocumentFilter) ([]int64, error) { return nil, nil }

func (shelf) Documents(context.Context, corpus.DocumentFilter) ([]corpus.Document, error) {
	return []corpus.Document{passages["work_mem"].Document, passages["cats"].Document}, nil
}

func (shelf) Document(_ context.Context, id int64) (corpus.Document, error) {
	for _, p := range passages {
		if p.DocumentID == id {
			d := p.Document
			d.Text = "The whole text of " + d.Title + "."
			return d, nil
		}
	}
	return corpus.Document{}, fault.New(fault.NotFound, "no_document", "there is no document %d", id)
}

func (shelf) Collections(context.Context) ([]corpus.CollectionInfo, error) {
	return []corpus.CollectionInfo{{Name: "default", Documents: 2}}, nil
}

func knowledge() *tool.KnowledgeConfig {
	return &tool.KnowledgeConfig{Searcher: shelf{}, Library: shelf{}}
}
