package ws_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"docent/agent"
	"docent/payload"
)

// everything replies with a message of each kind and reasoning steps in between.
func everything(t *testing.T) *agent.Agent {
	t.Helper()
	table, err := payload.NewDataFrame(payload.Column{Name: "name", Values: []any{"Ada", "Alan"}})
	if err != nil {
		t.Fatal(err)
	}
	sound, err := payload.NewAudio(8000, 1, []int16{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New("everything")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		page := 1
		for _, say := range []func() error{
			func() error {
				return s.ReplyReasoningStep(ctx, payload.ReasoningStep{
					Kind: payload.StepStarted, Summary: "reasoning started", Details: payload.StartedDetails{UserMessage: s.Message(), MaxSteps: 8},
				})
			},
			func() error {
				return s.ReplyTaskList(ctx, []payload.Task{{ID: 1, Description: "say it", Status: payload.TaskPending}})
			},
			func() error { return s.Reply(ctx, "plain") },
			func() error { return s.ReplyMarkdown(ctx, "# md") },
			func() error { return s.ReplyHTML(ctx, "<b>html</b>") },
			func() error { return s.ReplyFile(ctx, payload.NewFile("a.txt", "text/plain", []byte("hello"))) },
			func() error { return s.ReplyImage(ctx, payload.Image("\xff\xd8\xff")) },
			func() error { return s.ReplyDataFrame(ctx, table) },
			func() error { return s.ReplyPlotly(ctx, map[string]any{"data": []any{}, "layout": map[string]any{}}) },
			func() error { return s.ReplyOptions(ctx, "Yes", "No") },
			func() error { return s.ReplyLocation(ctx, 49.5, 5.9) },
			func() error {
				return s.ReplyRAG(ctx, payload.RAGMessage{
					Answer: "a [1]", Docs: []payload.RAGDoc{{Content: "it's \"quoted\"", Metadata: payload.RAGMetadata{Source: "s", Page: &page}}},
					Sentences: []payload.RAGSentence{},
				})
			},
			func() error { return s.ReplyAudio(ctx, sound) },
			func() error { return s.ReplyUI(ctx, map[string]any{"name": "gui", "modules": []any{}}) },
			func() error {
				return s.ReplyReasoningStep(ctx, payload.ReasoningStep{Kind: payload.StepFinished, Summary: "reasoning finished", Details: payload.FinishedDetails{}})
			},
		} {
			if err := say(); err != nil {
				return err
			}
		}
		return nil
	})
	greet.OnMessage().GoTo(answer)
	answer.OnMessage().GoTo(answer)
	return a
}

// everythingSaid lists the actions of everything in order.
var everythingSaid = []payload.Action{
	payload.ReplyReasoningStep, payload.ReplyTaskList, payload.ReplyStr, payload.ReplyMarkdown, payload.ReplyHTML, payload.ReplyFile,
	payload.ReplyImage, payload.ReplyDataFrame, payload.ReplyPlotly, payload.ReplyOptions, payload.ReplyLocation, payload.ReplyRAG,
	payload.ReplyAudio, payload.ReplyUI, payload.ReplyReasoningStep,
}

// Replayed frames have the same shape and order as live ones, including the
// steps. The shapes equal BAF's.
func TestReplayShapes(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: everything(t)})
	p := s.dial("/?session_id=S", nil)
	p.say(`{"action":"user_message","message":"go"}`)
	want := map[payload.Action][]string{}
	for range everythingSaid {
		f := p.next()
		want[f.Action] = append(want[f.Action], string(f.Message))
		var got map[string]any
		if err := json.Unmarshal([]byte(f.raw), &got); err != nil {
			t.Fatal(err)
		}
		model := golden(t, f.Action)
		model["timestamp"] = "a time"
		if f.Action == payload.ReplyRAG || f.Action == payload.ReplyReasoningStep || f.Action == payload.ReplyStr {
			model["message"] = got["message"] // TestGolden compares answers; steps differ in their details
		}
		if diff := same("frame", model, got); diff != "" || len(got) != 4 {
			t.Errorf("%s: %s", diff, f.raw)
		}
	}
	for _, v1 := range []bool{false, true} {
		again := s.dial("/?session_id=S", nil)
		if v1 {
			again, _ = s.hello("/?session_id=S")
		}
		again.say(`{"action":"fetch_user_messages"}`)
		if f := again.next(); f.Action != payload.UserMessage || string(f.Message) != `"go"` {
			t.Errorf("replayed %s", f.raw)
		}
		heard := map[payload.Action]int{}
		for i, action := range everythingSaid {
			f := again.next()
			if f.Action != action || !f.History || v1 && f.Seq != int64(i+2) {
				t.Errorf("%d is %s, want %s", i, f.raw, action)
			}
			if n := heard[action]; n >= len(want[action]) || string(f.Message) != want[action][n] {
				t.Errorf("replayed %s, live %v", f.Message, want[action])
			}
			heard[action]++
		}
	}
}

