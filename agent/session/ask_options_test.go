package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// choices returns two models and three collections.
func choices(context.Context) (chat.Choices, error) {
	return chat.Choices{Models: []string{"extractive", "large"}, Collections: []string{"east", "west", "law"}}, nil
}

// shortly describes the parts of a request that options may set.
func shortly(r rag.Request) string {
	return fmt.Sprintf("%s: %q %v %d", r.Question, r.Model, r.Collections, r.K)
}

// TestAskOptionsAndStates checks that options do not change what the state names, except the number
// of passages.
func TestAskOptionsAndStates(t *testing.T) { bubble(t, testAskOptionsAndStates) }

func testAskOptionsAndStates(t *testing.T) {
	for _, c := range []struct {
		state   rag.Request
		message string
		v1      bool
		want    string
	}{
		{rag.Request{}, `{"message":"q","collections":["east","law"],"model":"large","k":7}`, true, `q: "large" [east law] 7`},
		{rag.Request{K: 3}, `{"message":"q","collections":["east"]}`, true, `q: "" [east] 3`},
		{rag.Request{K: 3, Model: "extractive"}, `{"message":"q","model":"large","k":9}`, true, `q: "extractive" [] 9`},
		{rag.Request{Collections: []string{"east", "west"}}, `{"message":"q","collections":["west","law"]}`, true, `q: "" [west] 0`},
		{rag.Request{Collections: []string{"east"}}, `{"message":"q","collections":["law"]}`, true, `q: "" [east] 0`},
		{rag.Request{Question: "own"}, `{"message":"q","k":2}`, true, `own: "" [] 2`},
		{rag.Request{}, `"q"`, true, `q: "" [] 0`},
		{rag.Request{}, `{"message":"q","k":"x","more":1}`, true, `q: "" [] 0`},
		{rag.Request{}, `{"message":"q","k":5,"more":1}`, true, `q: "" [] 5`},
		{rag.Request{}, `{"message":"q","k":"x","collections":["east"]}`, false, `q: "" [] 0`},
		{rag.Request{}, `{"message":"q","k":5,"collections":["north","east"],"model":"none"}`, false, `q: "" [east] 5`},
		{rag.Request{}, `"{\"message\":\"q\",\"k\":5}"`, false, `q: "" [] 5`},
	} {
		a := agent.New("a")
		s := a.State("s", agent.Initial)
		s.Body(agent.Answering(c.state))
		s.OnMessage().GoTo(s)
		answers := &agenttest.Answers{}
		rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), RAG: answers, Choices: choices})
		sub, client, _ := open(t, rt, "S")
		if err := sub.Send(t.Context(), session.Message{Content: json.RawMessage(c.message), Human: true, Options: c.v1}); err != nil {
			t.Fatal(c.message, err)
		}
		client.Until(payload.TurnFinishedAction)
		synctest.Wait()
		all := answers.Requests()
		if c.state.Question != "" { // the greeting asked as well
			all = all[1:]
		}
		if len(all) != 1 || shortly(all[0]) != c.want {
			t.Errorf("%+v and %s: %+v, want %s", c.state, c.message, all, c.want)
		}
	}
}

// TestAskOptionsAreText checks that an agent treats a text with options like the text alone, even
// after a restart before the answer. Other objects are no text.
func TestAskOptionsAreText(t *testing.T) { bubble(t, testAskOptionsAreText) }

func testAskOptionsAreText(t *testing.T) {
	store := agenttest.NewStore()
	run := func(body func(ctx context.Context, s *agent.Session) error) *session.Runtime {
		a := agent.New("a")
		idle, text, object := a.State("idle", agent.Initial), a.State("text"), a.State("object")
		text.Body(body)
		object.Body(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "object "+s.Message()) })
		for _, s := range []*agent.State{idle, text, object} {
			s.OnText().GoTo(text)
			s.OnMessage().GoTo(object)
		}
		return start(t, session.RuntimeConfig{Agent: a, Store: store, Choices: choices})
	}
	entered := make(chan struct{})
	rt := run(func(ctx context.Context, _ *agent.Session) error {
		close(entered)
		<-ctx.Done()
		return ctx.Err()
	})
	sub, _, _ := open(t, rt, "S")
	say := func(sub *session.Subscription, content string, v1 bool) error {
		return sub.Send(t.Context(), session.Message{Content: json.RawMessage(content), Human: true, Options: v1})
	}
	for content, want := range map[string]fault.Kind{
		`{"message":"q","k":0}`: fault.Invalid, `{"message":"q","model":"none"}`: fault.NotFound, `{"message":"q","collections":["none"]}`: fault.NotFound,
	} {
		err := say(sub, content, true)
		if fault.KindOf(err) != want || errors.Is(err, session.ErrNoChoice) != (want == fault.NotFound) {
			t.Errorf("%s: %v", content, err)
		}
	}
	if n := len(store.Pending("S")); n != 0 {
		t.Errorf("%d refused messages wait", n)
	}
	if err := say(sub, `{"message":"How?","collections":["west"],"k":6}`, true); err != nil {
		t.Fatal(err)
	}
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = rt.Shutdown(ctx)

	rt = run(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, fmt.Sprintf("%s %s %+v", s.Event().Name, s.Message(), s.AskOptions()))
	})
	sub, client, _ := open(t, rt, "S")
	want := []string{
		`receive_message_text How? {Collections:[west] Documents:[] Folders:[] Tags:[] Model: K:6 Brief:[]}`, `object q`, `object q`,
	}
	heard := func() string { return string(client.Until(payload.ReplyStr).Frame.Message) }
	if got := heard(); got != string(quoted(want[0])) {
		t.Errorf("after a restart: %s", got)
	}
	for i, v1 := range []bool{false, true} {
		content := []string{`{"message":"q","k":6}`, `{"message":"q","k":6,"more":1}`}[i]
		if err := say(sub, content, v1); err != nil {
			t.Fatal(err)
		}
		if got := heard(); got != string(quoted(want[i+1])) {
			t.Errorf("%s: %s", content, got)
		}
	}
}
