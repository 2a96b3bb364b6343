package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
)

// Waiting implements agent.Backend. Events that have arrived become pending.
func (t *openTurn) Waiting() []*chat.Pending {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue.arrive() {
		c.sched.eventLocked()
	}
	pending := c.queue.pendingEvents()
	out := make([]*chat.Pending, len(pending))
	for i, p := range pending {
		out[i] = p.Pending
	}
	return out
}

// Claim implements agent.Backend. It returns false if the queue no longer has the
// event, the turn is over, or the turn has taken too many events.
func (t *openTurn) Claim(event *chat.Pending, begins bool) bool {
	q := &t.c.queue
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return false
	}
	first := len(t.turns) == 0
	p := q.take(event, func(p *queuedEvent) bool {
		return first || len(t.turns) < MaxTaken && t.taken+p.size() <= MaxQueueBytes
	})
	if p == nil {
		return false
	}
	if !first { // otherwise a body that listens for long would block new events
		q.free(p)
	}
	t.turns, t.taken = append(t.turns, p.Event.Turn), t.taken+p.size()
	t.takeLocked(p, begins)
	return true
}

// MaxTaken bounds the events that one turn can take when its bodies call
// Session.ManageTransition. MaxQueueBytes bounds the total size of these events.
// Further events stay in the queue.
const MaxTaken = 1000

// takeLocked makes an event part of the turn.
func (t *openTurn) takeLocked(p *queuedEvent, begins bool) {
	if begins {
		t.number, t.began = p.Event.Turn, p
		t.record.Resumed = p.begun
	}
	t.handled = append(t.handled, p)
	if p.message.Type != "" {
		t.record.Talk = append(t.record.Talk, &p.message)
	}
}

// Say implements agent.Backend. It adds the message to the record of the turn. A flush later stores
// and sends it, at the latest the one that ends the turn.
func (t *openTurn) Say(_ context.Context, m chat.Message, silent bool) error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	if err := t.record.CheckRoom(); err != nil {
		return err //nolint:wrapcheck // the error is complete
	}
	m.Turn = t.number
	t.record.Say(m, silent)
	if after := t.c.rt.cfg.FlushAfter; !silent && after >= 0 && t.record.FlushAt.IsZero() {
		t.record.FlushAt = time.Now().Add(after)
		t.c.mail.signal()
	}
	return nil
}

// Show implements agent.Backend. It sends a frame to streaming clients without storing it.
func (t *openTurn) Show(action payload.Action, message any) error {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	n := t.record.Count()
	if len(c.clients.list) > 0 {
		d := c.rt.turnFrame(t.number, action, message)
		d.Frame.N = n
		c.clients.deliverLocked(d)
	}
	if d, ok := message.(payload.Delta); ok {
		t.record.Stream(d.Text)
	}
	return nil
}

// Draft implements agent.Backend.
func (t *openTurn) Draft(text string, answer *payload.RAGMessage) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if answer == nil {
		t.record.Discard()
		return
	}
	t.record.Begin(text, *answer)
}

// Reason implements agent.Backend.
func (t *openTurn) Reason(_ context.Context, r chat.Reasoning, silent bool) error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	r.Turn = t.number
	e, err := t.record.Think(r, silent)
	if err == nil && !silent {
		t.provisionalStepLocked(e)
	}
	return err //nolint:wrapcheck // the error is complete
}

// provisionalStepLocked sends a step before it is stored. Plain clients receive it only once. If
// they lack an earlier reply that is not stored yet, they receive the step later.
func (t *openTurn) provisionalStepLocked(e *journal.Drafted) {
	c := t.c
	frame, ok := journal.StepFrame(*e.Step)
	if !ok {
		return
	}
	frame.N = t.record.Count()
	c.clients.deliverLocked(Delivery{Audience: Streaming, Frame: frame})
	if !t.record.Silent() {
		return
	}
	e.Shown = true
	frame.N = 0
	c.clients.deliverLocked(Delivery{Audience: Plain, Frame: frame})
}

// Link implements agent.Backend.
func (t *openTurn) Link() error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.over {
		return agent.ErrOver
	}
	t.record.Link(t.asked())
	return nil
}

