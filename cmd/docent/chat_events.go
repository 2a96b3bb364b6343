package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docent/client"
)

// heard is an event of a session, or the error that ended it.
type heard struct {
	event client.Event
	err   error
}

// listen reads the events of a session until ctx ends.
func listen(ctx context.Context, s *client.Session) <-chan heard {
	events := make(chan heard)
	go func() {
		defer close(events)
		for event, err := range s.Events(ctx) {
			select {
			case events <- heard{event, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}

// ended is the error of a session that has ended.
func ended(h heard) error {
	if h.err == nil {
		return errors.New("the conversation has ended")
	}
	return fmt.Errorf("the conversation: %w", h.err)
}

// greetingWait is the time that an agent has for its greeting before the first prompt.
const greetingWait = time.Second

// greeted prints the first message of the greeting, if one comes soon.
func (c *conversation) greeted(ctx context.Context) error {
	patience := time.NewTimer(greetingWait)
	defer patience.Stop()
	for {
		select {
		case h, ok := <-c.events:
			if h.err != nil || !ok {
				return ended(h)
			}
			if reply, ok := h.event.(*client.Reply); ok {
				c.reply(reply.Entry, begun{})
				return nil
			}
		case <-patience.C:
			return nil
		case <-c.interrupts:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// replay prints the messages of a conversation that is continued.
func (c *conversation) replay(ctx context.Context) error {
	for {
		select {
		case h, ok := <-c.events:
			if h.err != nil || !ok {
				return ended(h)
			}
			switch e := h.event.(type) {
			case *client.UserMessage:
				c.say("> %s", words(e.Message))
			case *client.Reply:
				c.reply(e.Entry, begun{})
			case *client.Synced:
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// words returns the text of a user's message.
func words(message json.RawMessage) string {
	var text string
	var with struct{ Message string }
	switch {
	case json.Unmarshal(message, &text) == nil:
		return text
	case json.Unmarshal(message, &with) == nil && with.Message != "":
		return with.Message
	}
	return string(message)
}

// overhear prints an event that comes while the user types. shown is false if there is nothing to print.
func (c *conversation) overhear(h heard, ok bool) (shown bool, err error) {
	if h.err != nil || !ok {
		return false, ended(h)
	}
	switch e := h.event.(type) {
	case *client.Reply:
		fmt.Fprintln(c.std.out)
		c.reply(e.Entry, begun{})
		return true, nil
	default:
		text := c.report(h.event)
		if text == "" {
			return false, nil
		}
		fmt.Fprintln(c.std.out)
		c.say("%s", text)
		return true, nil
	}
}

// report describes an error, and the first loss of a connection until the next one. It returns "" for other events.
func (c *conversation) report(event client.Event) string {
	switch e := event.(type) {
	case *client.Error:
		return "error: " + e.Reason
	case *client.Connected:
		c.lost = false
	case *client.Disconnected:
		if !c.lost {
			c.lost = true
			return "(The connection is lost. docent connects again; Ctrl-C ends the wait.)"
		}
	}
	return ""
}
