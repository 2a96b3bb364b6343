package ws_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/wstest"
	"docent/payload"
	"docent/ws"
)

// ear is a scripted transcriber.
type ear func(ctx context.Context, recording []byte, language string) (string, error)

func (e ear) Transcribe(ctx context.Context, recording []byte, language string) (string, error) {
	return e(ctx, recording, language)
}

// plain returns the recorded bytes as text.
func plain(_ context.Context, recording []byte, language string) (string, error) {
	if text := string(recording); !strings.HasPrefix(text, "noise") {
		return text + language, nil
	}
	return "", fault.New(fault.Unavailable, "test_sentence", "the speech server has a problem")
}

// told returns the next frame that does not concern the session or a turn as a
// whole.
func (p *peer) told() frame {
	p.t.Helper()
	for {
		switch f := p.next(); f.Action {
		case payload.SyncedAction, payload.SessionResetAction, payload.TurnFinishedAction:
		default:
			return f
		}
	}
}

// recorded is a frame with a recording of a text.
func recorded(text, more string) string {
	return fmt.Sprintf(`{"action":"user_voice","message":%q%s}`, base64.StdEncoding.EncodeToString([]byte(text)), more)
}

// The text of a recording is shown to its sender, and then handled like a
// message of the user.
//
// BAF W39
func TestVoiceHeard(t *testing.T) {
	t.Parallel()
	config := ws.Config{Transcriber: ear(plain), MessageBytes: 16 << 10}
	both(t, setup{agent: reporter(), config: config}, func(t *testing.T, p *peer, v1 bool) {
		t.Helper()
		for i, frame := range []string{
			recorded("hi é", `,"id":"a"`), fmt.Sprintf(`{"action":"user_voice","id":"b","message":"data:audio/webm;codecs=opus;base64,%s"}`, base64.StdEncoding.EncodeToString([]byte("hi é"))),
		} {
			p.say(frame)
			f := p.told()
			id := map[bool]string{true: string(rune('a' + i))}[v1]
			if f.Action != payload.UserMessage || !f.History || string(f.Message) != `"hi é"` || f.ID != id || f.Seq != 0 {
				t.Errorf("echo %s", f.raw)
			}
			if v1 {
				if f := p.next(); f.Action != payload.AckAction || f.ID != id {
					t.Errorf("ack %s", f.raw)
				}
			}
			if got := p.said(); got != `receive_message_text human=true text="hi é" json= data=` {
				t.Error(got)
			}
			if v1 {
				p.until(payload.TurnFinishedAction)
			}
		}
		p.say(recorded("noise", ""))
		if kind, got := p.refused(v1); v1 && kind != fault.Unavailable || got != "the speech server has a problem" {
			t.Errorf("%s %s", kind, got)
		}
		for _, message := range []string{`5`, `null`, `{}`, `""`, `"?"`, `"data:audio/wav,x"`} {
			p.say(`{"action":"user_voice","message":` + message + `}`)
			if kind, got := p.refused(v1); kind != fault.Invalid || got != "a recording must be an audio file in base64, as text" {
				t.Errorf("%s: %s %s", message, kind, got)
			}
		}
		p.say(recorded(strings.Repeat("x", agent.MaxTextBytes+1), ""))
		if _, got := p.refused(v1); !strings.Contains(got, "may have at most") {
			t.Error(got)
		}
		p.say(`{"action":"reset"}`)
		p.say(recorded(`{"q": 1}`, "")) // the text consists of words
		if got := p.said(); !strings.Contains(got, `text="{\"q\": 1}"`) && !strings.Contains(got, `json={"q": 1}`) {
			t.Error(got)
		}
	})
}

// known is a store that can list the messages of a session, like those of package store.
type known struct{ *agenttest.Store }

func (k known) Session(_ context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	record, _, ok := k.Store.Stored(key.ID)
	if !ok {
		return record, fault.New(fault.NotFound, "test_sentence", "no such session")
	}
	return record, nil
}

// The session variable user_language sets the language of recordings.
func TestVoiceLanguage(t *testing.T) {
	t.Parallel()
	p := serve(t, setup{agent: reporter(), store: known{agenttest.NewStore()}, config: ws.Config{Transcriber: ear(plain)}}).dial("/?session_id=S", nil)
	for language, want := range map[string]string{`"de"`: "hide", `"pt-BR"`: "hipt", `"German"`: "hi", `5`: "hi"} {
		p.say(`{"action":"user_set_variable","message":{"user_language":` + language + `}}`)
		p.say(`{"action":"user_message","message":"set?"}`) // which follows it
		p.said()
		p.say(recorded("hi", ""))
		if got := p.said(); !strings.Contains(got, `text="`+want+`"`) {
			t.Errorf("%s: %s", language, got)
		}
	}
}

// A recording that is sent again is transcribed once.
func TestVoiceTwice(t *testing.T) {
	t.Parallel()
	calls := 0
	count := func(ctx context.Context, recording []byte, language string) (string, error) {
		calls++
		return plain(ctx, recording, language)
	}
	store := agenttest.NewStore()
	s := serve(t, setup{agent: reporter(), store: store, config: ws.Config{Transcriber: ear(count)}})
	p, _ := s.hello("/?session_id=S")
	p.say(recorded("hi", `,"id":"v1"`))
	p.until(payload.TurnFinishedAction)
	for range 2 {
		p, _ := s.hello("/?session_id=S")
		p.say(recorded("hi", `,"id":"v1"`))
		if f := p.until(payload.AckAction); f.ID != "v1" || !strings.Contains(f.raw, `"duplicate":true`) {
			t.Errorf("ack %s", f.raw)
		}
	}
	if _, messages, _ := store.Stored("S"); calls != 1 || len(messages) != 2 || string(messages[0].Content) != `"hi"` || messages[0].Type != payload.TypeStr {
		t.Errorf("heard %d times, stored %+v", calls, messages)
	}
}