// Reasoned implements agent.Backend.
func (t *openTurn) Reasoned(ctx context.Context, until time.Time) ([]chat.Reasoning, error) {
	c := t.c
	var out []chat.Reasoning
	// The owner reads, because a concurrent write could add steps twice or hide them.
	err := c.mail.ask(ctx, t, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		var err error
		out, err = c.rt.cfg.Store.Steps(ctx, c.store.Session, journal.MessageQuery{Until: until, Last: c.rt.cfg.limits.Replay})
		if err != nil {
			return fmt.Errorf("steps of session %s: %w", c.key.ID, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		out = t.record.Steps(out, until)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out[max(0, len(out)-c.rt.cfg.limits.Replay):], nil
}

// History implements agent.Backend.
func (t *openTurn) History(ctx context.Context, q agent.HistoryQuery) ([]chat.Message, error) {
	t.c.mu.Lock()
	own := make([]chat.Message, len(t.record.Talk))
	for i, m := range t.record.Talk {
		own[i] = *m
	}
	t.c.mu.Unlock()
	cfg := &t.c.rt.cfg
	if q.Before {
		n := q.Last
		if n == 0 {
			n = cfg.History
		}
		return t.before(ctx, n, own, q.Until)
	}
	limit := t.c.rt.cfg.limits.Replay
	if q.Last > 0 {
		limit = min(limit, q.Last)
	}
	var out []chat.Message
	missing := limit - len(own)
	if !q.Until.IsZero() { // messages of the turn itself may be excluded
		missing = limit
	}
	if missing > 0 {
		var err error
		if out, err = t.before(ctx, missing, own, q.Until); err != nil {
			return nil, err
		}
	}
	for _, m := range own {
		if q.Until.IsZero() || !m.Time.After(q.Until) {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-limit):], nil
}

// Documents implements agent.DocumentBackend.
func (t *openTurn) Documents(ctx context.Context) ([]agent.SessionDocument, error) {
	stored, err := t.c.store.Documents(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the session
	}
	out := make([]agent.SessionDocument, len(stored))
	for i, d := range stored {
		if err := json.Unmarshal(d.Content, &out[i]); err != nil {
			return nil, fmt.Errorf("document %d of session %s: %w", d.ID, t.c.key.ID, err)
		}
		out[i].Turn = d.Turn
	}
	return out, nil
}

// stored returns the documents as the store keeps them.
func stored(documents []agent.SessionDocument) ([]journal.Document, error) {
	out := make([]journal.Document, len(documents))
	for i, d := range documents {
		content, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("document of the session: %w", err)
		}
		out[i].Content = content
	}
	return out, nil
}

// before returns the last n messages before the turn. own are the messages of the turn.
func (t *openTurn) before(ctx context.Context, n int, own []chat.Message, until time.Time) ([]chat.Message, error) {
	c := t.c
	skip := map[int64]bool{} // turns of waiting messages
	c.mu.Lock()
	for _, p := range c.queue.waiting() {
		skip[p.Event.Turn] = true
	}
	latest := c.latest // later messages come after this turn
	c.mu.Unlock()
	if known := t.known(); known != nil && len(skip) == 0 && until.IsZero() && (n <= len(known) || len(known) < c.rt.cfg.History) {
		return slices.Clone(known[max(0, len(known)-n):]), nil
	}
	ids := map[int64]bool{}
	for _, m := range own {
		ids[m.ID] = true
	}
	arriving := cap(c.queue.slots)
	all, err := c.store.Messages(ctx, journal.MessageQuery{
		Last: n + len(skip) + len(own) + arriving, Until: until, MaxContent: chat.MaxHistoryContent,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the session
	}
	out := all[:0]
	for _, m := range all {
		if !skip[m.Turn] && !ids[m.ID] && m.Turn <= latest {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-n):], nil
}

// known returns the messages before the turn if they were read with its message and nothing was
// written since. Otherwise it returns nil.
func (t *openTurn) known() []chat.Message {
	if t.began == nil || t.began.mark != t.commits {
		return nil
	}
	if t.began.history == nil {
		return []chat.Message{}
	}
	return t.began.history
}
