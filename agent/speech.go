package agent

import (
	"context"

	"docent/payload"
)

// Speaker turns text into sound. It is safe for concurrent use. A speech.Client implements it.
type Speaker interface {
	// Speak returns a text as sound. Errors carry a fault kind.
	Speak(ctx context.Context, text string) (payload.Audio, error)
}

// ReplySpeech says text as sound with RuntimeConfig.Speaker. Without a speaker, or after its failure, it replies with
// text.
func (s *Session) ReplySpeech(ctx context.Context, text string) error {
	text = s.processReply(ctx, text)
	speaker := s.turn.env.Speaker
	if r := guarded(ctx, s, s.turn.part().guardsAgent, text); r != nil {
		return r.say(ctx, s, ofAgent)
	}
	if speaker == nil {
		return s.reply(ctx, payload.TypeStr, text)
	}
	sound, err := speaker.Speak(ctx, text)
	switch {
	case err == nil:
		return s.ReplyAudio(ctx, sound)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	s.Log(ctx, "speak", err)
	return s.reply(ctx, payload.TypeStr, text)
}
