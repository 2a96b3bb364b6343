package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/agent/chat"
	"docent/internal/fault"
	"docent/payload"
)

// ErrTooLong is the cause of an error about a text that is too long.
var ErrTooLong = errors.New("message too long")

// ErrContent is the cause of an error about JSON that cannot be stored; see agent.CheckJSON.
var ErrContent = errors.New("content that cannot be stored")

// ErrNoChoice is the cause of a fault.NotFound about a collection or a model that
// a message names.
var ErrNoChoice = errors.New("no such collection or model")

// CheckName fails with fault.Invalid for a name that cannot be stored. what names it in the error.
func CheckName(what, name string) error {
	if len(name) > MaxNameBytes {
		return fault.New(fault.Invalid, "name_too_long", "%s may have at most %d bytes", what, MaxNameBytes)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.New(fault.Invalid, "name_not_plain", "%s must be plain text without control characters", what)
	}
	return nil
}

// CheckEvent fails with fault.Invalid for an event without a name or with data that is not JSON.
func CheckEvent(e *chat.Event) error {
	if e.Name == "" {
		return fault.New(fault.Invalid, "event_without_name", "an event needs a name")
	}
	if len(e.Data) > 0 && !json.Valid(e.Data) {
		return fault.New(fault.Invalid, "event_data_not_json", "the data of event %q is not JSON", e.Name)
	}
	return CheckName("the name of an event", e.Name)
}

// CheckContent fails with fault.Invalid if the text of an event is too long or its JSON cannot be
// stored. content is the content of its message, or nil.
func CheckContent(e *chat.Event, content json.RawMessage) error {
	if len(e.Text) > chat.MaxTextBytes {
		return fault.Wrap(fault.Invalid, ErrTooLong,
			"message_too_long", "a message may have at most %d bytes of text; this one has %d", chat.MaxTextBytes, len(e.Text))
	}
	for _, raw := range []json.RawMessage{content, e.Data} {
		if len(raw) == 0 || e.File != nil { // docent writes the text of a file
			continue
		}
		if err := chat.CheckJSON(raw); err != nil {
			return &fault.Fault{Kind: fault.Invalid, Text: fault.TextOf(err), Err: ErrContent}
		}
	}
	return nil
}

// HasOptions reports whether an event is a text with options, which arrives as an object.
func HasOptions(e *chat.Event) bool { return e.Name == chat.EventText && e.JSON != nil }

// ChatType returns the type under which the store keeps the message of an event, or "" without a
// message.
func ChatType(e *chat.Event) string {
	switch e.Name {
	case chat.EventText:
		if HasOptions(e) {
			return payload.TypeJSON
		}
		return payload.TypeStr
	case chat.EventMessage:
		return payload.TypeJSON
	case chat.EventFile:
		return payload.TypeFile
	default:
		return ""
	}
}

// Dispatched returns the event to store for an event of a program, and the content of its message,
// or nil. It fails with fault.Invalid for an incomplete event.
func Dispatched(e chat.Event) (event chat.Event, content json.RawMessage, err error) {
	if err := CheckEvent(&e); err != nil {
		return event, nil, err
	}
	switch {
	case e.Name == chat.EventText:
		content = chat.JSONString(e.Text)
		event = chat.MessageEvent(content)
	case e.Name == chat.EventMessage:
		content = e.JSON
		event = chat.MessageEvent(content)
	case e.Name == chat.EventFile && e.File != nil:
		content = chat.JSONString(e.File.Text())
		event = chat.Event{Name: chat.EventFile, Text: e.File.Name, File: e.File}
	case e.Name == chat.EventFile:
		return event, nil, fault.New(fault.Invalid, "file_event_without_file", "a file event needs a file")
	default:
		event = chat.Event{Name: e.Name, Text: e.Text, Data: e.Data}
	}
	if e.Name == chat.EventMessage && event.JSON == nil {
		return event, nil, fault.New(fault.Invalid, "json_message_not_object", "a JSON message needs an object")
	}
	event.Human, event.From, event.Correlation, event.Hops = e.Human, e.From, e.Correlation, e.Hops
	return event, content, nil
}

// CheckOptions checks the options of a text. It fails with fault.Invalid if they are malformed, and
// with fault.NotFound (ErrNoChoice) if they name a missing model or collection. Without choices, it
// accepts all names.
func CheckOptions(
	ctx context.Context, e *chat.Event, content json.RawMessage, choices func(context.Context) (chat.Choices, error),
) error {
	if !HasOptions(e) {
		return nil
	}
	o, err := payload.ReadAskOptions(content)
	if err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	if o.Model == "" && len(o.Collections) == 0 || choices == nil {
		return nil
	}
	there, err := choices(ctx)
	if err != nil {
		return fmt.Errorf("what a message may name: %w", err)
	}
	if o.Model != "" && !slices.Contains(there.Models, o.Model) {
		return fault.Wrap(fault.NotFound, ErrNoChoice, "no_model", "there is no model %.64q here", o.Model)
	}
	for _, name := range o.Collections {
		if !slices.Contains(there.Collections, name) {
			return fault.Wrap(fault.NotFound, ErrNoChoice, "no_collection", "there is no collection %.64q", name)
		}
	}
	return nil
}
