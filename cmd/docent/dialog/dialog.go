// Package dialog holds a conversation with an agent in a terminal. It shows the
// states, the intents, and the scores of each turn.
package dialog

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"docent/agent/chat"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// DefaultPatience is how long Run waits for a sign of life of a turn before it reads
// the next message.
const DefaultPatience = 10 * time.Second

// Config configures a Dialog.
type Config struct {
	// Agent is the name that is shown before replies. Required.
	Agent string
	// Out receives the conversation. Required.
	Out io.Writer
	// Closest returns the closest intent of a text without an intent. Default: nil,
	// which shows none.
	Closest func(ctx context.Context, text string) (intent string, score float64)
	// Times shows the time and the tokens of each turn. Default: false.
	Times bool
	// Patience is how long Run waits for a sign of life of a turn. Default:
	// DefaultPatience.
	Patience time.Duration
}

// Dialog is one conversation.
type Dialog struct {
	cfg   Config
	alive chan bool // signs of life; true at the end of a turn

	mu sync.Mutex // guards Out and the following fields
	// last is the last message of the user, and sent the time at which it was sent.
	last string
	sent time.Time
	// greeted reports that the first turn was written. stored and delivered count the
	// replies so far.
	greeted           bool
	stored, delivered int
	// lines counts the calls of print.
	lines int
}

// New returns a conversation that has not begun.
func New(cfg Config) *Dialog {
	if cfg.Patience == 0 {
		cfg.Patience = DefaultPatience
	}
	return &Dialog{cfg: cfg, alive: make(chan bool, 1000)}
}

// Watch returns a store that shows the moves and the intents of the turns that are
// written to s.
func (t *Dialog) Watch(s journal.Store) journal.Store { return watched{s, t} }

// watched is a store of a conversation.
type watched struct {
	journal.Store
	dialog *Dialog
}

// CommitTurn writes a turn and shows its moves.
func (w watched) CommitTurn(ctx context.Context, r journal.TurnRecord) (journal.Written, error) {
	written, err := w.Store.CommitTurn(ctx, r)
	if err == nil && !written.Repeated {
		begins := w.dialog.wrote(len(r.Entries), !r.Partial)
		if !r.Partial {
			w.dialog.moved(ctx, r, begins)
		}
	}
	return written, err
}

// Run begins a session and sends each line of in as a message. After a message, it
// waits for the end of its turn. It returns at the end of in, or after the line
// /quit.
func (t *Dialog) Run(ctx context.Context, rt *session.Runtime, in io.Reader) error {
	sub, err := rt.Open(ctx, session.OpenRequest{AnyOwner: true, Channel: "terminal"}, t)
	if err != nil {
		return err
	}
	defer sub.Close()
	t.wait(ctx, func(bool) bool { return t.settled() }) // for the greeting
	lines := bufio.NewReader(in)
	for t.prompt(); ; t.prompt() {
		text, ok, err := read(ctx, lines)
		switch {
		case errors.Is(err, errTooLong):
			t.print("error: %s\n", fault.Message(err))
			continue
		case err != nil:
			return err
		case !ok || text == "/quit":
			t.print("\n")
			return nil
		case text == "":
			continue
		}
		for len(t.alive) > 0 { // of earlier turns
			<-t.alive
		}
		before := t.begin(text)
		content, err := payload.Marshal(text)
		if err != nil {
			return fmt.Errorf("message: %w", err)
		}
		if err := sub.Send(ctx, session.Message{Content: content, Human: true}); err != nil {
			if fault.KindOf(err) == fault.Internal {
				return err
			}
			t.print("error: %s\n", fault.Message(err))
			continue
		}
		over := t.wait(ctx, func(over bool) bool { return over })
		if !over || t.printed() == before { // the state may take no messages
			t.print("  no answer yet\n")
		}
	}
}

// errTooLong is the error of a line that is longer than a message may be.
var errTooLong = fault.New(fault.Invalid, "cli_line_too_long", "a message may have %d bytes", chat.MaxTextBytes)

// read returns the next line. It returns early if ctx ends, although the read of a
// terminal cannot be interrupted. The program then ends.
func read(ctx context.Context, lines *bufio.Reader) (text string, ok bool, err error) {
	type result struct {
		text string
		err  error
	}
	got := make(chan result, 1)
	go func() {
		text, err := line(lines)
		got <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", false, context.Cause(ctx)
	case r := <-got:
		text, err = r.text, r.err
	}
	switch {
	case errors.Is(err, io.EOF):
		return "", false, nil
	case err != nil && !errors.Is(err, errTooLong):
		return "", false, fmt.Errorf("read messages: %w", err)
	}
	return strings.TrimSpace(text), err == nil, err
}

// line reads a whole line. It keeps no more of it than a message may have.
func line(lines *bufio.Reader) (string, error) {
	var text []byte
	for more := true; more; {
		part, unfinished, err := lines.ReadLine()
		if err != nil {
			return "", err
		}
		if len(text) <= chat.MaxTextBytes {
			text = append(text, part...)
		}
		more = unfinished
	}
	if len(text) > chat.MaxTextBytes {
		return "", errTooLong
	}
	return string(text), nil
}

