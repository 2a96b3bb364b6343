package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/payload"
)

// Speaker turns text into sound, as a speech.Client does. It is safe for
// concurrent use.
type Speaker interface {
	// Speak returns a text as sound. Errors carry a fault kind.
	Speak(ctx context.Context, text string) (payload.Audio, error)
}

// ReplySpeech says text as sound, by RuntimeConfig.Speaker. Where there is none,
// or it fails, the text is said as by Reply: a user who cannot hear it can read
// it.
func (s *Session) ReplySpeech(ctx context.Context, text string) error {
	text = s.conversation.processReply(ctx, s, text)
	speaker := s.conversation.rt.cfg.Speaker
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
	s.conversation.logError(ctx, "speak", err)
	return s.reply(ctx, payload.TypeStr, text)
}

// recentMessages is how many messages Subscription.Said looks at: what a client
// sends again is among the newest.
const recentMessages = 64

// Said returns what is stored of a user's message of that id, if it is one of
// the newest and not large; of one that is not found, it may be there all the
// same.
func (s *Subscription) Said(ctx context.Context, id string) (content json.RawMessage, found bool, err error) {
	c := s.c
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	messages, err := c.rt.cfg.Store.Messages(ctx, c.record.RowID, MessageQuery{Last: recentMessages, MaxContent: MaxTextBytes, Replaced: true})
	if err != nil {
		return nil, false, fmt.Errorf("messages of session %s: %w", c.key.ID, err)
	}
	for _, m := range messages {
		if m.IsUser && m.ClientID == id && m.Content != nil {
			return m.Content, true, nil
		}
	}
	return nil, false, nil
}

// Language is the session's variable user_language as it is stored; "" if there
// is none, or the store cannot tell.
func (s *Subscription) Language(ctx context.Context) (string, error) {
	c := s.c
	store, ok := c.rt.cfg.Store.(finder)
	if !ok {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.rt.cfg.StoreTimeout)
	defer cancel()
	record, err := store.Session(ctx, c.key)
	if err != nil {
		return "", fmt.Errorf("language of session %s: %w", c.key.ID, err)
	}
	var language string
	if err := json.Unmarshal(record.Variables["user_language"], &language); err != nil {
		return "", nil //nolint:nilerr // no text names no language
	}
	return language, nil
}