// Live steps are provisional, with n and without seq. Once stored, all entries
// of the turn have a seq and come before its end. BAF clients receive each once.
func TestProvisional(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: everything(t)})
	p, _ := s.hello("/?session_id=S")
	b := s.dial("/?session_id=S", nil)
	b.joined()
	p.say(`{"action":"user_message","message":"go","id":"m1"}`)
	var stored []payload.Action
	n, seq := int64(0), int64(1) // the user's message has 1
	for {
		f := p.next()
		if f.Action == payload.TurnFinishedAction {
			break
		}
		if f.Action == payload.AckAction {
			continue
		}
		if f.Turn == nil || *f.Turn != 1 || (f.Seq == 0) == (f.N == 0) {
			t.Errorf("neither provisional nor stored: %s", f.raw)
		}
		if f.Seq == 0 {
			if f.N != n+1 {
				t.Errorf("n is not %d: %s", n+1, f.raw)
			}
			n = f.N
			continue
		}
		if f.Seq != seq+1 {
			t.Errorf("seq is not %d: %s", seq+1, f.raw)
		}
		seq = f.Seq
		stored = append(stored, f.Action)
	}
	if !slices.Equal(stored, everythingSaid) {
		t.Errorf("stored %s", stored)
	}
	if n < 3 {
		t.Errorf("%d provisional frames, want the three steps", n)
	}
	heard := map[payload.Action]int{}
	for range everythingSaid {
		f := b.next()
		heard[f.Action]++
		if f.N != 0 || f.Seq != 0 || f.Turn != nil {
			t.Errorf("a BAF client gets %s", f.raw)
		}
	}
	b.say(`{"action":"user_voice"}`)
	if f := b.next(); !strings.Contains(f.raw, "recordings") {
		t.Errorf("heard once more: %s", f.raw)
	}
	for _, action := range everythingSaid {
		others := func(a payload.Action) bool { return a != action }
		if want := len(slices.DeleteFunc(slices.Clone(everythingSaid), others)); heard[action] != want {
			t.Errorf("%s was heard %d times, want %d", action, heard[action], want)
		}
	}
}

// streamer streams pieces of an answer and waits for the end of the turn.
func streamer(t *testing.T, begun chan<- struct{}) *agent.Agent {
	t.Helper()
	a := agent.New("streamer")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		switch s.Message() {
		case "talk":
			if err := s.Reply(ctx, "first"); err != nil {
				return err
			}
			fallthrough
		case "silent":
			for i := range 3 {
				if err := s.Stream(ctx, fmt.Sprint("piece ", i, " ")); err != nil {
					return err
				}
			}
			begun <- struct{}{}
			<-ctx.Done()
			return context.Cause(ctx)
		default:
			return s.Reply(ctx, "you said "+s.Message())
		}
	})
	greet.OnMessage().GoTo(answer)
	answer.OnMessage().GoTo(answer)
	return a
}

// finished waits for the end of a turn.
func (p *peer) finished(turn int64) payload.Outcome {
	p.t.Helper()
	for {
		f := p.until(payload.TurnFinishedAction)
		if *f.Turn != turn {
			continue
		}
		var end payload.TurnFinished
		if err := json.Unmarshal(f.Message, &end); err != nil {
			p.t.Fatal(err)
		}
		return end.Outcome
	}
}

