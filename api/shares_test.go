package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/rag"
	"docent/store"
)

func (w *world) AddShare(_ context.Context, s journal.Share) error {
	w.shares = append(w.shares, s)
	return w.broken
}

func (w *world) Share(_ context.Context, id string) (journal.Share, error) {
	for _, s := range w.shares {
		if s.ID == id {
			return s, w.broken
		}
	}
	return journal.Share{}, store.NoShare()
}

func (w *world) Shares(context.Context, string) ([]journal.Share, error) { return w.shares, w.broken }

func (w *world) RemoveShare(_ context.Context, _, id string) error {
	if len(w.shares) == 0 || w.shares[0].ID != id {
		return store.NoShare()
	}
	w.shares = w.shares[1:]
	return nil
}

// answered is an answer of a model, or with evidence a quote, from a document or the file of a
// conversation.
func answered(model, text string, evidence bool, document int64, unavailable bool) agent.ChatMessage {
	more := ""
	if evidence {
		more = `,"evidence":0.9`
	}
	return agent.ChatMessage{Type: "rag_answer", Content: json.RawMessage(fmt.Sprintf(
		`{"llm_name":%q,"question":"q","answer":"%s [1]","docs":[{"content":"c","metadata":{"source":"/srv/secret/folder/a.md","document_id":%d,"unavailable":%t}},`+
			`{"content":"hidden","metadata":{"title":"hidden","document_id":9,"unavailable":%t}}],"sentences":[],"abstained":false,"collections":["hr"],"folders":["hr"],"tags":["hr"],"searched":"earlier words",`+
			`"wordings":["earlier words"],"queries":["earlier words"],"thinking":"earlier words","prompts":"hr"%s}`, model, text, document, unavailable, model == rag.Extractive, more))}
}

// TestSharedView checks which messages the reader of a share sees.
func TestSharedView(t *testing.T) {
	t.Parallel()
	said := func(kind, content string) agent.ChatMessage {
		return agent.ChatMessage{Type: kind, Content: json.RawMessage(content)}
	}
	user := func(m agent.ChatMessage) agent.ChatMessage { m.IsUser = true; return m }
	question := user(said("str", `"Why?"`))
	file := user(said("file", `{"name":"payslip.pdf","type":"application/pdf","base64":"c2VjcmV0"}`))
	fixed := said("str", `"Hello."`)
	fixed.Sentence = fault.NewText("test_sentence", "Hello.").Sentence
	named := said("str", `"There is payslip.pdf."`)
	named.Sentence = fault.NewText("test_sentence", "There is %s.", "payslip.pdf").Sentence
	read := named
	list := said("str", `"- payslip.pdf"`)
	peer := user(said("str", `"from a peer"`))
	peer.Sender = "ws://peer"
	large := agent.ChatMessage{Type: "markdown"}
	public, hidden := answered("gpt", "public", true, 1, false), answered("gpt", "hidden", true, 2, true)
	quote, repeated := answered("extractive", "quote", true, 1, false), answered("extractive", "repeated", false, 1, false)
	private := answered("gpt", "private", true, 0, false)
	all := sharedView{equal: true}
	files := sharedView{equal: true, files: true}
	for name, tt := range map[string]struct {
		view     sharedView
		messages []agent.ChatMessage
		want     string // s for shown, - for withheld
	}{
		"everything":                      {all, []agent.ChatMessage{question, public, list, said("markdown", `"text"`), peer, fixed}, "ssssss"},
		"a hidden passage":                {all, []agent.ChatMessage{public, hidden, quote}, "s-s"},
		"after a hidden passage":          {all, []agent.ChatMessage{hidden, question, public, repeated, list, fixed}, "-s---s"},
		"a file":                          {all, []agent.ChatMessage{file, question, private, public, quote}, "ss--s"},
		"an answer from a file":           {all, []agent.ChatMessage{private, public}, "--"},
		"a shared file":                   {files, []agent.ChatMessage{file, private, public, list}, "ssss"},
		"without all collections":         {sharedView{}, []agent.ChatMessage{fixed, public, list, public, quote}, "ss--s"},
		"words with names":                {sharedView{}, []agent.ChatMessage{named, said("rag_answer", `{"answer":"- payslip.pdf","docs":[]}`)}, "--"},
		"a file that was read":            {files, []agent.ChatMessage{file, read, public}, "sss"},
		"a file that was read, unshared":  {all, []agent.ChatMessage{file, read, quote}, "s-s"},
		"a message that is too large":     {all, []agent.ChatMessage{large, public}, "--"},
		"an answer that cannot be read":   {all, []agent.ChatMessage{said("rag_answer", `"text"`), public}, "--"},
		"a peer, without all collections": {sharedView{}, []agent.ChatMessage{peer}, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, v := "", tt.view
			for _, m := range tt.messages {
				seen, shown := v.see(m)
				text := string(seen.Content)
				switch {
				case shown && strings.Contains(text, "c2VjcmV0"), shown && !tt.view.files && strings.Contains(text, "payslip") && !v.equal:
					t.Errorf("shows %s", text)
				case shown && strings.Contains(text, "hidden") && m.Type == "rag_answer" && strings.Contains(text, "extractive"):
					t.Errorf("shows %s", text)
				case shown:
					got += "s"
				default:
					got += "-"
					if seen.Sentence.ID != "share_withheld" || strings.Contains(text, "hidden") || strings.Contains(text, "private") {
						t.Errorf("withheld as %s %s", seen.Sentence.ID, text)
					}
				}
				if strings.Contains(text, "/srv/secret") || strings.Contains(text, `"hr"`) || strings.Contains(text, "earlier words") {
					t.Errorf("shows %s", text)
				}
			}
			if got != tt.want {
				t.Errorf("shown %s, want %s", got, tt.want)
			}
		})
	}
	v := sharedView{equal: true}
	if seen, _ := v.see(file); seen.Content != nil {
		t.Errorf("the file is %s", seen.Content)
	}
	v = sharedView{equal: true, public: true}
	if seen, _ := v.see(public); !strings.Contains(string(seen.Content), `"document_id":0`) || !strings.Contains(string(seen.Content), `"source":"folder/a.md"`) {
		t.Errorf("public answer %s", seen.Content)
	}
}

