package ws_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/internal/sqlitetest"
	"docent/payload"
	"docent/store/sqlite"
	"docent/ws"
)

// goldenLines are BAF's own frames, unchanged. The frames of its clients have no
// time.
func goldenLines(t *testing.T) (clients, server []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "payload", "testdata", "baf_frames.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, `"timestamp": null}`) {
			clients = append(clients, line)
		} else {
			server = append(server, line)
		}
	}
	return clients, server
}

// goldenAgent answers "go" with all replies of BAF, made from the typed values of package agent.
func goldenAgent(t *testing.T) *agent.Agent {
	t.Helper()
	table, err := payload.NewDataFrame(payload.Column{Name: "name", Values: []any{"Ada", "Alan"}}, payload.Column{Name: "age", Values: []any{36, 41}})
	if err != nil {
		t.Fatal(err)
	}
	sound, err := payload.NewAudio(24000, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	figure := json.RawMessage(`{"data":[{"x":[1,2],"y":[3,4],"type":"scatter"}],"layout":{}}`)
	page := 0
	answer := payload.RAGMessage{
		LLMName: "gpt-4o-mini", Question: "q?", Answer: "the answer",
		Docs: []payload.RAGDoc{{Content: "chunk text", Metadata: payload.RAGMetadata{Source: "pdfs/a.pdf", Page: &page}}}, Sentences: []payload.RAGSentence{},
	}
	started := payload.ReasoningStep{
		Kind: payload.StepStarted, Summary: "reasoning started", Details: payload.StartedDetails{UserMessage: "hi", TaskPlanning: true, MaxSteps: 8},
	}
	tasks := []payload.Task{{ID: 1, Description: "Read the film file", Status: payload.TaskPending}}
	return saying(func(ctx context.Context, s *agent.Session) []error {
		return []error{
			s.Reply(ctx, "Hello é"), s.ReplyMarkdown(ctx, "# Hi **there**"), s.ReplyHTML(ctx, "<b>Hi</b>"),
			s.ReplyFile(ctx, payload.NewFile("a.txt", "text/plain", []byte("hello"))), s.ReplyImage(ctx, payload.Image("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01")),
			s.ReplyDataFrame(ctx, table), s.ReplyPlotly(ctx, figure), s.ReplyOptions(ctx, "Yes", "No"), s.ReplyLocation(ctx, 49.5, 5.9),
			s.ReplyRAG(ctx, answer), s.ReplyAudio(ctx, sound), s.ReplyUI(ctx, map[string]any{"name": "gui", "modules": []any{}}),
			s.ReplyReasoningStep(ctx, started), s.ReplyTaskList(ctx, tasks),
		}
	})
}

// saying returns an agent that answers "go" only with say.
func saying(say func(ctx context.Context, s *agent.Session) []error) *agent.Agent {
	a := agent.New("golden")
	wait := a.State("wait", agent.Initial)
	wait.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() != "go" {
			return nil
		}
		for _, err := range say(ctx, s) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	wait.OnEvent().GoTo(wait)
	return a
}

// stampLayout is BAF's format of times.
var stampLayout = regexp.MustCompile(`^"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"$`)

// equalFrames checks that a frame equals BAF's frame. It must have the same keys
// in the same order, and the same values except for the time. Answers may have
// additional keys.
func equalFrames(t *testing.T, want, got string) {
	t.Helper()
	type envelope struct {
		Action    string
		Message   any
		History   bool
		Timestamp json.RawMessage
	}
	var model, ours envelope
	if err := json.Unmarshal([]byte(want), &model); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &ours); err != nil {
		t.Fatal(err)
	}
	if model.Action == string(payload.ReplyRAG) {
		ours.Message = only(model.Message, ours.Message)
	}
	if ours.Action != model.Action || ours.History != model.History || !reflect.DeepEqual(ours.Message, model.Message) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	at := 0
	for _, key := range []string{`{"action":`, `,"message":`, `,"history":`, `,"timestamp":`} {
		next := strings.Index(got[at:], key)
		if next < 0 {
			t.Errorf("no %s in its place: %s", key, got)
			return
		}
		at += next
	}
	var keys map[string]any
	if err := json.Unmarshal([]byte(got), &keys); err != nil || len(keys) != 4 {
		t.Errorf("more than BAF's keys: %s", got)
	}
	stamp, err := time.ParseInLocation(`"`+payload.TimeLayout+`"`, string(ours.Timestamp), time.Local)
	if err != nil || !stampLayout.Match(ours.Timestamp) || stamp.Before(began) || stamp.After(time.Now()) {
		t.Errorf("the time is %s", ours.Timestamp)
	}
}

// only returns the keys of got that want has too.
func only(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		all, _ := got.(map[string]any)
		out := map[string]any{}
		for key, value := range want {
			if v, ok := all[key]; ok {
				out[key] = only(value, v)
			}
		}
		return out
	case []any:
		all, _ := got.([]any)
		out := []any{}
		for i := range min(len(want), len(all)) {
			out = append(out, only(want[i], all[i]))
		}
		return out
	}
	return got
}