// A stop ends the running turn during its streaming. The streamed text is kept,
// and the session continues.
func TestStop(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 1)
	s := serve(t, setup{agent: streamer(t, begun)})
	p, _ := s.hello("/?session_id=S")
	for i, stop := range []string{`{"action":"stop"}`, `{"action":"stop","message":{}}`, `{"action":"stop","message":null}`, `{"action":"stop","message":{"turn":4}}`} {
		p.say(`{"action":"user_message","message":"silent"}`)
		<-begun
		if f := p.until(payload.DeltaAction); f.N == 0 || *f.Turn != int64(i+1) {
			t.Errorf("a piece without n: %s", f.raw)
		}
		p.say(stop)
		if f := p.until(payload.ReplyMarkdown); string(f.Message) != `"piece 0 piece 1 piece 2\n\n*Stopped.*"` || f.Seq == 0 {
			t.Errorf("got %s", f.raw)
		}
		if got := p.finished(int64(i + 1)); got != payload.Stopped {
			t.Errorf("outcome %s", got)
		}
	}
	p.say(`{"action":"user_message","message":"talk"}`)
	<-begun
	p.say(`{"action":"user_message","message":"waits"}`)
	p.until(payload.AckAction)
	p.say(`{"action":"user_message","message":"goes on"}`)
	p.until(payload.AckAction)
	p.say(`{"action":"stop","message":{"turn":6}}`) // before its turn
	p.say(`{"action":"stop","message":{"turn":5}}`)
	if f := p.until(payload.ReplyStr); string(f.Message) != `"first"` {
		t.Errorf("got %s", f.raw)
	}
	for turn, want := range map[int64]payload.Outcome{5: payload.Stopped} {
		if got := p.finished(turn); got != want {
			t.Errorf("turn %d is %s, want %s", turn, got, want)
		}
	}
	if got := p.finished(6); got != payload.Stopped {
		t.Errorf("the turn that waited is %s", got)
	}
	if got := p.finished(7); got != payload.Done {
		t.Errorf("the turn after it is %s", got)
	}
	for _, late := range []string{`{"action":"stop"}`, `{"action":"stop","message":{"turn":1}}`, `{"action":"stop","message":{"turn":99}}`} {
		p.say(late)
	}
	p.say(`{"action":"user_message","message":"alive?"}`)
	if got := p.finished(8); got != payload.Done {
		t.Errorf("outcome %s", got)
	}
	for _, bad := range []string{`5`, `"x"`, `[]`, `{"turn":"x"}`, `{"turn":1.5}`, `{"turn":-1}`} {
		p.say(`{"action":"stop","message":` + bad + `,"id":"s"}`)
		if f := p.until(payload.ErrorAction); f.ID != "s" || !strings.Contains(f.raw, `"code":"invalid"`) {
			t.Errorf("%s: %s", bad, f.raw)
		}
	}
	again := s.dial("/?session_id=S", nil)
	again.say(`{"action":"fetch_user_messages"}`)
	var got []string
	for range 14 {
		got = append(got, string(again.next().Message))
	}
	want := strings.Repeat(`"silent" "piece 0 piece 1 piece 2\n\n*Stopped.*" `, 4) + `"talk" "waits" "goes on" "first"`
	if text := strings.Join(got, " "); !strings.HasPrefix(text, want) {
		t.Errorf("replayed\n%s, want\n%s", text, want)
	}
}

// BAF has no stop, so the action is unknown.
func TestStopBAF(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 1)
	s := serve(t, setup{agent: streamer(t, begun)})
	p := s.dial("/?session_id=S", nil)
	p.say(`{"action":"user_message","message":"talk"}`)
	<-begun
	p.say(`{"action":"stop","message":{}}`)
	p.say(`{"action":"user_voice"}`)
	for {
		f := p.next() // the reply of the turn may arrive first
		if strings.Contains(f.raw, "Stopped") {
			t.Errorf("got %s", f.raw)
		}
		if strings.Contains(f.raw, "recordings") {
			break
		}
	}
	p.say(`{"action":"reset"}`)
	p.say(`{"action":"user_message","message":"alive?"}`)
	if f := p.until(payload.ReplyStr); !strings.Contains(f.raw, "you said alive?") && !strings.Contains(f.raw, "first") {
		t.Errorf("got %s", f.raw)
	}
}

// An event that no state accepts is held until a state accepts it.
func TestHeld(t *testing.T) {
	t.Parallel()
	a := agent.New("holder")
	greet, later := a.State("greet", agent.Initial), a.State("later")
	later.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "later: "+s.Event().Name) })
	greet.OnMessage().GoTo(later)
	later.OnEvent(agent.EventUI).GoTo(greet)
	s := serve(t, setup{agent: a})
	p, _ := s.hello("/")
	p.say(`{"action":"user_update_ui","message":{}}`)
	if got := p.finished(1); got != payload.Held {
		t.Errorf("outcome %s", got)
	}
	p.say(`{"action":"user_message","message":"go"}`)
	if got := p.finished(2); got != payload.Done {
		t.Errorf("outcome %s", got)
	}
	if got := p.finished(1); got != payload.Done {
		t.Errorf("outcome %s", got)
	}
}
