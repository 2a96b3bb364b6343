package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/recording"
	"docent/agent/session/journal"
	"docent/api/filename"
	"docent/internal/fault"
)

type messagePage struct {
	Messages []Message
	Steps    []Step
	Seq      int64
	ResetSeq int64 `json:"reset_seq"`
	Before   int64
}

// TestMessagePages checks that each entry is on exactly one page, for any
// mixture of messages and steps.
func TestMessagePages(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sessions = []journal.SessionRecord{{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "s"}, Seq: 5000, ResetSeq: 10}}
	w.messages, w.steps = map[int64][]agent.ChatMessage{}, map[int64][]chat.Reasoning{}
	var want []int64
	for seq := int64(11); seq <= 5002; seq++ { // two are newer than the session record
		if seq <= 5000 {
			want = append(want, seq)
		}
		if seq%7 == 0 && (seq < 1000 || seq > 4000) {
			w.messages[7] = append(w.messages[7], agent.ChatMessage{Seq: seq, Type: "str", Content: json.RawMessage(`"x"`)})
		} else {
			w.steps[7] = append(w.steps[7], chat.Reasoning{Seq: seq, Kind: "reasoning_step"})
		}
	}
	c := w.serve(t)
	for _, limit := range []int{1, 50, 1000} {
		var got []int64
		before, pages := int64(0), 0
		for {
			_, body := c.do("GET", fmt.Sprintf("/api/sessions/s/messages?limit=%d&before=%d", limit, before), "")
			var page messagePage
			if err := json.Unmarshal([]byte(body), &page); err != nil || page.Seq != 5000 || page.ResetSeq != 10 {
				t.Fatalf("%.200s, %v", body, err)
			}
			for _, m := range page.Messages {
				got = append(got, m.Seq)
			}
			for _, s := range page.Steps {
				got = append(got, s.Seq)
			}
			if pages++; page.Before == 0 {
				break
			}
			before = page.Before
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %d entries on %d pages, want %d", limit, len(got), pages, len(want))
		}
		if limit == 1000 && pages > 7 {
			t.Errorf("%d pages", pages)
		}
	}
	c.wantError(400, "invalid", "query.limit", "GET", "/api/sessions/s/messages?limit=0", "")
	c.wantError(400, "invalid", "query.before", "GET", "/api/sessions/s/messages?before=-1", "")
}

// rated is a world whose store has feedback.
type rated struct {
	*world
	journal.Feedbacks

	given []journal.FeedbackRecord
	asked []string
}

func (r *rated) LastFeedback(_ context.Context, session, from, to int64) ([]journal.FeedbackRecord, error) {
	r.asked = append(r.asked, fmt.Sprint(session, from, to))
	return r.given, r.broken
}

// TestMessagesHaveFeedback checks that a page has the feedback on its own turns.
func TestMessagesHaveFeedback(t *testing.T) {
	t.Parallel()
	good := 100
	w := &rated{world: newWorld(), given: []journal.FeedbackRecord{
		{Feedback: journal.Feedback{Turn: 1, Rating: &good, Reason: "other"}, Time: time.Date(2027, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))},
		{Feedback: journal.Feedback{Turn: 2, Comment: "why?"}, Time: time.Date(2027, 1, 2, 3, 4, 6, 0, time.UTC)},
	}}
	w.sessions = []journal.SessionRecord{{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "s"}, Seq: 4}, {RowID: 8, Key: journal.SessionKey{Agent: "docent", ID: "empty"}}}
	said := func(seq, turn int64) agent.ChatMessage {
		return agent.ChatMessage{Seq: seq, Turn: turn, Type: "str", Content: json.RawMessage(`"x"`)}
	}
	w.messages = map[int64][]agent.ChatMessage{7: {said(1, 1), said(2, 3), said(3, 1), said(4, 2)}}
	c := w.serve(t, func(cfg *Config) { cfg.Messages = w })
	_, body := c.do("GET", "/api/sessions/s/messages", "")
	if want := `"feedback":[{"turn":1,"rating":100,"reason":"other","timestamp":"2027-01-02T02:04:05Z"},{"turn":2,"comment":"why?","timestamp":"2027-01-02T03:04:06Z"}]`; !strings.Contains(body, want) {
		t.Errorf("got %s", body)
	}
	c.do("GET", "/api/sessions/s/messages?limit=1", "")
	if _, body := c.do("GET", "/api/sessions/empty/messages", ""); !strings.Contains(body, `"feedback":[]`) {
		t.Errorf("got %s", body)
	}
	if got := fmt.Sprint(w.asked); got != "[7 1 3 7 2 2]" {
		t.Errorf("asked for %s", got)
	}
	_, body = newWorld().serve(t).do("GET", "/api/sessions/s1/messages", "")
	if !strings.Contains(body, `"feedback":[]`) {
		t.Errorf("without feedback: %s", body)
	}
}

