package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"docent/client"
	"docent/internal/fault"
	"docent/payload"
)

// tab is a client that disconnects and resumes its session. It keeps its
// transcript.
type tab struct {
	t    *testing.T
	name string
	at   string
	id   string // of the session
	over context.Context

	mu       sync.Mutex
	s        *client.Session
	heard    chan struct{} // closed when the reader of s has ended
	made     client.Transcript
	last     int64
	reset    int64
	finished map[int64][]payload.Outcome
	changed  chan struct{}
	losses   int // how often the connection was lost
	opens    int // how often the session was opened
	synced   bool
	hole     string // where something is missing that no reset took
}

func newTab(ctx context.Context, t *testing.T, at, id, name string) *tab {
	t.Helper()
	v := &tab{t: t, name: name, at: at, id: id, over: ctx, finished: map[int64][]payload.Outcome{}, changed: make(chan struct{})}
	v.open()
	t.Cleanup(func() { v.session().Close() })
	return v
}

// open joins the session where the transcript ends; the server may be away.
func (v *tab) open() {
	for v.over.Err() == nil {
		v.mu.Lock()
		last := v.last
		v.mu.Unlock()
		s, err := client.Open(v.over, client.SessionConfig{
			URL: v.at, SessionID: v.id, LastSeq: &last, RetryMin: 5 * time.Millisecond, RetryMax: 100 * time.Millisecond,
		})
		if err != nil {
			<-time.After(5 * time.Millisecond)
			continue
		}
		heard := make(chan struct{})
		v.mu.Lock()
		v.s, v.heard, v.synced = s, heard, false
		v.opens++
		v.mu.Unlock()
		go func() {
			defer close(heard)
			v.listen(s)
		}()
		return
	}
}

// reopen reloads the page.
func (v *tab) reopen() {
	v.mu.Lock()
	s, heard := v.s, v.heard
	v.mu.Unlock()
	_ = s.Close()
	<-heard
	v.open()
}

func (v *tab) session() *client.Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.s
}

func (v *tab) listen(s *client.Session) {
	for e, err := range s.Events(context.WithoutCancel(v.over)) {
		if err != nil {
			v.t.Errorf("%s: the session ended: %v", v.name, err)
			return
		}
		v.hear(e)
	}
}

// hear applies an event. It fails if a frame is missing, repeated, or out of
// order.
func (v *tab) hear(e client.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if seq := stored(e); seq != 0 {
		if seq != v.last+1 && v.hole == "" {
			v.hole = fmt.Sprintf("%d follows %d: %T", seq, v.last, e)
		}
		if v.synced {
			v.whole()
		}
		v.last = seq
	}
	switch e := e.(type) {
	case *client.SessionReset:
		v.hole = ""
		v.last, v.reset = max(v.last, e.Seq), max(v.reset, e.Seq)
	case *client.TurnFinished:
		v.finished[e.Turn] = append(v.finished[e.Turn], e.Outcome)
	case *client.Synced:
		v.whole()
		v.synced = true
	case *client.Disconnected:
		v.losses++
		v.synced = false
	}
	v.made.Apply(e)
	close(v.changed)
	v.changed = make(chan struct{})
}

// whole fails if something is missing. A reset may delete messages during the
// replay. The client learns of it before it is synced.
func (v *tab) whole() {
	if v.hole != "" {
		v.t.Errorf("%s: %s", v.name, v.hole)
		v.hole = ""
	}
}

// stored is the seq of an event; 0 if it is not stored.
func stored(e client.Event) int64 {
	switch e := e.(type) {
	case *client.UserMessage:
		return e.Seq
	case *client.Reply:
		return e.Seq
	case *client.Step:
		return e.Seq
	case *client.TasksUpdated:
		return e.Seq
	case *client.Error:
		return e.Seq
	}
	return 0
}

// told is a message that is stored.
type told struct {
	client.Receipt
	opens int  // as it was when it was said
	again bool // sent more than once, so it may run again or end again
}

// tell sends a message in the tab's session until it is stored.
func (v *tab) tell(message, id string) (told, error) {
	v.mu.Lock()
	opens := v.opens
	v.mu.Unlock()
	for again := false; ; again = true {
		r, err := v.session().SendAs(v.over, id, message)
		if err == nil || fault.KindOf(err) != fault.Canceled || v.over.Err() != nil {
			return told{r, opens, again || r.Duplicate}, err
		}
		<-time.After(time.Millisecond) // it is being opened again
	}
}

// until waits for something to be so.
func (v *tab) until(what string, ok func() bool) bool {
	deadline := time.After(patience)
	for {
		v.mu.Lock()
		is, changed := ok(), v.changed
		v.mu.Unlock()
		if is {
			return true
		}
		select {
		case <-changed:
		case <-v.over.Done():
			return false
		case <-deadline:
			v.t.Errorf("%s: never %s", v.name, what)
			return false
		}
	}
}

// await waits for the end of a turn. A session reports it only to open tabs,
// and a reset removes turns.
func (v *tab) await(m told) bool {
	return v.until(fmt.Sprint("finished turn ", m.Turn), func() bool {
		running := slices.ContainsFunc(v.made.Running(), func(p client.Progress) bool { return p.Turn == m.Turn })
		return len(v.finished[m.Turn]) > 0 || v.reset >= m.Seq ||
			v.opens != m.opens && v.synced && v.last >= m.Seq && !running
	})
}
