package api

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/api/converse"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// Start implements Starter.
func (w *world) Start(ctx context.Context, session, text string, o payload.AskOptions) error {
	w.started = fmt.Sprint(converse.AgentOf(ctx), " ", session != "", " ", text, " ", o.Brief, o.Collections)
	return nil
}

// Stop implements Stopper.
func (w *world) Stop(_ context.Context, session string) error {
	w.stopped = session
	return nil
}

func TestBriefs(t *testing.T) {
	t.Parallel()
	w := newWorld()
	var got rag.Request
	w.answer = func(_ context.Context, req rag.Request) iter.Seq2[rag.Part, error] {
		got = req
		return func(yield func(rag.Part, error) bool) {
			yield(rag.Part{Answer: &rag.Answer{Model: "m", Text: "Germany\nFrance"}}, nil)
		}
	}
	c := w.serve(t)
	c.want(200, `{"headings":["Germany","France"],"by_model":true}`, "POST", "/api/briefs/outline", `{"task":"returns","model":"m","folders":["hr"]}`)
	if got.Question != "returns" || got.Model != "m" || got.Place.Folders[0] != "hr" || !strings.Contains(got.Prompt, "heading") {
		t.Errorf("asked %+v", got)
	}
	for body, want := range map[string]string{
		`{"task":"returns"}`:                                "docent true returns [Germany France] []",
		`{"task":"returns","headings":["A","B"]}`:           "docent true returns [A B] []",
		`{"task":"returns","headings":[],"collections":[]}`: "docent true returns [Germany France] []",
	} {
		if resp, answer := c.do("POST", "/api/briefs", body); resp.StatusCode != 202 || !strings.Contains(answer, `"session_id":"`) || w.started != want {
			t.Errorf("%s: %d %s, started %q, want %q", body, resp.StatusCode, answer, w.started, want)
		}
	}
	for body, says := range map[string]string{
		`{}`: "task", `{"task":" "}`: "empty", `{"task":"x","headings":[" "]}`: "headings", `{"task":"x","headings":["1","2","3","4","5","6","7","8","9"]}`: "body.headings",
		`{"task":"` + strings.Repeat("x", 4001) + `"}`: "body.task",
	} {
		c.wantError(400, fault.Invalid, says, "POST", "/api/briefs", body)
	}
}

// A person stops only the own conversations.
func TestStopSession(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sessions = []journal.SessionRecord{{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "s"}, Owner: "user:ada"}}
	c := w.serve(t)
	if resp, _ := c.do("POST", "/api/sessions/s/stop", "", "As", "user:ada ask"); resp.StatusCode != 204 || w.stopped != "s" {
		t.Errorf("%d, stopped %q", resp.StatusCode, w.stopped)
	}
	w.stopped = ""
	c.wantError(404, fault.NotFound, "no such session", "POST", "/api/sessions/s/stop", "", "As", "user:bob ask")
	if w.stopped != "" {
		t.Error("stopped")
	}
}

// Two people have a session of one name under two agents. A request without an agent means the own one.
func TestSameSessionOfTwoAgents(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sessions = []journal.SessionRecord{
		{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "s"}, Owner: "user:ada"},
		{RowID: 8, Key: journal.SessionKey{Agent: "other", ID: "s"}, Owner: "user:bob"},
	}
	c := w.serve(t)
	for who, agent := range map[string]string{"user:ada ask": "docent", "user:bob ask": "other"} {
		if resp, body := c.do("GET", "/api/sessions/s/messages", "", "As", who); resp.StatusCode != 200 || !strings.Contains(body, `"agent_name":"`+agent+`"`) {
			t.Errorf("%s: %d %s", who, resp.StatusCode, body)
		}
	}
	c.wantError(404, fault.NotFound, "no such session", "GET", "/api/sessions/s/messages", "", "As", "user:eve ask")
}
