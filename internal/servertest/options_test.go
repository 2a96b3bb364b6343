package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
)

// page is a docent.v1 client that has been welcomed.
type page struct {
	t *testing.T
	c *wstest.Conn
}

func openPage(t *testing.T, at, session string) page {
	t.Helper()
	p := page{t, dial(t, at+"/?protocol=docent.v1&session_id="+session)}
	p.say(`{"action":"hello","message":{}}`)
	p.until("synced")
	return p
}

func (p page) say(frame string) { p.t.Helper(); say(p.t, p.c, wstest.MessageText, frame) }

// until returns the next frame of an action.
func (p page) until(action string) map[string]any {
	p.t.Helper()
	for {
		if f := hear(p.t, p.c); f["action"] == action {
			return f
		} else if f["action"] == "error" {
			p.t.Fatalf("%s was to come, not %v", action, f)
		}
	}
}

// answered sends a message. It returns the titles of the passages, the model,
// and the turn of the answer.
func (p page) answered(frame string) (titles []string, model string, turn int) {
	p.t.Helper()
	p.say(frame)
	f := p.until("agent_reply_rag")
	p.until("turn_finished")
	m, _ := f["message"].(map[string]any)
	docs, _ := m["docs"].([]any)
	for _, d := range docs {
		data, _ := d.(map[string]any)["metadata"].(map[string]any)
		titles = append(titles, fmt.Sprint(data["title"]))
	}
	n, _ := f["turn"].(float64)
	return titles, fmt.Sprint(m["llm_name"]), int(n)
}

// refused sends a message and checks that the error has its id.
func (p page) refused(code, id, frame string) {
	p.t.Helper()
	p.say(frame)
	f := hear(p.t, p.c)
	m, _ := f["message"].(map[string]any)
	if f["action"] != "error" || m["code"] != code || f["id"] != id && m["id"] != id {
		p.t.Errorf("%s is answered by %v, want the error %s of %s", frame, f, code, id)
	}
}

// halls returns four documents in each of two collections.
func halls() (out []servertest.Document) {
	for _, collection := range []string{"east", "west"} {
		for i := range 4 {
			out = append(out, servertest.Document{
				Collection: collection, Name: fmt.Sprintf("%s%d.md", collection, i),
				Content: fmt.Sprintf("# Pump %s %d\n\nThe feed pump of hall %d in the %s moves %d litres per minute.\n", collection, i, i, collection, 40+i),
			})
		}
	}
	return out
}

// TestAskOptions: a message can select the collections, the model, and the
// number of passages for its answer.
func TestAskOptions(t *testing.T) {
	t.Parallel()
	at := servertest.Start(t, servertest.Config{Documents: halls()}).URL
	p := openPage(t, at, "s")
	const question = "How many litres per minute does the feed pump move?"
	ask := func(id, options string) string {
		return fmt.Sprintf(`{"action":"user_message","id":%q,"message":{"message":%q%s}}`, id, question, options)
	}
	of := func(what string, titles []string, collection string, n int) {
		t.Helper()
		for _, title := range titles {
			if !strings.Contains(title, collection) {
				t.Errorf("%s: a passage is from %s", what, title)
			}
		}
		if len(titles) != n {
			t.Errorf("%s: from %d passages %v, want %d", what, len(titles), titles, n)
		}
	}
	titles, model, _ := p.answered(ask("m1", `,"collections":["west"],"k":2,"model":"extractive"`))
	of("asked so", titles, "west", 2)
	if model != "extractive" {
		t.Errorf("answered by %s", model)
	}
	titles, _, turn := p.answered(ask("m2", `,"k":3,"collections":["east"]`))
	of("another", titles, "east", 3)
	titles, _, _ = p.answered(fmt.Sprintf(`{"action":"regenerate","id":"m3","message":{"turn":%d}}`, turn))
	of("again", titles, "east", 3)
	titles, _, _ = p.answered(`{"action":"user_message","id":"m4","message":"How many litres per minute does the feed pump of hall 1 move?"}`)
	of("plainly", titles, "", 4)
	titles, _, turn = p.answered(ask("m5", `,"collections":[],"model":null,"k":null`))
	of("nothing asked", titles, "", 4)
	titles, _, _ = p.answered(fmt.Sprintf(`{"action":"edit","id":"m6","message":{"turn":%d,"message":{"message":%q,"collections":["west"],"k":1}}}`, turn, question))
	of("edited", titles, "west", 1)

	before := whatWasSaid(t, at)
	for i, c := range []struct{ code, options string }{
		{"not_found", `,"collections":["north"]`},
		{"not_found", `,"collections":["west","north"]`},
		{"not_found", `,"model":"gpt-99"`},
		{"invalid", `,"k":0`},
		{"invalid", `,"k":51`},
		{"invalid", `,"k":1.5`},
		{"invalid", `,"k":"5"`},
		{"invalid", `,"k":-1`},
		{"invalid", `,"k":1e300`},
		{"invalid", `,"collections":"west"`},
		{"invalid", `,"collections":[1]`},
		{"invalid", `,"collections":[""]`},
		{"invalid", `,"model":{}`},
	} {
		id := fmt.Sprint("bad", i)
		p.refused(c.code, id, ask(id, c.options))
		p.refused(c.code, id+"e", fmt.Sprintf(`{"action":"edit","id":%q,"message":{"turn":1,"message":{"message":%q%s}}}`, id+"e", question, c.options))
	}
	if after := whatWasSaid(t, at); !slices.Equal(before, after) {
		t.Errorf("what was refused is stored:\n%s\n%s", before, after)
	}
	// The connection is still open. Small talk still works, and other objects are
	// not read as options.
	p.say(`{"action":"user_message","id":"m7","message":{"message":"Thanks!","k":2}}`)
	p.until("agent_reply_str")
	p.until("turn_finished")
	titles, _, _ = p.answered(ask("m8", `,"k":"many","shape":"round"`))
	of("an object of its own", titles, "", 4)
	var list []struct {
		SessionID string `json:"session_id"`
		First     string `json:"first"`
	}
	getJSON(t, at+"/api/sessions?match="+"LITRES%20per", &list)
	if len(list) != 1 || list[0].First != question {
		t.Errorf("found %v", list)
	}
	getJSON(t, at+"/api/sessions?match=collections", &list)
	if len(list) != 0 {
		t.Errorf("found by the options: %v", list)
	}

	// A BAF client gets an answer even if it uses these keys for something else.
	c := dial(t, at+"/?session_id=baf")
	hear(t, c)
	for _, options := range []string{`"k":"x","collections":5,"model":[]`, `"model":"gpt-99","collections":["north"],"k":9`, `"k":1000`, `"model":{"a":1}`} {
		say(t, c, wstest.MessageText, fmt.Sprintf(`{"action":"user_message","message":{"message":%q,%s}}`, question, options))
		f := hear(t, c)
		m, _ := f["message"].(map[string]any)
		if docs, _ := m["docs"].([]any); f["action"] != "agent_reply_rag" || len(docs) == 0 {
			t.Errorf("with %s: %v", options, f)
		}
	}
}

// whatWasSaid returns the messages of session s, for comparison.
func whatWasSaid(t *testing.T, at string) []string {
	t.Helper()
	_, body := who{}.Request(t, http.MethodGet, at+"/api/sessions/s/messages", "")
	var got struct{ Messages []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(body, err)
	}
	var out []string
	for _, m := range got.Messages {
		out = append(out, string(m))
	}
	return out
}
