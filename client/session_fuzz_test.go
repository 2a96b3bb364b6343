package client

import (
	"bytes"
	"encoding/json"
	"testing"

	"docent/payload"
)

// For any input of the server, the session continues or reconnects. It does not
// panic, and yields entries in the order of Seq, each once.
func FuzzSessionFrames(f *testing.F) {
	for _, seed := range []string{
		`{"action":"welcome","message":{"session_id":"S","seq":3,"reset_seq":1}}`,
		`{"action":"synced","message":{"seq":3,"turns":[{"turn":2,"state":"running"}]}}`,
		`{"action":"ack","message":{"id":"a","seq":4,"duplicate":false},"turn":2}`,
		`{"action":"user_message","message":"hi","seq":4,"turn":2,"id":"a","replaces":1}`,
		`{"action":"agent_reply_delta","message":{"text":"He"},"turn":2,"n":1}`,
		`{"action":"turn_snapshot","message":{"turn":2,"n":3,"text":"He","steps":[{"action":"agent_reply_reasoning_step","message":{}}]}}`,
		`{"action":"agent_reply_reasoning_step","message":{"kind":"llm_text"},"turn":2,"seq":5}`,
		`{"action":"agent_reply_task_list_update","message":[],"turn":2,"seq":6}`,
		`{"action":"agent_reply_rag","message":{"answer":"Hello"},"turn":2,"seq":7}`,
		`{"action":"error","message":{"code":"busy","retryable":true,"id":"a"},"turn":2,"seq":8}`,
		`{"action":"turn_finished","message":{"outcome":"done"},"turn":2}`,
		`{"action":"session_reset","message":{"seq":8}}`,
		`{"action":"feedback_stored","message":{"turn":2}}`,
	} {
		f.Add([]byte(seed + "\n" + seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &Session{ended: make(chan struct{}), state: state{
			opened: make(chan struct{}), wake: make(chan struct{}, 1), queue: queue{limit: 1 << 20, more: make(chan struct{}, 1)},
		}}
		s.requests = []*request{{id: "a", frame: payload.Frame{Action: payload.UserMessage}, done: make(chan struct{}), watch: &watch{done: make(chan struct{})}}}
		decoder := json.NewDecoder(bytes.NewReader(data))
		for range 100 {
			var in frame
			if decoder.Decode(&in) != nil {
				break
			}
			if s.take(in) != nil {
				s.line.live = false
			}
		}
		var made Transcript
		last := int64(0)
		for e := s.queue.take(); e != nil; e = s.queue.take() {
			if made.Apply(e); e.stored() != nil {
				if seq := e.stored().Seq; seq <= last {
					t.Errorf("%d follows %d", seq, last)
				}
				last = e.stored().Seq
			}
			if w, ok := e.(*Connected); ok && w.Seq < last { // another database
				last = 0
			}
		}
		_, _, _ = made.Entries(), made.Record(), made.Running()
	})
}