// TestShares walks through the life of a link.
func TestShares(t *testing.T) {
	t.Parallel()
	w, log := newWorld(), &memoryLog{}
	key := journal.SessionKey{Agent: "docent", ID: "s"}
	w.sessions = []journal.SessionRecord{{RowID: 7, Key: key, Owner: "user:ada", Seq: 7, Name: "Pumps"}}
	message := func(seq, turn, replaces int64, user bool, text string) agent.ChatMessage {
		return agent.ChatMessage{Seq: seq, Turn: turn, Replaces: replaces, Type: "str", Content: []byte(`"` + text + `"`), IsUser: user}
	}
	w.messages[7] = []agent.ChatMessage{
		message(1, 0, 0, false, "Greeting"),
		message(2, 1, 0, true, "One"), message(3, 1, 0, false, "First"),
		message(4, 2, 0, true, "Two"), message(5, 2, 0, false, "Second"),
		message(6, 3, 2, true, "Three"), message(7, 3, 0, false, "Third"),
	}
	c := w.serve(t, func(cfg *Config) { cfg.Audit, cfg.PublicLinks = log, true })
	const ada, bob = "user:ada ask", "user:bob ask"
	create := func(body string) Share {
		resp, got := c.do("POST", "/api/shares", body, "As", ada, "Content-Type", "application/json")
		var share Share
		if err := json.Unmarshal([]byte(got), &share); err != nil || resp.StatusCode != 201 {
			t.Fatalf("%s: %d %s", body, resp.StatusCode, got)
		}
		return share
	}
	texts := func(id, as string) string {
		_, body := c.do("GET", "/api/shared/"+id, "", "As", as)
		var got SharedConversation
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		out := []string{got.Name, got.OwnerName}
		for _, m := range got.Messages {
			out = append(out, fmt.Sprint(m.Content))
		}
		return strings.Join(out, " ")
	}
	before := create(`{"session_id":"s","turn":1}`)
	last := create(`{"session_id":"s","turn":3,"only":true}`)
	if got := texts(before.ID, bob); got != "Pumps ada One First" {
		t.Errorf("up to a turn: %s", got)
	}
	if got := texts(last.ID, bob); got != "Three ada Three Third" {
		t.Errorf("one turn: %s", got)
	}
	w.shares[0].Turn, w.shares[0].Seq = 2, 5 // as it was before the third turn replaced the second
	if got := texts(before.ID, ada); got != "Pumps ada One First Two Second" {
		t.Errorf("a share from before a replacement: %s", got)
	}
	tomorrow := time.Now().Add(24 * time.Hour).Format(time.RFC3339)
	public := create(`{"session_id":"s","turn":1,"public":true,"expires_at":"` + tomorrow + `"}`)
	if got := texts(public.ID, "-"); got != "Pumps  One First" {
		t.Errorf("a public link: %s", got)
	}
	want := "user:ada share.created s, user:ada share.created s, user:bob share.read s, user:bob share.read s, user:ada share.created s"
	if got := strings.Join(log.records, ", "); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
	json := []string{"Content-Type", "application/json", "As", ada}
	c.wantError(404, fault.NotFound, "no such session", "POST", "/api/shares", `{"session_id":"s","turn":1}`, "Content-Type", "application/json", "As", bob)
	c.wantError(404, fault.NotFound, "no turn 9", "POST", "/api/shares", `{"session_id":"s","turn":9}`, json...)
	c.wantError(400, fault.Invalid, "within 90 days", "POST", "/api/shares", `{"session_id":"s","turn":1,"public":true}`, json...)
	c.wantError(400, fault.Invalid, "in the past", "POST", "/api/shares", `{"session_id":"s","turn":1,"expires_at":"2020-01-01T00:00:00Z"}`, json...)
	c.wantError(401, fault.Unauthorized, "sign in", "GET", "/api/shared/"+last.ID, "", "As", "-")
	c.wantError(403, fault.Forbidden, "scope ask", "GET", "/api/shared/"+last.ID, "", "As", "token:widget chat")
	c.wantError(404, fault.NotFound, "revoked", "DELETE", "/api/shares/"+before.ID, "", "As", bob)
	c.want(204, "", "DELETE", "/api/shares/"+before.ID, "", "As", ada)
	c.wantError(404, fault.NotFound, "revoked", "GET", "/api/shared/"+before.ID, "", "As", bob)
	w.shares[1].ExpiresAt = time.Unix(1, 0)
	c.wantError(404, fault.NotFound, "expired", "GET", "/api/shared/"+public.ID, "", "As", "-")
	w.sessions[0].ResetSeq = 7
	c.wantError(404, fault.NotFound, "revoked", "GET", "/api/shared/"+last.ID, "", "As", bob)
	off := w.serve(t)
	off.wantError(403, fault.Forbidden, "--public-links", "POST", "/api/shares", `{"session_id":"s","turn":1,"public":true}`, json...)
}
