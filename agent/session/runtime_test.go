package session_test

import (
	"fmt"
	"testing"

	"docent/agent/agenttest"
	"docent/agent/assistant"
	"docent/agent/session"
	"docent/payload"
)

func TestTurn(t *testing.T) { bubble(t, testTurn) }

func testTurn(t *testing.T) {
	store := agenttest.NewStore()
	rt := start(t, session.RuntimeConfig{Agent: anAssistant(t), Store: store, RAG: &agenttest.Answers{}})
	sub, c, opened := open(t, rt, "S1")
	if opened != (session.Opened{SessionID: "S1", Agent: "docent"}) {
		t.Errorf("opened %+v", opened)
	}
	if d := c.Next(); text(t, d) != assistant.DefaultGreeting || d.Frame.Seq != 1 || *d.Frame.Turn != 0 {
		t.Errorf("greeting: %+v %s", d.Frame, d.Frame.Message)
	}
	send(t, sub, "m1", "two words")
	var got []string
	for {
		d := c.Next()
		got = append(got, fmt.Sprintf("%d %s seq=%d turn=%d %s", d.Audience, d.Frame.Action, d.Frame.Seq, *d.Frame.Turn, short(d.Frame.Message)))
		if d.Frame.Action == payload.TurnFinishedAction {
			break
		}
	}
	want := []string{
		`1 ack seq=0 turn=1 {"id":"m1","seq":2,"duplicate":false}`,
		`1 status seq=0 turn=1 {"phase":"searching"}`,
		`1 status seq=0 turn=1 {"phase":"answering"}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"You "}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"asked: "}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"two "}`,
		`1 agent_reply_delta seq=0 turn=1 {"text":"words"}`,
		`0 agent_reply_rag seq=3 turn=1 {"llm_name":"scripted","question":"two words","answer":"You asked:`,
		`1 turn_finished seq=0 turn=1 {"outcome":"done","usage":{"prompt_tokens":7,"completion_tokens":3`,
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("frames:\n%q\nwant\n%q", got, want)
		}
	}
	record, messages, _ := store.Stored("S1")
	if record.State != "answer" || len(messages) != 3 || messages[2].Type != payload.TypeRAG {
		t.Errorf("stored %+v %+v", record, messages)
	}
	if tr := store.Transitions("S1"); len(tr) != 1 || tr[0].Source != "greet" || tr[0].Dest != "answer" || tr[0].Event != "receive_message" {
		t.Errorf("transitions %+v", tr)
	}
	for op, want := range map[agenttest.Operation]int{agenttest.Open: 1, agenttest.Receive: 1, agenttest.Commit: 2, agenttest.Messages: 0} {
		if n := store.Calls(op); n != want {
			t.Errorf("%d trips of %s, want %d", n, op, want)
		}
	}
}

func short(b []byte) string { return string(b[:min(len(b), 66)]) }
