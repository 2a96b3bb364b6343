package servertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
	"docent/ws/typed"

	"github.com/google/uuid"
)

// dialect is how a kind of client speaks.
type dialect struct {
	name, path string
	verbs      []string // frames, one of each verb
	last       string   // a frame
	answered   string   // by one that has this
	late       bool     // clients may say who they are in hello
}

var dialects = []dialect{
	{
		name: "BAF", path: "/?session_id=",
		verbs: []string{
			frame(payload.UserVoice, `"UklGRg=="`), frame(payload.UserFile, `{"name":"a.txt","type":"text/plain","base64":"aGk="}`),
			frame(payload.UserSetVariable, `{"a":1}`), frame(payload.UserUpdateUI, `{}`), frame(payload.UserGUIEvent, `{}`), frame(payload.ReplyStr, `"hi"`),
			frame(payload.FetchUserMessages, `null`), frame(payload.Reset, `null`),
		},
		last: frame(payload.UserMessage, `"When does the feed pump stop?"`), answered: `noon`,
	},
	{
		name: "docent.v1", path: "/?protocol=docent.v1&session_id=", late: true,
		verbs: []string{
			frame(payload.UserVoice, `"UklGRg=="`), frame(payload.UserFile, `{"name":"a.txt","type":"text/plain","base64":"aGk="}`),
			frame(payload.UserSetVariable, `{"a":1}`), frame(payload.UserUpdateUI, `{}`), frame(payload.UserGUIEvent, `{}`), frame(payload.ReplyStr, `"hi"`),
			frame(payload.FetchUserMessages, `null`), frame(payload.StopAction, `{}`), frame(payload.RegenerateAction, `{"turn":1}`),
			frame(payload.EditAction, `{"turn":1,"message":"x"}`), frame(payload.FeedbackAction, `{"rating":1}`), frame(payload.Reset, `null`),
		},
		last: frame(payload.UserMessage, `"When does the feed pump stop?"`), answered: `agent_reply_rag`,
	},
	{
		name: "Agent WebSocket", path: typed.Path + "?session_id=",
		verbs: []string{
			`{"type":"human_feedback","content":"fine"}`, `{"type":"command","content":"history"}`, `{"type":"command","content":"status"}`,
			`{"type":"command","content":"help"}`, `{"type":"command","content":"stop"}`, `{"type":"command","content":"reset"}`,
		},
		last: `{"type":"query","content":"When does the feed pump stop?"}`, answered: `noon`,
	},
}

// TestWhoMaySayWhat sends each action in the three protocols as every user. A
// user without access to a session is always refused, and the session does not
// change.
func TestWhoMaySayWhat(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		for _, d := range dialects {
			for _, owner := range []string{"token:owner", "user:owner", ""} {
				for _, w := range s.People {
					if w.Name == "token site" {
						continue // TestWhoMayOnlyChat
					}
					s.converse(t, d, w, owner)
				}
			}
		}
	})
}

// TestWhoMayOnlyChat sends each action with a token of the scope chat.
func TestWhoMayOnlyChat(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		w := s.Person("token site")
		for _, d := range dialects {
			if _, resp, err := w.TryDial(t, s.URL+d.path+"short", s.from()...); d.path == typed.Path+"?session_id=" {
				if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
					t.Errorf("%s: not refused: %v", d.name, err)
				}
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			s.wantClosed(t, d.name+" with a short id", d, w.Dial(t, s.URL+d.path+"short"), ws.CloseForbidden.Code, "forbidden")
			for _, owner := range []string{"token:owner", "user:owner", ""} {
				key := journal.SessionKey{Agent: "docent", ID: uuid.NewString()}
				record := journal.SessionRecord{Key: key, Owner: owner, Platform: "WebSocketPlatform"}
				if _, _, err := s.DB.Sessions.OpenSession(t.Context(), record); err != nil {
					t.Fatal(err)
				}
				s.wantClosed(t, d.name+" in a session of "+owner, d, w.Dial(t, s.URL+d.path+key.ID), ws.CloseForbidden.Code, "forbidden")
				s.wantUntouched(t, key, d.name)
			}
			s.chat(t, w, d)
		}
	})
}

