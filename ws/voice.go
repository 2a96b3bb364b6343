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

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// Transcriber turns recordings into text. It is safe for concurrent use and has a
// timeout of its own.
type Transcriber interface {
	// Transcribe returns the text of an audio file. language is an ISO 639-1 code,
	// or "" for any. Errors carry a fault kind.
	Transcribe(ctx context.Context, recording []byte, language string) (string, error)
}

// maxListening bounds the recordings of all connections that are transcribed at
// once.
const maxListening = 64

// Errors of recordings.
var (
	errNoSpeech  = fault.New(fault.Invalid, "recordings_off", "I cannot listen to recordings here. Please write instead.")
	errRecording = fault.New(fault.Invalid, "recording_invalid", "a recording must be an audio file in base64, as text")
	errListening = fault.New(fault.Busy, "recordings_busy", "too many recordings are being listened to; try again in a moment")
	errDropped   = fault.New(fault.Conflict, "recording_given_up", "this recording was canceled before it was transcribed")
)

// listening is a recording that is being transcribed. The reader goes on meanwhile,
// so that the client can stop it.
type listening struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// decodeVoice reads a recording: base64, also as a data URL.
func decodeVoice(t *talk, r request) (task, error) {
	if t.c.server.cfg.Transcriber == nil {
		return task{}, errNoSpeech
	}
	recording, err := decodeRecording(r.Message)
	return task{do: func(ctx context.Context) error { return t.takeVoice(ctx, r, recording) }}, err
}

// takeVoice starts to transcribe a recording. The client's next frames wait for
// it, see afterVoice.
func (t *talk) takeVoice(ctx context.Context, r request, recording []byte) error {
	if r.ID != "" { // a repeated recording is not transcribed again
		content, said, err := t.c.Session().Said(ctx, r.ID)
		if err != nil {
			return err
		}
		if said {
			r.Message = content
			return t.hear(ctx, r.Frame)
		}
	}
	if t.c.server.hearing.Add(1) > maxListening {
		t.c.server.hearing.Add(-1)
		return errListening
	}
	free := t.c.upload.handOver() // the recording's memory is in use until it is transcribed
	call, cancel := context.WithCancelCause(ctx)
	t.voice = &listening{cancel: cancel, done: make(chan struct{})}
	go func(done chan struct{}) {
		defer close(done)
		defer cancel(nil)
		defer free()
		defer t.c.server.hearing.Add(-1)
		defer t.c.recovered(ctx)
		if err := t.transcribe(ctx, call, recording, r.Frame); err != nil && ctx.Err() == nil {
			t.refused(ctx, err, r)
		}
	}(t.voice.done)
	return nil
}

// transcribe sends the text of a recording to its sender and to the session. ctx is
// the connection's; call also ends when the recording is given up.
func (t *talk) transcribe(ctx, call context.Context, recording []byte, frame payload.Frame) error {
	language, err := t.c.Session().Language(call)
	if err != nil && call.Err() == nil {
		return err
	}
	text, err := t.c.server.cfg.Transcriber.Transcribe(call, recording, languageCode(language))
	switch {
	case errors.Is(context.Cause(call), errDropped) && !t.v1: // a reset has emptied the session
		return nil
	case errors.Is(context.Cause(call), errDropped):
		return errDropped
	case err != nil:
		return err
	}
	if frame.Message, err = payload.Marshal(text); err != nil {
		return err
	}
	if len(text) > chat.MaxTextBytes {
		return tooLong(&t.c.server.cfg)
	}
	t.send(payload.Frame{Action: payload.UserMessage, Message: frame.Message, History: true, Time: time.Now(), ID: frame.ID})
	return t.hear(ctx, frame)
}

// afterVoice keeps a client's tasks in order: they wait until its recording is
// transcribed. A reset gives the recording up, and so does a stop that names no
// turn.
func (t *talk) afterVoice(ctx context.Context, when order) {
	if t.voice == nil || when == besideRecording {
		return
	}
	if when == insteadOfRecording {
		t.voice.cancel(errDropped)
	}
	select {
	case <-t.voice.done:
		t.voice = nil
	case <-ctx.Done():
	}
}

// decodeRecording returns the recording in the message of a user_voice frame.
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

// languageCode returns the ISO 639-1 code in the name of a language, or "".
func languageCode(language string) string {
	if code := isoCode.FindStringSubmatch(strings.ToLower(language)); code != nil {
		return code[1]
	}
	return ""
}

// isoCode matches an ISO 639-1 code, alone or before a region.
var isoCode = regexp.MustCompile(`^([a-z]{2})(?:[-_]|$)`)
