package ws_test

import (
	"strings"
	"testing"

	"docent/payload"
)

// In docent.v1, requests with an id that are not stored as messages get an ack
// without a seq. Refused requests get none.
func TestTaken(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{})
	p, _ := s.hello("/?session_id=S")
	p.until(payload.ReplyStr)
	old := s.dial("/?session_id=O", nil)
	old.until(payload.ReplyStr)
	const taken = `{"action":"ack","message":{"id":"i","duplicate":false},`
	for _, frame := range []string{
		`"action":"user_set_variable","message":{"a":1}`, `"action":"stop"`, `"action":"stop","message":{"turn":9}`,
		`"action":"user_update_ui","message":{}`, `"action":"user_gui_event","message":{}`, `"action":"reset"`,
	} {
		p.say(`{` + frame + `}`)
		p.say(`{` + frame + `,"id":"i"}`)
		if f := p.until(payload.AckAction); !strings.HasPrefix(f.raw, taken) || f.ID != "i" || f.Seq != 0 {
			t.Errorf("%s: %s", frame, f.raw)
		}
		old.say(`{` + frame + `,"id":"i"}`)
	}
	p.say(`{"action":"user_set_variable","message":{"prev_state":1},"id":"bad"}`)
	if f := p.until(payload.ErrorAction); f.ID != "bad" {
		t.Errorf("got %s", f.raw)
	}
	for _, client := range []*peer{p, old} {
		client.say(`{"action":"user_message","message":"done?","id":"m"}`)
		for {
			f := client.next()
			if f.Action == payload.AckAction && (client == old || f.ID != "m") {
				t.Errorf("got %s", f.raw)
			}
			if f.Action == payload.ReplyRAG {
				break
			}
		}
	}
}
