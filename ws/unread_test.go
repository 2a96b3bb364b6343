package ws_test

import (
	"encoding/json"
	"strings"
	"testing"

	"docent/payload"
	"docent/ws"
)

// The refusal of a frame that is not decoded has the frame's id, wherever the id
// is in the frame. The connection stays open.
func TestUnreadIDs(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: reporter(), config: ws.Config{FileBytes: 3 << 20}})
	p, _ := s.hello("/")
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	long := `"` + strings.Repeat("long ", 400<<10) + `"`
	file := `{"name":"f","base64":"` + strings.Repeat("QUJD", 1<<20) + `"}`
	for _, c := range []struct{ action, message, says string }{
		{"user_message", long, "a message may have at most"},
		{"user_message", `{"message":` + long + `}`, "a message may have at most"},
		{"user_file", file, "a file may have at most"},
		{"user_message", deep, "this is nested too deeply; at most 10000 levels are allowed"},
		{"user_set_variable", `{"a":` + deep + `}`, "this is nested too deeply"},
	} {
		for _, frame := range []string{
			`{"id":"m1","action":"` + c.action + `","message":` + c.message + `}`,
			`{"action":"` + c.action + `","message":` + c.message + `,"id":"m1"}`,
			`{"message":` + c.message + `,"id":"m1","action":"` + c.action + `"}`,
		} {
			p.say(frame)
			f := p.next()
			var e payload.Error
			if err := json.Unmarshal(f.Message, &e); err != nil || f.ID != "m1" || e.Code != "invalid" || !strings.HasPrefix(e.Message, c.says) {
				t.Errorf("%.40s … %s: %.300s", frame, frame[len(frame)-10:], f.raw)
			}
		}
	}
	typed, _ := s.typed("")
	typed.say(`{"type":"query","content":` + deep + `}`)
	if m := typed.hear(); !strings.HasPrefix(m.Content, "this is nested too deeply") {
		t.Errorf("got %+v", m)
	}
	p.say(`{"action":"user_message","message":"alive?"}`)
	p.until(payload.TurnFinishedAction)
}
