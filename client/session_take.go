package client

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"docent/internal/fault"
	"docent/payload"
)

// frame is a frame of the server as it is read.
type frame struct {
	Action    payload.Action  `json:"action"`
	Message   json.RawMessage `json:"message"`
	History   bool            `json:"history"`
	Timestamp string          `json:"timestamp"`
	Seq       int64           `json:"seq"`
	ID        string          `json:"id"`
	Turn      int64           `json:"turn"`
	Replaces  int64           `json:"replaces"`
	N         int64           `json:"n"`
	Sender    string          `json:"sender"`
}

func (f frame) entry() Entry {
	e := Entry{
		Seq: f.Seq, Turn: f.Turn, Action: f.Action, Message: f.Message, ID: f.ID, Replaces: f.Replaces,
		Sender: f.Sender, History: f.History,
	}
	if at, err := time.ParseInLocation(payload.TimeLayout, f.Timestamp, time.Local); err == nil {
		e.Time = at
	}
	return e
}

// errGap ends a connection on which a stored frame is missing: the next one
// asks for it.
var errGap = fault.New(fault.Unavailable, "the server left something out")

// take does what a frame of the server says; an error ends the connection.
func (s *Session) take(f frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch f.Action {
	case payload.WelcomeAction:
		return read(f, s.welcomed)
	case payload.SyncedAction:
		return read(f, s.synced)
	case payload.SessionResetAction:
		return read(f, s.emptied)
	case payload.AckAction:
		return read(f, func(a payload.Ack) error { return s.acked(f, a) })
	case payload.FeedbackStoredAction:
		return read(f, func(stored payload.FeedbackStored) error {
			s.answered(f.ID, payload.FeedbackAction, Receipt{ID: f.ID, Turn: stored.Turn})
			return nil
		})
	case payload.ErrorAction:
		return read(f, func(e payload.Error) error { return s.failed(f, e) })
	case payload.UserMessage, payload.UserFile, payload.UserVoice:
		return s.said(f)
	case payload.TurnFinishedAction:
		return read(f, func(t payload.TurnFinished) error {
			s.finished(&TurnFinished{Turn: f.Turn, Outcome: t.Outcome, Usage: t.Usage})
			return nil
		})
	}
	e, err := f.event()
	if e == nil || err != nil {
		return err
	}
	return s.add(e)
}

// read decodes a frame's message and does something with it. What cannot be
// read is passed over, as what is not known; if it is stored it is missed.
func read[T any](f frame, do func(T) error) error {
	var message T
	if json.Unmarshal(f.Message, &message) != nil {
		return nil //nolint:nilerr // see above
	}
	return do(message)
}

// event is what a frame tells that is of no account to the session itself; nil
// if that is nothing.
func (f frame) event() (e Event, err error) {
	switch f.Action {
	case payload.DeltaAction:
		err = read(f, func(d payload.Delta) error { e = &Delta{Turn: f.Turn, N: f.N, Text: d.Text}; return nil })
	case payload.StatusAction:
		err = read(f, func(d payload.Status) error { e = &Status{Turn: f.Turn, N: f.N, Phase: d.Phase}; return nil })
	case payload.TurnSnapshotAction:
		err = read(f, func(t payload.TurnSnapshot) error { e = &Snapshot{t}; return nil })
	case payload.ReplyReasoningStep:
		step := &Step{Entry: f.entry(), N: f.N}
		_ = json.Unmarshal(f.Message, &step.Step) // of a newer kind: Message has it
		e = step
	case payload.ReplyTaskList:
		tasks := &TasksUpdated{Entry: f.entry(), N: f.N}
		_ = json.Unmarshal(f.Message, &tasks.Tasks)
		e = tasks
	default:
		if f.Seq != 0 || strings.HasPrefix(string(f.Action), "agent_reply_") {
			e = &Reply{f.entry()}
		}
	}
	return e, err
}

// add takes what may be stored, to those who wait for it.
func (s *state) add(e Event) error {
	entry := e.stored()
	if entry != nil {
		if s.line.live && entry.Seq > s.line.seq+1 {
			return errGap
		}
		s.line.seq = max(s.line.seq, entry.Seq)
		for _, w := range s.watches {
			w.hear(e, entry)
		}
	}
	s.queue.add(e)
	return nil
}