// wait waits until a sign of life is enough. It returns false after a time without a
// sign.
func (t *Dialog) wait(ctx context.Context, enough func(over bool) bool) bool {
	timer := time.NewTimer(t.cfg.Patience)
	defer timer.Stop()
	for {
		select {
		case over := <-t.alive:
			if enough(over) {
				return true
			}
			timer.Reset(t.cfg.Patience)
		case <-timer.C:
			return false
		case <-ctx.Done():
			return true
		}
	}
}

// wrote counts the replies of a turn in the store. It reports whether the turn is
// the first one.
func (t *Dialog) wrote(replies int, whole bool) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stored += replies
	first = whole && !t.greeted
	t.greeted = t.greeted || whole
	return first
}

// settled reports whether the session has begun and all replies are shown.
func (t *Dialog) settled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.greeted && t.delivered >= t.stored
}

// sign records a sign of life.
func (t *Dialog) sign(over bool) {
	select {
	case t.alive <- over:
	default: // nobody waits
	}
}

func (t *Dialog) prompt() { t.print("> ") }

func (t *Dialog) print(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines++
	fmt.Fprintf(t.cfg.Out, format, args...)
}

func (t *Dialog) printed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lines
}

// begin records a message and returns the number of printed lines.
func (t *Dialog) begin(text string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last, t.sent = text, time.Now()
	return t.lines
}

// moved shows the intents and the moves of a turn. begins reports that the turn
// begins the session.
func (t *Dialog) moved(ctx context.Context, r journal.TurnRecord, begins bool) {
	var b strings.Builder
	if len(r.Predictions) == 0 && r.Turn > 0 && t.cfg.Closest != nil {
		t.mu.Lock()
		r.Predictions = []chat.Prediction{{Intent: noIntent, Message: t.last}}
		t.mu.Unlock()
	}
	for _, p := range r.Predictions {
		b.WriteString("  " + t.predicted(ctx, p) + "\n")
	}
	for _, m := range r.Transitions {
		why := strings.Trim(m.Event+", "+m.Condition, ", ")
		if why == "" {
			why = "at once"
		}
		fmt.Fprintf(&b, "  state %s → %s (%s)\n", m.Source, m.Dest, why)
	}
	switch {
	case len(r.Transitions) > 0:
	case begins:
		fmt.Fprintf(&b, "  state %s\n", r.State)
	case len(r.Handled) > 0:
		fmt.Fprintf(&b, "  state %s, no transition\n", r.State)
	}
	if b.Len() > 0 {
		t.print("%s", b.String())
	}
	t.sign(false)
}

// timed shows the time and the tokens of a turn.
func (t *Dialog) timed(f payload.Frame) {
	var end payload.TurnFinished
	if !t.cfg.Times || json.Unmarshal(f.Message, &end) != nil {
		return
	}
	t.mu.Lock()
	took := time.Since(t.sent)
	t.mu.Unlock()
	text := fmt.Sprintf("  %d ms", took.Milliseconds())
	if u := end.Usage; u != nil {
		text += fmt.Sprintf(", %d tokens of prompts and %d of answers", u.PromptTokens, u.CompletionTokens)
	}
	t.print("%s\n", text)
}

// predicted describes the intent of a message.
func (t *Dialog) predicted(ctx context.Context, p chat.Prediction) string {
	if p.Intent == noIntent {
		if t.cfg.Closest != nil {
			if name, score := t.cfg.Closest(ctx, p.Message); name != noIntent {
				return fmt.Sprintf("no intent; the closest is %s, score %.2f", name, score)
			}
		}
		return "no intent"
	}
	text := fmt.Sprintf("intent %s, score %.2f", p.Intent, p.Score)
	for _, v := range p.Parameters {
		if v.Value != nil {
			text += fmt.Sprintf(", %s = %s", v.Name, *v.Value)
		}
	}
	return text
}

// Opened implements session.Listener.
func (t *Dialog) Opened(session.Opened) {}

// Deliver implements session.Listener. It shows the replies of the agent.
func (t *Dialog) Deliver(d session.Delivery) {
	f := d.Frame
	switch {
	case d.Audience == session.Plain:
	case f.Action == payload.TurnFinishedAction:
		t.timed(f)
		t.sign(true)
	case f.Action == payload.ErrorAction:
		var e payload.Error
		if json.Unmarshal(f.Message, &e) == nil {
			t.print("error: %s\n", e.Message)
		}
		t.sign(false)
	case f.Seq > 0 && strings.HasPrefix(string(f.Action), "agent_reply"):
		t.print("%s: %s\n", t.cfg.Agent, strings.ReplaceAll(Text(f.Action, f.Message), "\n", "\n  "))
		t.mu.Lock()
		t.delivered++
		t.mu.Unlock()
		t.sign(false)
	default:
		t.sign(false)
	}
}
