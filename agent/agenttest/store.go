// Package agenttest helps to test agents. It has a store in memory and answers from a script.
package agenttest

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"docent/agent"
	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// Operation names a method of journal.Store for Store.SetBefore.
type Operation string

// The operations.
const (
	// Open is the method OpenSession.
	Open Operation = "open"
	// Receive is the method Receive.
	Receive Operation = "receive"
	// Commit is the method CommitTurn.
	Commit Operation = "commit"
	// Messages is the method Messages.
	Messages Operation = "messages"
	// Steps is the method Steps.
	Steps Operation = "steps"
	// Alarms is the method Alarms.
	Alarms Operation = "alarms"
	// Reset is the method ResetSession.
	Reset Operation = "reset"
	// Documents is the method SessionDocuments.
	Documents Operation = "documents"
	// DeleteUnused is the method DeleteUnused.
	DeleteUnused Operation = "delete unused"
)

// Store is a journal.Store in memory.
type Store struct {
	mu       sync.Mutex // guards the following fields
	sessions []*stored  // by row id
	names    map[journal.SessionKey]*stored
	ids      int64 // of events
	calls    map[Operation]int
	before   func(ctx context.Context, op Operation) error
}

type stored struct {
	record      journal.SessionRecord
	entries     []journal.Entry
	hidden      []payload.TurnRange
	parents     map[int64]int64 // of turns after ShowTurn
	events      []event
	transitions []chat.Transition
	predictions []chat.Prediction
	documents   []journal.Document
	taken       int64  // the id of the event taken last
	key         string // of the last commit
	before      int64  // the seq before it
}

type event struct {
	journal.EventRecord
	handled  bool
	clientID string // of an event without a message
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{calls: map[Operation]int{}} }