// slowEar transcribes after a signal, or until it is canceled.
func slowEar() (e ear, begun chan string, let chan struct{}) {
	begun, let = make(chan string, 100), make(chan struct{})
	return func(ctx context.Context, recording []byte, _ string) (string, error) {
		begun <- string(recording)
		select {
		case <-let:
			return string(recording), nil
		case <-ctx.Done():
			return "", fmt.Errorf("transcribe: %w", ctx.Err())
		}
	}, begun, let
}

// Messages that follow a recording are handled after it.
func TestVoiceOrder(t *testing.T) {
	t.Parallel()
	for _, v1 := range []bool{false, true} {
		e, begun, let := slowEar()
		s := serve(t, setup{agent: reporter(), config: ws.Config{Transcriber: e}})
		p := s.dial("/?session_id=S", nil)
		if v1 {
			p, _ = s.hello("/?session_id=S")
		}
		p.say(recorded("one", ""))
		<-begun
		p.say(`{"action":"user_message","message":"two"}`)
		p.say(recorded("three", ""))
		p.say(`{"action":"user_message","message":"four"}`)
		close(let)
		for _, want := range []string{"one", "two", "three", "four"} {
			if got := p.said(); !strings.Contains(got, `text="`+want+`"`) {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}

// A stop and a reset overtake and cancel a recording.
func TestVoiceGivenUp(t *testing.T) {
	t.Parallel()
	store := agenttest.NewStore()
	e, begun, let := slowEar()
	s := serve(t, setup{agent: reporter(), store: store, config: ws.Config{Transcriber: e}})
	p, _ := s.hello("/?session_id=S")
	for _, frame := range []string{`{"action":"stop"}`, `{"action":"stop","message":{}}`, `{"action":"reset"}`} {
		p.say(recorded("hi", `,"id":"x"`))
		<-begun
		p.say(`{"action":"stop","message":{"turn":7}}`) // another recording
		p.say(frame)
		f := p.until(payload.ErrorAction)
		if f.ID != "x" || !strings.Contains(f.raw, `"conflict"`) || !strings.Contains(f.raw, "was canceled") {
			t.Errorf("%s: %s", frame, f.raw)
		}
	}
	baf := s.dial("/?session_id=B", nil)
	baf.say(recorded("hi", ""))
	<-begun
	baf.say(`{"action":"reset"}`)
	baf.say(`{"action":"user_message","message":"alive?"}`)
	if f := baf.next(); !strings.Contains(f.raw, "alive?") {
		t.Errorf("after a reset %s", f.raw)
	}
	close(let)
	p.say(recorded("again", `,"id":"x"`))
	if f := p.told(); f.Action != payload.UserMessage {
		t.Errorf("got %s", f.raw)
	}
	p.until(payload.TurnFinishedAction)
	if _, messages, _ := store.Stored("S"); len(messages) != 2 || string(messages[0].Content) != `"again"` {
		t.Errorf("stored %+v", messages)
	}
}

// A client that disconnects and a server that stops do not wait for a
// transcription. The number of concurrent transcriptions is bounded.
func TestVoiceBounds(t *testing.T) {
	t.Parallel()
	e, begun, _ := slowEar()
	s := serve(t, setup{agent: reporter(), config: ws.Config{Transcriber: e}.With(ws.Limits{UploadBytes: 1 << 30})})
	const most = 64
	for range most {
		s.dial("/", nil).say(recorded("hi", ""))
		<-begun
	}
	p, _ := s.hello("/")
	p.say(recorded("hi", ""))
	if f := p.until(payload.ErrorAction); !strings.Contains(f.raw, `"busy"`) || !strings.Contains(f.raw, `"retryable":true`) {
		t.Errorf("got %s", f.raw)
	}
}

// The memory of a recording is released only after its transcription.
func TestVoiceMemory(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 300<<10)
	heard, let := make(chan struct{}, 10), make(chan struct{})
	e := ear(func(ctx context.Context, _ []byte, _ string) (string, error) {
		heard <- struct{}{}
		select {
		case <-let:
		case <-ctx.Done():
		}
		return "ok", nil
	})
	s := serve(t, setup{agent: reporter(), config: ws.Config{Transcriber: e, MessageBytes: 16 << 10}.With(ws.Limits{UploadBytes: 1 << 20})})
	p, other := s.dial("/", nil), s.dial("/", nil)
	p.say(recorded(large, ""))
	<-heard
	other.say(recorded(large, ""))
	if got := other.said(); !strings.Contains(got, "too many files") {
		t.Error(got)
	}
	close(let)
	if got := p.said(); !strings.Contains(got, `text="ok"`) {
		t.Error(got)
	}
	other.say(recorded(large, ""))
	if got := other.said(); !strings.Contains(got, `text="ok"`) {
		t.Error(got)
	}
	if err := p.conn.Close(wstest.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
}

// A panic in a transcriber ends the connection but not the program.
func TestVoicePanic(t *testing.T) {
	t.Parallel()
	e := ear(func(context.Context, []byte, string) (string, error) { panic("of ours") })
	p := serve(t, setup{agent: reporter(), config: ws.Config{Transcriber: e}}).dial("/", nil)
	p.say(recorded("hi", ""))
	if code := p.closed(); code != ws.CloseInternal.Code {
		t.Errorf("closed with %d", code)
	}
}