// chat sends all actions in a new session and rejoins it.
func (s *site) chat(t *testing.T, w who, d dialect) {
	t.Helper()
	id := uuid.NewString()
	c := w.Dial(t, s.URL+d.path+id)
	if d.late {
		say(t, c, wstest.MessageText, frame(payload.HelloAction, `{}`))
	}
	for _, f := range append(slices.Clone(d.verbs), d.last) {
		say(t, c, wstest.MessageText, f)
	}
	refused := 0
	for {
		text, _ := json.Marshal(hear(t, c))
		if strings.Contains(string(text), "action_not_chat") {
			refused++
		}
		if strings.Contains(string(text), d.answered) {
			break
		}
	}
	_ = c.CloseNow()
	if want := 3; d.late && refused != want { // a file, a variable, and the reply of an agent
		t.Errorf("%s: %d actions were refused, want %d", d.name, refused, want)
	}
	messages, err := s.DB.Directory.Session(t.Context(), journal.SessionKey{Agent: "docent", ID: id})
	if err != nil || messages.Owner != "token:site" || len(messages.Variables) != 0 {
		t.Errorf("%s: the session is %+v, %v", d.name, messages, err)
	}
	again := w.Dial(t, s.URL+d.path+id)
	if d.late {
		say(t, again, wstest.MessageText, frame(payload.HelloAction, `{"last_seq":0}`))
	} else {
		say(t, again, wstest.MessageText, frame(payload.FetchUserMessages, `null`))
	}
	for {
		if text, _ := json.Marshal(hear(t, again)); strings.Contains(string(text), "feed pump") {
			_ = again.CloseNow()
			return
		}
	}
}

func (s *site) converse(t *testing.T, d dialect, w who, owner string) {
	t.Helper()
	key := s.session(t, owner)
	p := auth.Principal{ID: w.ID, Scopes: w.Scopes}
	as := d.name + " as " + w.Name + " of " + owner
	c, resp, err := w.TryDial(t, s.URL+d.path+key.ID, s.from()...)
	refused := 0
	switch {
	case (w.Wrong || w.ID == "") && !d.late:
		refused = http.StatusUnauthorized
	case w.ID != "" && !p.May(auth.Ask) && !d.late:
		refused = http.StatusForbidden
	}
	switch {
	case refused != 0:
		if err == nil || resp == nil || resp.StatusCode != refused {
			t.Errorf("%s: not refused with %d: %v", as, refused, err)
		}
	case err != nil:
		t.Errorf("%s: %v", as, err)
	case w.Wrong || w.ID == "":
		s.wantClosed(t, as, d, c, ws.CloseUnauthorized.Code, "unauthorized")
	case !p.May(auth.Ask) || w.ID != owner:
		s.wantClosed(t, as, d, c, ws.CloseForbidden.Code, "forbidden")
	default:
		wantHeard(t, as, d, c)
		return
	}
	s.wantUntouched(t, key, as)
	// And with other words first.
	if d.late && refused == 0 && err == nil {
		for _, verb := range append(d.verbs, d.last) {
			c, _, err := w.TryDial(t, s.URL+d.path+key.ID, s.from()...)
			if err != nil {
				t.Fatal(err)
			}
			say(t, c, wstest.MessageText, verb)
			say(t, c, wstest.MessageText, frame(payload.HelloAction, `{}`))
			_ = c.CloseNow()
		}
		s.wantUntouched(t, key, as+", verbs first")
	}
}

// wantClosed sends all frames at once and reads until the connection is closed.
func (s *site) wantClosed(t *testing.T, as string, d dialect, c *wstest.Conn, code int, kind string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
	defer cancel()
	frames := append([]string{}, d.verbs...)
	if d.late {
		frames = append([]string{frame(payload.HelloAction, `{}`)}, frames...)
	}
	for _, f := range append(frames, d.last) {
		if c.Write(ctx, wstest.MessageText, []byte(f)) != nil {
			break // closed already
		}
	}
	for {
		_, data, err := c.Read(ctx)
		if err != nil {
			var closed *wstest.CloseError
			if !errors.As(err, &closed) || closed.Code != code {
				t.Errorf("%s: ended with %v, want %d", as, err, code)
			}
			return
		}
		if d.late && !strings.Contains(string(data), `"code":"`+kind+`"`) || !d.late && strings.Contains(string(data), "response") {
			t.Errorf("%s: it hears %s", as, data)
		}
	}
}

// wantHeard says everything and hears no refusal.
func wantHeard(t *testing.T, as string, d dialect, c *wstest.Conn) {
	t.Helper()
	if d.late {
		say(t, c, wstest.MessageText, frame(payload.HelloAction, `{}`))
	}
	for _, f := range append(append([]string{}, d.verbs...), d.last) {
		say(t, c, wstest.MessageText, f)
	}
	for {
		text, _ := json.Marshal(hear(t, c))
		if strings.Contains(string(text), "unauthorized") || strings.Contains(string(text), "forbidden") {
			t.Errorf("%s: %s", as, text)
		}
		if strings.Contains(string(text), d.answered) {
			_ = c.CloseNow()
			return
		}
	}
}