func (s *state) welcomed(w payload.Welcome) error {
	s.id, s.limits = w.SessionID, w.Limits
	had := max(s.line.seq, s.queue.seq)
	switch {
	case !s.line.asked:
		s.line.seq, s.queue.seq, s.reset = w.Seq, w.Seq, w.ResetSeq
	case w.Seq < had: // another database's
		s.queue.add(&SessionReset{Seq: had})
		s.line.seq, s.queue.seq, s.reset = 0, 0, w.ResetSeq
		s.forget(had)
	case w.ResetSeq > s.reset:
		if s.queue.seq > 0 {
			s.queue.add(&SessionReset{Seq: w.ResetSeq})
		}
		s.reset = w.ResetSeq
		s.forget(w.ResetSeq)
	}
	s.queue.add(&Connected{w})
	if !s.isOpen() {
		close(s.opened)
	}
	return nil
}

// forget ends what waits for things that are gone, or for their end.
func (s *state) forget(seq int64) {
	for s.answered("", payload.Reset, Receipt{Seq: seq}) {
	}
	for _, w := range slices.Clone(s.watches) {
		if w.receipt.Seq <= seq {
			s.unwatch(w, payload.Failed, nil)
		}
	}
}

func (s *state) emptied(r payload.SessionReset) error {
	s.queue.add(&SessionReset{Seq: r.Seq})
	s.reset = max(s.reset, r.Seq)
	s.forget(r.Seq)
	s.passed(r.Seq)
	return nil
}

// passed notes that nothing with that number or less will come.
func (s *state) passed(seq int64) {
	s.line.seq = max(s.line.seq, seq)
	if !s.queue.behind {
		s.queue.seq = max(s.queue.seq, seq)
	}
}

func (s *state) synced(y payload.Synced) error {
	still := map[int64]bool{}
	for _, turn := range y.Turns {
		still[turn.Turn] = true
	}
	for _, w := range slices.Clone(s.watches) {
		if !still[w.receipt.Turn] {
			s.unwatch(w, outcome(w.failure != nil), nil)
		}
	}
	for _, turn := range slices.Sorted(maps.Keys(s.queue.open)) {
		if !still[turn] {
			s.queue.add(&TurnFinished{Turn: turn, Outcome: outcome(s.queue.open[turn]), Missed: true})
		}
	}
	s.queue.add(&Synced{y})
	s.passed(y.Seq)
	s.line.live = true
	signal(s.wake)
	return nil
}

// outcome is how a turn ended of which nobody told.
func outcome(failed bool) payload.Outcome {
	if failed {
		return payload.Failed
	}
	return payload.Done
}

// said takes a user's message; an own one that comes so was stored before the
// connection was lost.
func (s *state) said(f frame) error {
	own := s.answered(f.ID, "", Receipt{ID: f.ID, Seq: f.Seq, Turn: f.Turn})
	if err := s.add(&UserMessage{f.entry()}); err != nil {
		return err
	}
	s.begun(own, f.Turn)
	return nil
}

// acked takes an acknowledgement; that of a message stands for it.
func (s *state) acked(f frame, a payload.Ack) error {
	if a.Seq == 0 {
		if a.ID != "" {
			s.answered(a.ID, payload.AckAction, Receipt{ID: a.ID})
		}
		return nil
	}
	r := s.request(a.ID)
	f.Seq, f.ID = a.Seq, a.ID
	if a.Seq > s.line.seq {
		if r == nil {
			return errGap // who said it is not here any more
		}
		e := UserMessage{f.entry()}
		e.Action, e.Message = r.content()
		if err := s.add(&e); err != nil {
			return err
		}
	}
	s.answered(a.ID, "", Receipt{ID: a.ID, Seq: a.Seq, Turn: f.Turn, Duplicate: a.Duplicate})
	s.begun(a.Duplicate, f.Turn)
	return nil
}

// begun notes that the reader of Events waits for a turn's end, although its
// message was stored before.
func (s *state) begun(own bool, turn int64) {
	if own && !s.queue.behind {
		s.queue.note(&UserMessage{Entry{Turn: turn}})
	}
}

// failed takes an error: of a request, or of a turn.
func (s *state) failed(f frame, p payload.Error) error {
	id := p.ID
	if id == "" {
		id = f.ID
	}
	e := &Error{Entry: f.entry(), Code: p.Code, Reason: p.Message, Retryable: p.Retryable}
	if f.Seq == 0 && s.refused(id, e) {
		return nil
	}
	if !s.line.live {
		s.line.refusal = e
	}
	if f.Seq == 0 {
		for _, w := range s.watches {
			if f.Turn != 0 && w.receipt.Turn == f.Turn {
				w.failure = e
			}
		}
	}
	return s.add(e)
}

// finished ends a turn.
func (s *state) finished(t *TurnFinished) {
	for _, w := range slices.Clone(s.watches) {
		if w.receipt.Turn == t.Turn {
			s.unwatch(w, t.Outcome, t.Usage)
		}
	}
	s.queue.add(t)
}