func TestMessagesSayWhatTheyReplace(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.messages[7][0].ClientID, w.messages[7][1].ClientID, w.messages[7][2].Replaces = "c-1", chat.FailedID, 1
	_, body := w.serve(t).do("GET", "/api/sessions/s1/messages", "")
	for _, want := range []string{`"client_id":"c-1"`, `"replaces":1`} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%s is not once in %s", want, body)
		}
	}
	if strings.Count(body, "client_id") != 1 {
		t.Errorf("ids are in %s", body)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sessions[0].Owner = "user:ada"
	c := w.serve(t)
	resp, body := c.do("GET", "/api/sessions/s1/export", "")
	h := resp.Header
	if h.Get("Content-Type") != "application/json" || h.Get("Content-Disposition") != `attachment; filename=First.json` || h.Get("Cache-Control") != "no-store" {
		t.Errorf("headers are %v", h)
	}
	var got Export
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(body, err)
	}
	_, page := c.do("GET", "/api/sessions/s1/messages", "")
	var want messagePage
	if err := json.Unmarshal([]byte(page), &want); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Messages) != fmt.Sprint(want.Messages) || len(got.Steps) != 2 || got.Session.SessionID != "s1" || got.Session.Owner != "user:ada" {
		t.Errorf("export is %s", body)
	}
	resp, body = c.do("GET", "/api/sessions/s1/export?format=markdown", "")
	if h := resp.Header; h.Get("Content-Type") != "text/markdown; charset=utf-8" || h.Get("Content-Disposition") != `attachment; filename=First.md` || h.Get("Cache-Control") != "no-store" {
		t.Errorf("headers are %v", h)
	}
	if !strings.HasPrefix(body, "# First\n") || !strings.Contains(body, "\n## Hi\n") || !strings.Contains(body, "\nx\n") || strings.Contains(body, "f returned") {
		t.Errorf("as Markdown it is %s", body)
	}
	c.wantError(400, fault.Invalid, "format", "GET", "/api/sessions/s1/export?format=epub", "")
	for format, begins := range map[string]string{"docx": "PK", "pdf": "%PDF-"} {
		resp, body = c.do("GET", "/api/sessions/s1/export?turn=1&format="+format, "")
		if resp.StatusCode != 200 || !strings.HasPrefix(body, begins) || !strings.HasSuffix(resp.Header.Get("Content-Disposition"), "First."+format) {
			t.Errorf("%s: %d %s %.10q", format, resp.StatusCode, resp.Header.Get("Content-Disposition"), body)
		}
	}
	resp, body = c.do("GET", "/api/sessions/s1/export?format=recording", "")
	if h := resp.Header; h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Content-Disposition") != `attachment; filename=First.txt` {
		t.Errorf("headers are %v", h)
	}
	rec, err := recording.Parse("First.txt", []byte(body))
	if err != nil || fmt.Sprint(rec.Of(recording.User), rec.Of(recording.Peer), rec.Of(recording.Event), len(rec.Of(recording.Agent))) != "[Hi] [Ho] [morning] 1" {
		t.Errorf("as a recording it is %v\n%s", err, body)
	}
	if _, body = c.do("GET", "/api/sessions/s1/export?turn=1&format=markdown", ""); strings.Contains(body, "Ho") || !strings.Contains(body, "Hi") {
		t.Errorf("one turn: %s", body)
	}
	c.wantError(404, fault.NotFound, "session", "GET", "/api/sessions/nope/export?format=markdown", "")
	w.sessions[0].Name = `Gears / "valves": <ü> ` + strings.Repeat("ö", 150)
	if _, p, err := mime.ParseMediaType(first(c.do("GET", "/api/sessions/s1/export?format=markdown", "")).Header.Get("Content-Disposition")); err != nil ||
		!strings.HasPrefix(p["filename"], "Gears - -valves-- -ü- öö") || !strings.HasSuffix(p["filename"], "ö.md") || len(p["filename"]) > filename.MaxBytes {
		t.Errorf("the file is called %q, %v", p["filename"], err)
	}
	if resp, body := c.do("HEAD", "/api/sessions/s1/export", ""); resp.StatusCode != 200 || body != "" {
		t.Errorf("HEAD: %d %q", resp.StatusCode, body)
	}
	c.want(200, `{"session":{"id":6,"session_id":"s2","agent_name":"other","session_name":null,"first":"Hello","platform_name":"","timestamp":"0001-01-01T00:00:00Z","pinned":false,"messages":0},"messages":[],"steps":[]}`,
		"GET", "/api/sessions/s2/export?agent_name=other", "")

	w.broken = errors.New("the disk is gone")
	c.wantError(500, "internal", "", "GET", "/api/sessions/s1/export", "")
}

// TestExportBreaksOff checks that an interrupted export is an error.
func TestExportBreaksOff(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := w.serve(t, func(cfg *Config) { cfg.Messages = halfway{w} })
	c.wantError(500, "internal", "", "GET", "/api/sessions/s1/export", "")
}

// halfway fails after the first page.
type halfway struct{ *world }

func (h halfway) Messages(ctx context.Context, session int64, q journal.MessageQuery) ([]agent.ChatMessage, error) {
	if q.After > 0 {
		return nil, errors.New("the disk is gone")
	}
	return h.world.Messages(ctx, session, q)
}

func first(resp *http.Response, _ string) *http.Response { return resp }
