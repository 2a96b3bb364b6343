package session_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
)

// mouth is a scripted speaker.
type mouth func(ctx context.Context, text string) (payload.Audio, error)

func (m mouth) Speak(ctx context.Context, text string) (payload.Audio, error) { return m(ctx, text) }

// A spoken reply is sent as sound. Without a speaker, it is sent as text.
//
// BAF 8.4
func TestReplySpeech(t *testing.T) {
	sound, err := payload.NewAudio(24000, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		speaker agent.Speaker
		kind    string
		want    string
	}{
		"spoken": {
			mouth(func(_ context.Context, text string) (payload.Audio, error) {
				if text != "hi" {
					t.Errorf("spoken: %q", text)
				}
				return sound, nil
			}),
			payload.TypeAudio, `{"audio_data_base64":"AACAPw==","metadata":{"sample_rate":24000,"dtype":"float32","shape":[1]}}`,
		},
		"nobody speaks": {nil, payload.TypeStr, `"hi"`},
		"it fails": {mouth(func(context.Context, string) (payload.Audio, error) {
			return payload.Audio{}, fault.Wrap(fault.Unavailable, errors.New("hi is refused"),
				"test_sentence", "the speech server has a problem")
		}), payload.TypeStr, `"hi"`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := agent.New("speaks")
				a.State("s", agent.Initial).Body(func(ctx context.Context, s *agent.Session) error { return s.ReplySpeech(ctx, "hi") })
				store := agenttest.NewStore()
				var log strings.Builder
				rt := start(t, session.RuntimeConfig{Agent: a, Store: store, Speaker: test.speaker, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				open(t, rt, "S")
				synctest.Wait()
				_, messages, _ := store.Stored("S")
				if len(messages) != 1 || messages[0].Type != test.kind || string(messages[0].Content) != test.want {
					t.Errorf("stored %+v", messages)
				}
				if failed := name == "it fails"; failed != strings.Contains(log.String(), "msg=speak session=S") {
					t.Errorf("logged %s", &log)
				}
			})
		})
	}
}
