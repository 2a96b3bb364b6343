package ws

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"docent/agent"

	"docent/internal/fault"
	"docent/payload"
)

// Transcriber turns recordings into text, as a speech.Client does. It is safe
// for concurrent use and gives up by itself after a while.
type Transcriber interface {
	// Transcribe returns the words of an audio file. language is an ISO 639-1
	// code, or "" for any. Errors carry a fault kind.
	Transcribe(ctx context.Context, recording []byte, language string) (string, error)
}

// maxListening bounds the recordings that are transcribed at once, of all
// connections.
const maxListening = 64

// Why a recording is not listened to. It must not become what the user said, as
// words about a failed transcription would.
var (
	errNoSpeech  = fault.New(fault.Invalid, "I cannot listen to recordings here. Please write instead.")
	errRecording = fault.New(fault.Invalid, "a recording must be an audio file in base64, as text")
	errListening = fault.New(fault.Busy, "too many recordings are being listened to; try again in a moment")
	errDropped   = fault.New(fault.Conflict, "this recording was given up before it was understood")
)

// listening is a recording that is being transcribed, while its client is read
// on, so that it can be stopped.
type listening struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// takeVoice begins to transcribe a recording. What the client sends next waits
// for that, see afterVoice.
func (c *connection) takeVoice(ctx context.Context, frame payload.Frame) error {
	if c.server.cfg.Transcriber == nil {
		return errNoSpeech
	}
	recording, err := decodeRecording(frame.Message)
	if err != nil {
		return err
	}
	if frame.ID != "" { // one that was sent before need not be heard again
		content, said, err := c.sub.Said(ctx, frame.ID)
		if err != nil {
			return err
		}
		if said {
			frame.Message = content
			return c.hear(ctx, frame, true)
		}
	}
	if c.server.listening.Add(1) > maxListening {
		c.server.listening.Add(-1)
		return errListening
	}
	held := c.held // its memory is in use until it is transcribed
	c.held = 0
	call, cancel := context.WithCancelCause(ctx)
	c.voice = &listening{cancel: cancel, done: make(chan struct{})}
	go func(done chan struct{}) {
		defer close(done)
		defer c.contain(ctx)
		defer cancel(nil)
		defer func() {
			if held != 0 {
				c.server.uploads.free(c.sharer(), held)
			}
		}()
		defer c.server.listening.Add(-1)
		if err := c.transcribe(ctx, call, recording, frame); err != nil && ctx.Err() == nil {
			c.refused(ctx, err, frame)
		}
	}(c.voice.done)
	return nil
}

// transcribe tells the sender what it has said, and hands that on. ctx is the
// connection's; call also ends when the recording is given up.
func (c *connection) transcribe(ctx, call context.Context, recording []byte, frame payload.Frame) error {
	language, err := c.sub.Language(call)
	if err != nil && call.Err() == nil {
		return err
	}
	text, err := c.server.cfg.Transcriber.Transcribe(call, recording, languageCode(language))
	switch {
	case errors.Is(context.Cause(call), errDropped) && !c.v1: // it was emptied along with all else
		return nil
	case errors.Is(context.Cause(call), errDropped):
		return errDropped
	case err != nil:
		return err
	}
	if frame.Message, err = payload.Marshal(text); err != nil {
		return err
	}
	if len(text) > agent.MaxTextBytes {
		return c.tooLong()
	}
	c.send(payload.Frame{Action: payload.UserMessage, Message: frame.Message, History: true, Time: time.Now(), ID: frame.ID})
	return c.hear(ctx, frame, true)
}

// afterVoice keeps a client's frames in order: they wait for its recording to be
// transcribed. A reset overtakes it, and a stop: it is then given up, unless a
// turn is named, which is another.
func (c *connection) afterVoice(ctx context.Context, frame payload.Frame) {
	if c.voice == nil {
		return
	}
	switch {
	case frame.Action == payload.StopAction && c.v1:
		var s payload.Stop
		if frame.Message != nil && (payload.UnmarshalMessage(frame.Message, &s) != nil || s.Turn != nil) {
			return
		}
		c.voice.cancel(errDropped)
	case frame.Action == payload.Reset:
		c.voice.cancel(errDropped)
	}
	select {
	case <-c.voice.done:
		c.voice = nil
	case <-ctx.Done():
	}
}

// endVoice waits for what the end of the connection's context ends.
func (c *connection) endVoice() {
	if c.voice != nil {
		<-c.voice.done
	}
}

// decodeRecording reads the message of a user_voice frame: base64, also as a
// data URL.
func decodeRecording(message json.RawMessage) ([]byte, error) {
	var text string
	if err := json.Unmarshal(message, &text); err != nil || !bytes.HasPrefix(message, []byte{'"'}) {
		return nil, errRecording
	}
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ";base64,")
	}
	recording, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(recording) == 0 {
		return nil, errRecording
	}
	return recording, nil
}

// languageCode is what of the session's language a Transcriber understands.
func languageCode(language string) string {
	if code := isoCode.FindStringSubmatch(strings.ToLower(language)); code != nil {
		return code[1]
	}
	return ""
}

// isoCode is an ISO 639-1 code, alone or before a region.
var isoCode = regexp.MustCompile(`^([a-z]{2})(?:[-_]|$)`)