// SetBefore makes each operation call f at its start, until the next SetBefore. The operation fails
// with the error of f. f may block, and may be nil.
func (s *Store) SetBefore(f func(ctx context.Context, op Operation) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// enter counts a call and calls the function of SetBefore.
func (s *Store) enter(ctx context.Context, op Operation) error {
	s.mu.Lock()
	s.calls[op]++
	before := s.before
	s.mu.Unlock()
	if before != nil {
		if err := before(ctx, op); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Calls counts the calls of an operation.
func (s *Store) Calls(op Operation) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[op]
}

// find returns a session by its row id.
func (s *Store) find(id int64) (*stored, error) {
	if id < 1 || id > int64(len(s.sessions)) || s.sessions[id-1] == nil {
		return nil, fault.New(fault.NotFound, "no_session_number", "there is no session %d", id)
	}
	return s.sessions[id-1], nil
}

// OpenSession implements journal.Store.
func (s *Store) OpenSession(ctx context.Context, record journal.SessionRecord) (journal.SessionRecord, bool, error) {
	if err := s.enter(ctx, Open); err != nil {
		return journal.SessionRecord{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if have := s.names[record.Key]; have != nil {
		out := have.record
		out.Variables = maps.Clone(out.Variables)
		out.Pending, out.Last, out.Hidden = have.pending(), have.last(), have.hidden
		return out, false, nil
	}
	record.RowID = int64(len(s.sessions) + 1)
	s.sessions = append(s.sessions, &stored{record: record})
	if s.names == nil {
		s.names = map[journal.SessionKey]*stored{}
	}
	s.names[record.Key] = s.sessions[record.RowID-1]
	return record, true, nil
}

// last returns the last consumed event, without large contents.
func (s *stored) last() journal.EventRecord {
	i := slices.IndexFunc(s.events, func(e event) bool { return e.ID == s.taken })
	if i < 0 {
		return journal.EventRecord{}
	}
	r := s.events[i].EventRecord
	if s.replaced(r.Turn) {
		return journal.EventRecord{}
	}
	for _, content := range []*json.RawMessage{&r.Data, &r.Message.Content} {
		if len(*content) > chat.MaxHistoryContent {
			*content = nil
		}
	}
	return r
}

// pending returns the events that no turn has handled.
func (s *stored) pending() []journal.EventRecord {
	var out []journal.EventRecord
	for _, e := range s.events {
		if e.handled || s.replaced(e.Turn) {
			continue
		}
		r := e.EventRecord
		r.Begun = slices.ContainsFunc(s.entries, func(x journal.Entry) bool {
			return turnOf(x) == r.Turn && (x.Message == nil || !x.Message.IsUser)
		})
		out = append(out, r)
	}
	return out
}

func turnOf(e journal.Entry) int64 {
	if e.Message != nil {
		return e.Message.Turn
	}
	return e.Step.Turn
}

// messages returns the messages among the entries.
func (s *stored) messages() []agent.ChatMessage {
	var out []agent.ChatMessage
	for _, e := range s.entries {
		if e.Message != nil {
			out = append(out, *e.Message)
		}
	}
	return out
}

// conversation returns the messages that were not replaced.
func (s *stored) conversation() []agent.ChatMessage {
	return slices.DeleteFunc(s.messages(), func(m agent.ChatMessage) bool { return s.replaced(m.Turn) })
}

// replaced reports whether a turn is no longer part of the conversation.
func (s *stored) replaced(turn int64) bool {
	return payload.InTurns(s.hidden, turn)
}

// Receive implements journal.Store.
func (s *Store) Receive(ctx context.Context, in journal.Incoming) (journal.Receipt, error) {
	if err := s.enter(ctx, Receive); err != nil {
		return journal.Receipt{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(in.Session)
	if err != nil {
		return journal.Receipt{}, err
	}
	if err := checkAll(in.Event.Data, in.Event.Origin); err != nil {
		return journal.Receipt{}, err
	}
	if in.Type != "" {
		if err := chat.CheckJSON(in.Content); err != nil {
			return journal.Receipt{}, err
		}
	}
	history := have.conversation()
	for _, e := range have.events {
		id := e.Message.ClientID
		if in.Type == "" {
			id = e.clientID
		}
		if in.ClientID == "" || id != in.ClientID {
			continue
		}
		if in.Type == "" {
			return journal.Receipt{Event: e.EventRecord, Duplicate: true, History: light(history[max(0, len(history)-in.History):])}, nil
		}
		i, _ := slices.BinarySearchFunc(history, e.Message.Seq, func(m agent.ChatMessage, seq int64) int { return cmp.Compare(m.Seq, seq) })
		known := e.EventRecord
		known.Handled = e.handled
		return journal.Receipt{Event: known, Duplicate: true, History: light(history[max(0, i-in.History):i])}, nil
	}
	if err := have.replaceable(in.Replaces); err != nil {
		return journal.Receipt{}, err
	}
	r := in.Event
	have.record.Turn++
	s.ids++
	r.ID, r.Turn, r.Message, r.Begun = s.ids, have.record.Turn, agent.ChatMessage{}, false
	if in.Type != "" {
		have.record.Seq++
		r.Message = agent.ChatMessage{
			ID: have.record.Seq, Seq: have.record.Seq, Turn: r.Turn, ClientID: in.ClientID,
			Type: in.Type, Content: slices.Clone(in.Content), IsUser: true, Replaces: in.Replaces, Sender: in.Sender, Time: r.Time,
		}
		m := r.Message
		if in.Replaces > 0 {
			have.hidden = append(slices.Clip(have.hidden), payload.TurnRange{First: in.Replaces, Until: r.Turn})
		}
		have.entries = append(have.entries, journal.Entry{Message: &m})
		if len(r.Data) == 0 { // data that equals the content is not stored
			r.Data = m.Content
		}
	}
	stored := event{EventRecord: r}
	if in.Type == "" {
		stored.clientID = in.ClientID
	}
	have.events = append(have.events, stored)
	history = slices.DeleteFunc(history, func(m agent.ChatMessage) bool { return have.replaced(m.Turn) })
	return journal.Receipt{Event: r, History: light(history[max(0, len(history)-in.History):])}, nil
}

// CommitTurn implements journal.Store.
func (s *Store) CommitTurn(ctx context.Context, turn journal.TurnRecord) (journal.Written, error) {
	if err := s.enter(ctx, Commit); err != nil {
		return journal.Written{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(turn.Session)
	if err != nil {
		return journal.Written{}, err
	}
	for _, e := range turn.Entries {
		if e.Message != nil {
			err = chat.CheckJSON(e.Message.Content)
		} else {
			err = chat.CheckJSON(e.Step.Payload)
		}
		if err != nil {
			return journal.Written{}, err
		}
	}
	if err := cmp.Or(checkAll(slices.Collect(maps.Values(turn.Set))...), checkDocuments(turn.Documents)); err != nil {
		return journal.Written{}, err
	}
	if turn.Key != "" && turn.Key == have.key {
		var written []journal.Entry
		for _, e := range have.entries {
			if e.Seq() > have.before && len(written) < len(turn.Entries) {
				written = append(written, copied(e))
			}
		}
		return journal.Written{Entries: written}, nil
	}
	if turn.Turn > 0 && have.committed(turn) {
		return journal.Written{Repeated: true, Entries: have.of(turn.Turn)}, nil
	}
	have.key, have.before = turn.Key, have.record.Seq
	written := have.write(turn)
	if turn.Partial { // a failed turn that runs again is pending again
		have.handle(false, func(e event) bool { return turn.Turn > 0 && e.Turn == turn.Turn })
		return journal.Written{Entries: written}, nil
	}
	have.link(turn, written)
	have.handle(true, func(e event) bool { return slices.Contains(turn.Handled, e.ID) })
	have.transitions = append(have.transitions, turn.Transitions...)
	have.predictions = append(have.predictions, turn.Predictions...)
	have.record.State, have.record.EnteredAt, have.record.WakeAt = turn.State, turn.EnteredAt, turn.WakeAt
	if turn.Last != 0 {
		have.taken = turn.Last
	}
	if have.record.Variables == nil {
		have.record.Variables = map[string]json.RawMessage{}
	}
	maps.Copy(have.record.Variables, turn.Set)
	for _, key := range turn.Delete {
		delete(have.record.Variables, key)
	}
	s.keep(have, turn)
	return journal.Written{Entries: written}, nil
}

// checkAll refuses content that no store accepts.
func checkAll(all ...json.RawMessage) error {
	for _, raw := range all {
		if len(raw) == 0 {
			continue
		}
		if err := chat.CheckJSON(raw); err != nil {
			return err
		}
	}
	return nil
}

// handle marks events as handled.
func (s *stored) handle(handled bool, which func(event) bool) {
	for i := range s.events {
		if which(s.events[i]) {
			s.events[i].handled = handled
		}
	}
}

// committed reports whether a turn is already done or was removed.
func (s *stored) committed(turn journal.TurnRecord) bool {
	i := slices.IndexFunc(s.events, func(e event) bool { return e.Turn == turn.Turn })
	if i < 0 {
		return true
	}
	if !s.events[i].handled {
		return false
	}
	before := journal.TurnRecord{Entries: s.of(turn.Turn)}
	return !before.Failed() || turn.Failed()
}

// of returns the entries of a turn, except the user's message.
func (s *stored) of(turn int64) []journal.Entry {
	var out []journal.Entry
	for _, e := range s.entries {
		if turnOf(e) == turn && (e.Message == nil || !e.Message.IsUser) {
			out = append(out, copied(e))
		}
	}
	return out
}

// copied returns a deep copy of an entry.
func copied(e journal.Entry) journal.Entry {
	if e.Message != nil {
		m := *e.Message
		return journal.Entry{Message: &m}
	}
	r := *e.Step
	return journal.Entry{Step: &r, Answer: e.Answer}
}

// write stores and returns the entries of a turn.
func (s *stored) write(turn journal.TurnRecord) []journal.Entry {
	var written []journal.Entry
	for _, e := range turn.Entries {
		e = copied(e)
		s.record.Seq++
		if e.Message != nil {
			e.Message.ID, e.Message.Seq, e.Message.Turn = s.record.Seq, s.record.Seq, turn.Turn
		} else {
			e.Step.ID, e.Step.Seq, e.Step.Turn = s.record.Seq, s.record.Seq, turn.Turn
		}
		written = append(written, e)
	}
	for _, e := range written {
		if e.Answer > 0 {
			e.Step.ChatID = written[e.Answer-1].Message.ID
		}
	}
	for _, e := range written {
		s.entries = append(s.entries, copied(e))
	}
	return written
}

// link gives earlier steps of a turn their message.
func (s *stored) link(turn journal.TurnRecord, written []journal.Entry) {
	have := s.record.Seq - int64(len(written)) + 1
	for _, l := range turn.Links {
		if l.Answer > 0 {
			l.Chat = written[l.Answer-1].Message.ID
		}
		for _, e := range s.entries {
			if e.Step != nil && e.Step.Turn == turn.Turn && e.Step.ChatID == 0 && (l.Step == e.Step.ID || l.Step == 0 && e.Step.Seq < have) {
				e.Step.ChatID = l.Chat
			}
		}
	}
}

// Messages implements journal.Store.
func (s *Store) Messages(ctx context.Context, id int64, q journal.MessageQuery) ([]agent.ChatMessage, error) {
	if err := s.enter(ctx, Messages); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return nil, err
	}
	var out []agent.ChatMessage
	for _, m := range have.messages() {
		if have.selected(q, m.Seq, m.Turn, m.Time) {
			out = append(out, m)
		}
	}
	return page(out, q, func(m *agent.ChatMessage) *json.RawMessage { return &m.Content }), nil
}

// Steps implements agent.Reasonings.
func (s *Store) Steps(ctx context.Context, id int64, q journal.MessageQuery) ([]chat.Reasoning, error) {
	if err := s.enter(ctx, Steps); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return nil, err
	}
	var out []chat.Reasoning
	for _, e := range have.entries {
		if e.Step != nil && have.selected(q, e.Step.Seq, e.Step.Turn, e.Step.Time) {
			out = append(out, *e.Step)
		}
	}
	return page(out, q, func(r *chat.Reasoning) *json.RawMessage { return &r.Payload }), nil
}

func (s *stored) selected(q journal.MessageQuery, seq, turn int64, at time.Time) bool {
	return (q.Replaced || q.Turn != 0 || !s.replaced(turn)) &&
		seq > q.After && (q.Before == 0 || seq < q.Before) &&
		(q.Turn == 0 || turn == q.Turn) && (q.Until.IsZero() || !at.After(q.Until))
}

// page limits items to a query.
func page[T any](list []T, q journal.MessageQuery, content func(*T) *json.RawMessage) []T {
	if q.Last > 0 && len(list) > q.Last {
		list = list[len(list)-q.Last:]
	}
	bytes := 0
	for i := range list {
		c := content(&list[i])
		if bytes += len(*c); q.Bytes > 0 && bytes > q.Bytes && i > 0 {
			return list[:i]
		}
		if q.MaxContent > 0 && len(*c) > q.MaxContent {
			*c = nil
		}
	}
	return list
}

// light returns messages without large contents.
func light(messages []agent.ChatMessage) []agent.ChatMessage {
	return page(messages, journal.MessageQuery{MaxContent: chat.MaxHistoryContent},
		func(m *agent.ChatMessage) *json.RawMessage { return &m.Content })
}

// Alarms implements agent.Alarms.
func (s *Store) Alarms(ctx context.Context, name string, after time.Time, limit int) ([]journal.Alarm, error) {
	if err := s.enter(ctx, Alarms); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []journal.Alarm
	for _, have := range s.names {
		if have.record.Key.Agent == name && !have.record.WakeAt.IsZero() && !have.record.WakeAt.Before(after) {
			out = append(out, journal.Alarm{ID: have.record.Key.ID, At: have.record.WakeAt})
		}
	}
	slices.SortFunc(out, func(a, b journal.Alarm) int { return a.At.Compare(b.At) })
	return out[:min(len(out), limit)], nil
}

// ResetSession implements journal.Store.
func (s *Store) ResetSession(ctx context.Context, id, _ int64) (int64, error) {
	if err := s.enter(ctx, Reset); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return 0, err
	}
	have.entries, have.hidden, have.parents, have.events = nil, nil, nil, nil
	have.transitions, have.predictions, have.documents = nil, nil, nil
	have.record.State, have.record.Variables, have.taken = "", nil, 0
	have.record.EnteredAt, have.record.WakeAt = time.Time{}, time.Time{}
	have.record.ResetSeq = have.record.Seq
	return have.record.Seq, nil
}

// Sessions lists sessions, newest first, like agent.Directory.
func (s *Store) Sessions(_ context.Context, f journal.SessionFilter) ([]journal.SessionRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []journal.SessionRecord
	for _, have := range slices.Backward(s.sessions) {
		if have == nil || f.Waiting && len(have.pending()) == 0 ||
			f.ID != "" && f.ID != have.record.Key.ID ||
			f.Agent != "" && f.Agent != have.record.Key.Agent || f.Username != "" && f.Username != have.record.Username ||
			f.Owner != "" && f.Owner != have.record.Owner || f.Except != "" && f.Except == have.record.Owner {
			continue
		}
		out = append(out, have.record)
	}
	return out[:min(len(out), cmp.Or(f.Limit, len(out)))], nil
}

// Session implements journal.Store.
func (s *Store) Session(_ context.Context, key journal.SessionKey) (journal.SessionRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.names[key]
	if have == nil {
		return journal.SessionRecord{}, fault.New(fault.NotFound, "no_session_named", "there is no session %s", key.ID)
	}
	out := have.record
	out.Variables = maps.Clone(out.Variables)
	return out, nil
}

// Stored returns the stored record and messages of a session. It returns false if
// there is no such session.
func (s *Store) Stored(id string) (journal.SessionRecord, []agent.ChatMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.byID(id)
	if have == nil {
		return journal.SessionRecord{}, nil, false
	}
	out := have.record
	out.Variables = maps.Clone(out.Variables)
	return out, have.messages(), true
}

func (s *Store) byID(id string) *stored {
	for _, have := range s.names {
		if have.record.Key.ID == id {
			return have
		}
	}
	return nil
}

// Now is a clock that advances by a second with each call.
func Now() func() time.Time {
	var mu sync.Mutex
	at := time.Date(2026, 11, 21, 7, 10, 0, 0, time.Local)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}
