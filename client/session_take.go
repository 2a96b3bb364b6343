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

// frame is a decoded frame of the server.
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

// errGap ends a connection that missed a stored frame. The next connection
// requests it.
var errGap = fault.New(fault.Unavailable, "client_gap", "messages of the server are missing")

// take processes a frame of the server. An error ends the connection.
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
	case payload.TurnsShownAction:
		return read(f, func(shown payload.TurnsShown) error {
			s.queue.add(&TurnsShown{shown})
			s.answered(f.ID, payload.ShowAction, Receipt{ID: f.ID})
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

// read decodes the message of a frame and passes it on. Unreadable messages are
// ignored like unknown ones; a stored one then counts as missed.
func read[T any](f frame, do func(T) error) error {
	var message T
	if json.Unmarshal(f.Message, &message) != nil {
		return nil //nolint:nilerr // see above
	}
	return do(message)
}

// event returns the event of a frame that does not change the session; nil if
// there is none.
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
		_ = json.Unmarshal(f.Message, &step.Step) // unknown kinds stay in Message
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

// add passes an event, which may be stored, to the waiting calls and to the
// queue.
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
	case w.Seq < had: // the server has another database
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

// forget stops waiting for entries that a reset has removed, and for their turns.
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

// passed notes that no entry up to a number will come.
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

// outcome returns the outcome of a turn whose end was missed.
func outcome(failed bool) payload.Outcome {
	if failed {
		return payload.Failed
	}
	return payload.Done
}

// said processes a message of the user. An own message that comes this way was
// stored before the connection was lost.
func (s *state) said(f frame) error {
	own := s.answered(f.ID, "", Receipt{ID: f.ID, Seq: f.Seq, Turn: f.Turn})
	if err := s.add(&UserMessage{f.entry()}); err != nil {
		return err
	}
	s.begun(own, f.Turn)
	return nil
}

// acked processes an acknowledgment, which replaces the message itself.
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
			return errGap // the request no longer exists
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

// begun notes that the reader of Events waits for the end of a turn whose
// message was stored before.
func (s *state) begun(own bool, turn int64) {
	if own && !s.queue.behind {
		s.queue.note(&UserMessage{Entry{Turn: turn}})
	}
}

// failed processes the error of a request or of a turn.
func (s *state) failed(f frame, p payload.Error) error {
	e := &Error{Entry: f.entry(), Code: p.Code, Reason: p.Message, Sentence: p.Sentence, Retryable: p.Retryable}
	if f.Seq == 0 && s.refused(f.ID, e) {
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

// finished processes the end of a turn.
func (s *state) finished(t *TurnFinished) {
	for _, w := range slices.Clone(s.watches) {
		if w.receipt.Turn == t.Turn {
			s.unwatch(w, t.Outcome, t.Usage)
		}
	}
	s.queue.add(t)
}
