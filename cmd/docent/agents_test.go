package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/config"
	"docent/internal/wiring"
	"docent/internal/wstest"
)

// line is a frame as a guest heard it.
type line struct {
	Action  string          `json:"action"`
	Message json.RawMessage `json:"message"`
	Seq     *int64          `json:"seq"`
	Turn    *int64          `json:"turn"`
	N       *int64          `json:"n"`
	ID      string          `json:"id"`
	History bool            `json:"history"`
}

// text is the message if it is a string, the answer in it if it has one, else
// its JSON.
func (l line) text() string {
	var s string
	if json.Unmarshal(l.Message, &s) == nil {
		return s
	}
	if answer := l.get("answer"); answer != "" {
		return answer
	}
	return string(l.Message)
}

// get reads a field of the message.
func (l line) get(key string) string {
	var of map[string]any
	if json.Unmarshal(l.Message, &of) != nil || of[key] == nil {
		return ""
	}
	return fmt.Sprint(of[key])
}

// guest is a client in a session that keeps all it hears.
type guest struct {
	c    *wstest.Conn
	gone chan struct{} // closed when the connection has ended

	mu    sync.Mutex
	heard []line
	came  chan struct{} // replaced at each frame
}

// join opens a session, as a client of docent.v1 or of BAF; more is added to the
// query.
func join(t *testing.T, at, session string, v1 bool, more ...string) *guest {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var options wstest.DialOptions
	if v1 {
		options.Subprotocols = []string{"docent.v1"}
	}
	c, _, err := wstest.Dial(ctx, "ws"+strings.TrimPrefix(at, "http")+"/?session_id="+url.QueryEscape(session)+strings.Join(more, ""), &options)
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(8 << 20)
	g := &guest{c: c, gone: make(chan struct{}), came: make(chan struct{})}
	go g.listen(context.WithoutCancel(t.Context()))
	t.Cleanup(g.leave)
	if v1 {
		g.send(t, map[string]any{"action": "hello", "message": map[string]any{}})
		g.wait(t, "welcome")
	} else if err := c.Ping(ctx); err != nil { // the answer comes after the session is open
		t.Fatal(err)
	}
	return g
}

func (g *guest) listen(ctx context.Context) {
	defer close(g.gone)
	for {
		_, data, err := g.c.Read(ctx)
		if err != nil {
			return
		}
		var l line
		if json.Unmarshal(data, &l) != nil {
			l.Action = "not JSON: " + string(data)
		}
		g.mu.Lock()
		g.heard = append(g.heard, l)
		close(g.came)
		g.came = make(chan struct{})
		g.mu.Unlock()
	}
}

// leave ends the connection and the wait for it.
func (g *guest) leave() {
	_ = g.c.CloseNow()
	<-g.gone
}

// send writes a frame. It ignores a closed connection.
func (g *guest) send(t *testing.T, frame map[string]any) {
	t.Helper()
	data, err := json.Marshal(frame)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if g.c.Write(ctx, wstest.MessageText, data) != nil {
		_ = g.c.CloseNow() // ends listen
	}
}

// tell says something as a user does.
func (g *guest) tell(t *testing.T, message, id string) {
	t.Helper()
	frame := map[string]any{"action": "user_message", "message": message}
	if id != "" {
		frame["id"] = id
	}
	g.send(t, frame)
}

// lines is all that was heard.
func (g *guest) lines() []line {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]line(nil), g.heard...)
}

// until waits until the condition holds. It returns false if the connection
// ends first.
func (g *guest) until(t *testing.T, what string, enough func([]line) bool) bool {
	t.Helper()
	deadline := time.After(patience)
	for {
		g.mu.Lock()
		heard, came := append([]line(nil), g.heard...), g.came
		g.mu.Unlock()
		if enough(heard) {
			return true
		}
		select {
		case <-came:
		case <-g.gone:
			g.mu.Lock()
			defer g.mu.Unlock()
			return enough(g.heard)
		case <-deadline:
			t.Fatalf("never heard: %s, but\n%s", what, transcript(heard))
		}
	}
}

// wait waits for the first frame of an action.
func (g *guest) wait(t *testing.T, action string) line {
	t.Helper()
	return g.waitFor(t, action, func(l line) bool { return l.Action == action })
}

