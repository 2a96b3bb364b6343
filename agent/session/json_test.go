package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/chat"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{
		`1e999999`, `{"a":[-1.5E-07,"\"1e9999",{"1e9999":"\\"}]}`, `"\\\"["`, `[[[[]]]]`, `-`, ``, `[1 ,2]`, `1e+0000000000000000000000000001`, `"a`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		err := chat.CheckJSON(raw)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", raw, err)
		}
		if err == nil && !json.Valid(raw) {
			t.Errorf("%q is not JSON", raw)
		}
		var f float64
		if json.Unmarshal(raw, &f) == nil && len(raw) < 100 && err != nil && f != 0 {
			t.Errorf("%q is a double: %v", raw, err)
		}
	})
}

// A body receives an error at once if it sets or says JSON that no store can keep. The user
// receives an apology.
func TestOddJSON(t *testing.T) { bubble(t, testOddJSON) }

func testOddJSON(t *testing.T) {
	store := agenttest.NewStore()
	odd := json.RawMessage(`{"n":1e999999}`)
	deep := json.RawMessage(strings.Repeat("[", 600) + strings.Repeat("]", 600))
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		for name, err := range map[string]error{
			"Set": s.Set("v", odd), "Set a deep value": s.Set("v", deep), "Set a name": s.Set("a\x00b", 1), "Set another name": s.Set("a\xff", 1),
			"SaveMessage":        s.SaveMessage(ctx, payload.TypeJSON, false, odd),
			"SaveReasoningEvent": s.SaveReasoningEvent(ctx, payload.ReasoningStep{Kind: payload.StepText, Details: odd}),
		} {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %v", name, err)
			}
		}
		return errors.Join(s.Set("v", 1))
	})})
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	c.Until(payload.TurnFinishedAction)
	if got := recorded(store); got != `"hello" user "x" "x"` {
		t.Errorf("stored %s", got)
	}
	if err := sub.Send(t.Context(), session.Message{Content: odd, Human: true}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Send: %v", err)
	}
	if err := sub.SendEvent(t.Context(), "e", deep, false); fault.KindOf(err) != fault.Invalid {
		t.Errorf("SendEvent: %v", err)
	}
	if err := sub.SetVariables(t.Context(), map[string]json.RawMessage{"w": odd}); err != nil {
		t.Error(err)
	}
	if d := c.Until(payload.ErrorAction); !strings.Contains(string(d.Frame.Message), "exponent") {
		t.Errorf("told %s", d.Frame.Message)
	}
}