// Every frame of BAF's server arrives as BAF sends it, live, and replayed from a
// database with the same message and time. Every frame of BAF's clients is
// accepted.
func TestGoldenLive(t *testing.T) {
	t.Parallel()
	clients, server := goldenLines(t)
	db, err := sqlite.Open(t.Context(), sqlite.Config{Path: sqlitetest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	e := ear(func(context.Context, []byte, string) (string, error) { return "transcribed text", nil })
	s := serve(t, setup{agent: goldenAgent(t), store: db, config: ws.Config{Transcriber: e}})
	p := s.dial("/?session_id=S", nil)
	heard := map[string]bool{} // the golden frames that arrived
	var live []frame
	p.say(`{"action": "user_message", "message": "go"}`)
	for _, line := range server {
		if !strings.Contains(line, `"history": false`) {
			continue
		}
		f := p.next()
		equalFrames(t, line, f.raw)
		heard[line], live = true, append(live, f)
	}
	for _, line := range clients {
		if strings.Contains(line, `"reset"`) || strings.Contains(line, `"fetch_user_messages"`) {
			continue // sent below, because they would disturb the comparison
		}
		p.say(line)
		if strings.Contains(line, `"user_voice"`) {
			line := server[len(server)-2]
			equalFrames(t, line, p.next().raw)
			heard[line] = true
		}
	}
	p.say(`{"action": "user_message", "message": "go"}`) // the server has handled all frames now
	for range live {
		p.next()
	}
	again := s.dial("/?session_id=S", nil)
	again.say(`{"action": "fetch_user_messages", "message": null, "history": false, "timestamp": null}`)
	if f := again.next(); string(f.Message) != `"go"` || f.Action != payload.UserMessage || !f.History {
		t.Errorf("replayed %s", f.raw)
	}
	for _, was := range live {
		f := again.next()
		if want := strings.Replace(was.raw, `"history":false`, `"history":true`, 1); f.raw != want {
			t.Errorf("replayed %s\nlive     %s", f.raw, was.raw)
		}
	}
	file := again.until(payload.UserFile)
	equalFrames(t, server[len(server)-1], file.raw)
	heard[server[len(server)-1]] = true
	for _, line := range server {
		if !heard[line] {
			t.Errorf("never sent: %s", line)
		}
	}
	p.say(`{"action": "reset", "message": null, "history": false, "timestamp": null}`)
	p.say(`{"action": "user_message", "message": "go"}`)
	equalFrames(t, server[0], p.next().raw)
}

// A docent.v1 client may send BAF's frames too. None of them causes an error.
func TestGoldenInbound(t *testing.T) {
	t.Parallel()
	clients, _ := goldenLines(t)
	said := saying(func(ctx context.Context, s *agent.Session) []error { return []error{s.Reply(ctx, "done")} })
	both(t, setup{agent: said, config: ws.Config{Transcriber: ear(plainWAV)}}, func(t *testing.T, p *peer, _ bool) {
		t.Helper()
		for _, line := range clients {
			p.say(line)
		}
		p.say(`{"action": "user_message", "message": "go"}`)
		for {
			f := p.next()
			if f.Action == payload.ErrorAction || strings.Contains(f.raw, "Sorry") {
				t.Errorf("refused: %s", f.raw)
			}
			if f.Action == payload.ReplyStr && string(f.Message) == `"done"` {
				return
			}
		}
	})
}

// plainWAV transcribes BAF's recording.
func plainWAV(_ context.Context, recording []byte, _ string) (string, error) {
	if base64.StdEncoding.EncodeToString(recording) != "UklGRiQAAABXQVZF" {
		return "", context.Canceled
	}
	return "something", nil
}

// NaN and infinities become null, live and replayed, also in JSON inside
// strings.
//
// BAF W41
func TestGoldenNaN(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(-1)
	table, err := payload.NewDataFrame(payload.Column{Name: "x", Values: []any{nan, 1.5, inf, nil, time.UnixMilli(1234)}})
	if err != nil {
		t.Fatal(err)
	}
	a := saying(func(ctx context.Context, s *agent.Session) []error {
		return []error{
			s.ReplyDataFrame(ctx, table), s.ReplyPlotly(ctx, map[string]any{"data": []float64{nan, 1}}), s.ReplyLocation(ctx, nan, inf),
			s.ReplyUI(ctx, struct{ X []float64 }{[]float64{inf}}),
			s.ReplyRAG(ctx, payload.RAGMessage{Docs: []payload.RAGDoc{{Metadata: payload.RAGMetadata{Score: nan}}}}),
			s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: "mine", Details: map[string]any{"x": nan}}),
		}
	})
	wants := []string{
		`"{\"x\":{\"0\":null,\"1\":1.5,\"2\":null,\"3\":null,\"4\":1234}}"`, `"{\"data\":[null,1]}"`, `{"latitude":null,"longitude":null}`,
		`{"X":[null]}`, `"score":null`, `"details":{"x":null}`,
	}
	s := serve(t, setup{agent: a})
	p := s.dial("/?session_id=S", nil)
	p.say(`{"action":"user_message","message":"go"}`)
	var live []frame
	for _, want := range wants {
		f := p.next()
		if !strings.Contains(string(f.Message), want) || strings.Contains(f.raw, "NaN") || strings.Contains(f.raw, "Inf") {
			t.Errorf("%s, want %s", f.raw, want)
		}
		live = append(live, f)
	}
	again := s.dial("/?session_id=S", nil)
	again.say(`{"action":"fetch_user_messages"}`)
	again.next() // the question
	for _, was := range live {
		if f := again.next(); string(f.Message) != string(was.Message) {
			t.Errorf("replayed %s, live %s", f.raw, was.raw)
		}
	}
}