// waitFor waits for the first frame that is right.
func (g *guest) waitFor(t *testing.T, what string, right func(line) bool) (found line) {
	t.Helper()
	if !g.until(t, what, func(heard []line) bool {
		for _, l := range heard {
			if right(l) {
				found = l
				return true
			}
		}
		return false
	}) {
		t.Fatalf("the connection ended before %s:\n%s", what, transcript(g.lines()))
	}
	return found
}

// waitReply waits for a reply that says so.
func (g *guest) waitReply(t *testing.T, text string) line {
	t.Helper()
	return g.waitFor(t, text, func(l line) bool { return strings.HasPrefix(l.Action, "agent_reply") && l.text() == text })
}

// transcript shows frames, for failures.
func transcript(heard []line) string {
	var b strings.Builder
	for _, l := range heard {
		number := func(n *int64) any {
			if n == nil {
				return "-"
			}
			return *n
		}
		fmt.Fprintf(&b, "seq %v turn %v n %v %s %.200s\n", number(l.Seq), number(l.Turn), number(l.N), l.Action, l.Message)
	}
	return b.String()
}

// row is a stored message as the HTTP API has it.
type row struct {
	Seq     int64           `json:"seq"`
	Turn    int64           `json:"turn"`
	Type    string          `json:"type"`
	Content json.RawMessage `json:"content"`
	IsUser  bool            `json:"is_user"`
}

func (r row) text() string { return line{Message: r.Content}.text() }

// step is a stored step as the HTTP API has it.
type step struct {
	Seq      int64  `json:"seq"`
	Turn     int64  `json:"turn"`
	ChatID   *int64 `json:"chat_id"`
	Kind     string `json:"kind"`
	StepKind string `json:"step_kind"`
	Step     int    `json:"step"`
}

// record is a session in the HTTP API.
type record struct {
	Messages []row  `json:"messages"`
	Steps    []step `json:"steps"`
}

func recordOf(t *testing.T, at, session string) record {
	t.Helper()
	var r record
	getJSON(t, at+"/api/sessions/"+url.PathEscape(session)+"/messages", &r)
	return r
}

// said are the texts of one side.
func (r record) said(user bool) []string {
	var out []string
	for _, m := range r.Messages {
		if m.IsUser == user {
			out = append(out, m.text())
		}
	}
	return out
}

// checkSeq fails unless the sequence numbers of messages and steps together
// start at the given number and have no gaps.
func (r record) checkSeq(t *testing.T, from int64) {
	t.Helper()
	all := map[int64]int{}
	last := int64(0)
	for _, m := range r.Messages {
		if all[m.Seq]++; m.Seq <= last {
			t.Errorf("message %d comes after %d", m.Seq, last)
		}
		last = m.Seq
	}
	last = 0
	for _, s := range r.Steps {
		if all[s.Seq]++; s.Seq <= last {
			t.Errorf("step %d comes after %d", s.Seq, last)
		}
		last = s.Seq
	}
	for n := range int64(len(r.Messages) + len(r.Steps)) {
		if all[from+n] != 1 {
			t.Errorf("%d entries have seq %d; there are %d", all[from+n], from+n, len(r.Messages)+len(r.Steps))
		}
	}
}

// inDatabase reads a session from the database, because the API omits some
// data.
func inDatabase(t *testing.T, env []string, name, sessionID string) (journal.SessionRecord, []agent.ChatMessage, []chat.Reasoning) {
	t.Helper()
	db := databaseOf(t, env)
	defer db.Close()
	s, err := db.Sessions.Session(t.Context(), journal.SessionKey{Agent: name, ID: sessionID})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := db.Sessions.Messages(t.Context(), s.RowID, journal.MessageQuery{})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := db.Sessions.(journal.Reasonings).Steps(t.Context(), s.RowID, journal.MessageQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return s, messages, steps
}

// yamlAgent writes an agent's file and returns its path.
func yamlAgent(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "agent.yaml", text)
	return filepath.Join(dir, "agent.yaml")
}

// kill ends a server as kill -9 does.
func (p *program) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.done
}

// databaseOf opens the database of a program that runs with these variables.
func databaseOf(t *testing.T, env []string) *wiring.Database {
	t.Helper()
	cfg := config.Config{Data: t.TempDir()}
	for _, pair := range env {
		switch key, value, _ := strings.Cut(pair, "="); key {
		case "DOCENT_DATA":
			cfg.Data = value
		case "DATABASE_URL":
			cfg.DatabaseURL = value
		}
	}
	s, err := wiring.OpenStore(t.Context(), wiring.New(cfg, slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	return s.DB
}
