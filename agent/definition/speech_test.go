package definition_test

import (
	"context"
	"testing"

	"docent/agent/definition"
	"docent/agent/session"
	"docent/payload"
)

// loud is a Speaker that returns one sample for each letter.
type loud struct{}

func (loud) Speak(_ context.Context, text string) (payload.Audio, error) {
	return payload.NewAudio(8000, 1, make([]int16, len(text)))
}

// TestSpeak checks that a text is spoken if there is a Speaker, and written
// otherwise.
func TestSpeak(t *testing.T) {
	t.Parallel()
	const text = "name: n\nstates: {s: {initial: true, body: [{speak: \"Hi {{.username}}\"}]}}"
	_, spoken := begin(t, parse(t, text, definition.Environment{}).Agent, session.RuntimeConfig{Speaker: loud{}}, 1)
	equal(t, "spoken", spoken, []string{
		`agent_reply_audio {"audio_data_base64":"AAAAAAAAAAAAAAAA","metadata":{"sample_rate":8000,"dtype":"int16","shape":[6]}}`,
	})
	_, written := begin(t, parse(t, text, definition.Environment{}).Agent, session.RuntimeConfig{}, 1)
	equal(t, "written", written, []string{reply("Hi ada")})
}
