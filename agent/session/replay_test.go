package session_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/payload"
)

// collect returns all entries of a replay, and its error.
func collect(record iter.Seq2[journal.Entry, error]) (out []journal.Entry, err error) {
	for e, err := range record {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// paged is a store that records the sizes of its pages.
type paged struct {
	*agenttest.Store
	most, alone int // of several contents together, and of a single one
}

func (p *paged) Messages(ctx context.Context, session int64, q journal.MessageQuery) ([]agent.ChatMessage, error) {
	out, err := p.Store.Messages(ctx, session, q)
	size := 0
	for _, m := range out {
		size += len(m.Content)
	}
	if len(out) > 1 {
		p.most = max(p.most, size)
	} else {
		p.alone = max(p.alone, size)
	}
	return out, err
}

// A replay is complete and in order for contents of any size. It holds only one page at a time, and
// a short record takes one page.
func TestReplayPages(t *testing.T) { bubble(t, testReplayPages) }

func testReplayPages(t *testing.T) {
	store := &paged{Store: agenttest.NewStore()}
	rt := start(t, session.RuntimeConfig{Store: store, Agent: echo(func(ctx context.Context, s *agent.Session) error {
		return s.ReplyReasoningStep(ctx, step(0, "s"))
	})}.With(session.Limits{Replay: 40}))
	sub, c, _ := open(t, rt, "S")
	synctest.Wait() // for the greeting
	send(t, sub, "", "x")
	c.Until(payload.TurnFinishedAction)
	check := func(n int) []journal.Entry {
		t.Helper()
		late, _, _ := open(t, rt, "S")
		got, err := collect(late.Record(t.Context()))
		if err != nil || len(got) != n {
			t.Errorf("%d entries, %v; want %d", len(got), err, n)
		}
		return got
	}
	check(4)
	if n := store.Calls(agenttest.Messages) + store.Calls(agenttest.Steps); n != 2 {
		t.Errorf("a short replay took %d trips", n)
	}
	large := journal.ReplayBytes / 3
	for i := range 10 {
		size := large
		if i == 5 {
			size = journal.ReplayBytes + 1
		}
		f := session.File{File: payload.File{Name: fmt.Sprint(i), Type: "text/plain", Base64: strings.Repeat("a", size)}}
		if err := sub.SendFile(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		c.Until(payload.TurnFinishedAction)
	}
	got, want := check(4+10), store.Record("S")
	if !slices.EqualFunc(got, want, func(a, b journal.Entry) bool {
		if a.Message == nil || b.Message == nil {
			return a.Step != nil && b.Step != nil && a.Step.Seq == b.Step.Seq
		}
		return a.Message.Seq == b.Message.Seq && string(a.Message.Content) == string(b.Message.Content)
	}) {
		t.Error("it is not what is stored")
	}
	if store.most > journal.ReplayBytes || store.alone < journal.ReplayBytes {
		t.Errorf("pages of %d bytes, one of %d alone", store.most, store.alone)
	}
	for range 20 {
		send(t, sub, "", "x")
		c.Until(payload.TurnFinishedAction)
	}
	check(40 + 21)
}
