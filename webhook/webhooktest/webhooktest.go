// Package webhooktest is the test suite for webhook.Store. Each store must pass it.
package webhooktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/ingest"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag/corpus"
	"docent/webhook"
)

// start is the time of the first delivery.
var start = time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)

// Store keeps webhooks, and tells them about the documents that it stores.
type Store struct {
	// Webhooks stores webhooks.
	Webhooks webhook.Store
	// Documents stores documents.
	Documents ingest.Store
}

// Run runs the suite. open makes an empty store for each test. The store reports dropped
// messages to dropped.
func Run(t *testing.T, open func(t *testing.T, dropped func(ctx context.Context, messages int)) Store) {
	t.Run("Documents", func(t *testing.T) {
		t.Parallel()
		dropped := 0
		documents(t, open(t, func(_ context.Context, n int) { dropped += n }))
		if dropped != 2 {
			t.Errorf("%d messages were dropped, want 2", dropped)
		}
	})
	storetest.Run(t, func(t *testing.T) webhook.Store { return open(t, nil).Webhooks }, map[string]func(*testing.T, webhook.Store){
		"Webhooks":   webhooks,
		"Full":       full,
		"Deliveries": deliveries,
		"Waiting":    waiting,
		"Claim":      claim,
		"Late":       late,
		"Concurrent": concurrent,
		"Forget":     forget,
	})
}

// add adds a webhook.
func add(t *testing.T, s webhook.Store, url string) webhook.Webhook {
	t.Helper()
	w := webhook.Webhook{
		URL: url, Events: []webhook.Event{webhook.DocumentIngested, webhook.AnswerRated}, Content: true,
		Secret: []byte{0, 255, 1}, CreatedAt: start,
	}
	var err error
	w.ID, err = s.AddWebhook(t.Context(), w)
	storetest.OK(t, err)
	return w
}

// deliver stores a delivery for each time.
func deliver(t *testing.T, s webhook.Store, w int64, at ...time.Time) {
	t.Helper()
	var all []webhook.Delivery
	for i, a := range at {
		all = append(all, webhook.Delivery{
			Webhook: w, MessageID: fmt.Sprintf("msg_%d", i), Event: webhook.AnswerRated, Body: []byte(`{"a":"é"}`), CreatedAt: a, NextAt: a,
		})
	}
	n, err := s.AddDeliveries(t.Context(), all)
	if err != nil || n != len(at) {
		t.Fatalf("stored %d of %d: %v", n, len(at), err)
	}
}

// list returns all deliveries that a filter selects.
func list(t *testing.T, s webhook.Store, f webhook.Filter) []webhook.Delivery {
	t.Helper()
	f.Limit = 100
	all, err := s.Deliveries(t.Context(), f)
	storetest.OK(t, err)
	return all
}

func wantKind(t *testing.T, err error, kind fault.Kind) {
	t.Helper()
	if fault.KindOf(err) != kind {
		t.Errorf("%v, want %s", err, kind)
	}
}

func webhooks(t *testing.T, s webhook.Store) {
	first, second := add(t, s, "https://a.example/"), add(t, s, "https://b.example/?q=é")
	all, err := s.Webhooks(t.Context())
	storetest.OK(t, err)
	if len(all) != 2 || fmt.Sprint(all[0]) != fmt.Sprint(first) || fmt.Sprint(all[1]) != fmt.Sprint(second) {
		t.Errorf("got %v, want %v and %v", all, first, second)
	}
	deliver(t, s, first.ID, start)
	storetest.OK(t, s.RemoveWebhook(t.Context(), first.ID))
	wantKind(t, s.RemoveWebhook(t.Context(), first.ID), fault.NotFound)
	if left := list(t, s, webhook.Filter{}); len(left) != 0 {
		t.Errorf("a removed webhook keeps %v", left)
	}
	n, err := s.AddDeliveries(t.Context(),
		[]webhook.Delivery{{Webhook: first.ID, MessageID: "m", Event: webhook.AnswerRated, Body: []byte("{}"), NextAt: start}})
	if n != 0 || err != nil {
		t.Errorf("a removed webhook gets %d deliveries: %v", n, err)
	}
}

func full(t *testing.T, s webhook.Store) {
	for range webhook.MaxWebhooks {
		add(t, s, "https://a.example/")
	}
	_, err := s.AddWebhook(t.Context(),
		webhook.Webhook{URL: "https://a.example/", Events: webhook.Events, Secret: []byte{1}, CreatedAt: start})
	wantKind(t, err, fault.Conflict)
}

func deliveries(t *testing.T, s webhook.Store) {
	w, other := add(t, s, "https://a.example/"), add(t, s, "https://b.example/")
	deliver(t, s, w.ID, start, start.Add(time.Second))
	deliver(t, s, other.ID, start)
	all := list(t, s, webhook.Filter{})
	if len(all) != 3 || all[0].Webhook != other.ID || !all[1].NextAt.Equal(start.Add(time.Second)) {
		t.Fatalf("got %v", all)
	}
	first := all[2]
	if !bytes.Equal(first.Body, []byte(`{"a":"é"}`)) || first.MessageID != "msg_0" || first.Event != webhook.AnswerRated ||
		!first.CreatedAt.Equal(start) || first.State() != "waiting" || first.Attempts != 0 {
		t.Errorf("the first delivery is %+v", first)
	}
	claimed := first.NextAt
	first.Attempts, first.Result, first.NextAt = 3, "500 no \x00\xff", time.Time{}
	storetest.OK(t, s.EndAttempt(t.Context(), first, claimed))
	failed := list(t, s, webhook.Filter{Webhook: w.ID, Failed: true})
	if len(failed) != 1 || failed[0].ID != first.ID || failed[0].Attempts != 3 || failed[0].State() != "failed" {
		t.Errorf("failed: %+v", failed)
	}
	storetest.OK(t, s.ReplayDelivery(t.Context(), first.ID, start.Add(time.Hour)))
	again := list(t, s, webhook.Filter{Webhook: w.ID})[1]
	if again.State() != "waiting" || again.Attempts != 0 || again.Result != "" || !again.NextAt.Equal(start.Add(time.Hour)) {
		t.Errorf("replayed: %+v", again)
	}
	claimed = again.NextAt
	again.Delivered, again.NextAt = true, time.Time{}
	storetest.OK(t, s.EndAttempt(t.Context(), again, claimed))
	if got := list(t, s, webhook.Filter{Webhook: w.ID})[1]; got.State() != "delivered" || len(list(t, s, webhook.Filter{Failed: true})) != 0 {
		t.Errorf("delivered: %+v", got)
	}
	wantKind(t, s.ReplayDelivery(t.Context(), 1<<40, start), fault.NotFound)
	storetest.OK(t, s.EndAttempt(t.Context(), webhook.Delivery{ID: 1 << 40}, start))
}

// waiting bounds the waiting deliveries.
func waiting(t *testing.T, s webhook.Store) {
	w := add(t, s, "https://a.example/")
	all := make([]webhook.Delivery, webhook.MaxWaiting+2)
	for i := range all {
		all[i] = webhook.Delivery{Webhook: w.ID, MessageID: "m", Event: webhook.AnswerRated, Body: []byte("{}"), CreatedAt: start, NextAt: start}
	}
	n, err := s.AddDeliveries(t.Context(), all)
	if n != webhook.MaxWaiting || err != nil {
		t.Errorf("stored %d of %d: %v", n, len(all), err)
	}
	first, _, err := s.ClaimDelivery(t.Context(), w.ID, start, start.Add(time.Minute))
	storetest.OK(t, err)
	claimed := first.NextAt
	first.Delivered, first.NextAt = true, time.Time{}
	storetest.OK(t, s.EndAttempt(t.Context(), first, claimed))
	if n, err = s.AddDeliveries(t.Context(), all[:2]); n != 1 || err != nil {
		t.Errorf("stored %d with room for 1: %v", n, err)
	}
}

func claim(t *testing.T, s webhook.Store) {
	w, other := add(t, s, "https://a.example/"), add(t, s, "https://b.example/")
	deliver(t, s, w.ID, start.Add(2*time.Second), start.Add(time.Second), start.Add(time.Hour))
	deliver(t, s, other.ID, start)
	now, until := start.Add(time.Minute), start.Add(2*time.Minute)
	for _, want := range []string{"msg_1", "msg_0"} {
		d, found, err := s.ClaimDelivery(t.Context(), w.ID, now, until)
		if err != nil || !found || d.MessageID != want || !d.NextAt.Equal(until) {
			t.Errorf("claimed %+v (%v, %v), want %s", d, found, err, want)
		}
	}
	if d, found, err := s.ClaimDelivery(t.Context(), w.ID, now, until); found || err != nil {
		t.Errorf("claimed %+v again: %v", d, err)
	}
	if d, found, err := s.ClaimDelivery(t.Context(), w.ID, until, until.Add(time.Minute)); !found || err != nil || d.MessageID != "msg_0" &&
		d.MessageID != "msg_1" {
		t.Errorf("after the reservation: %+v, %v, %v", d, found, err)
	}
}

// late: the result of an attempt that outlived its claim does not count.
func late(t *testing.T, s webhook.Store) {
	w := add(t, s, "https://a.example/")
	deliver(t, s, w.ID, start)
	claimAt := func(now time.Time) webhook.Delivery {
		t.Helper()
		d, found, err := s.ClaimDelivery(t.Context(), w.ID, now, now.Add(time.Minute))
		if err != nil || !found {
			t.Fatalf("nothing to claim at %v: %v", now, err)
		}
		return d
	}
	first := claimAt(start)
	second := claimAt(start.Add(time.Minute))
	sent, failed := second, first
	sent.Delivered, sent.Attempts, sent.Result, sent.NextAt = true, 1, "200 OK", time.Time{}
	failed.Attempts, failed.Result, failed.NextAt = 1, "timeout", start.Add(2*time.Minute)
	storetest.OK(t, s.EndAttempt(t.Context(), failed, first.NextAt))
	if got := list(t, s, webhook.Filter{})[0]; got.Attempts != 0 || !got.NextAt.Equal(second.NextAt) {
		t.Errorf("during the second attempt: %+v", got)
	}
	storetest.OK(t, s.EndAttempt(t.Context(), sent, second.NextAt))
	storetest.OK(t, s.EndAttempt(t.Context(), failed, first.NextAt))
	if got := list(t, s, webhook.Filter{})[0]; got.State() != "delivered" || got.Result != "200 OK" {
		t.Errorf("after both: %+v", got)
	}
}

// concurrent calls never claim the same delivery.
func concurrent(t *testing.T, s webhook.Store) {
	w := add(t, s, "https://a.example/")
	at := make([]time.Time, 40)
	for i := range at {
		at[i] = start
	}
	deliver(t, s, w.ID, at...)
	var mu sync.Mutex
	got := map[int64]int{}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for {
				d, found, err := s.ClaimDelivery(t.Context(), w.ID, start, start.Add(time.Hour))
				if err != nil {
					t.Error(err)
				}
				if !found {
					return
				}
				mu.Lock()
				got[d.ID]++
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for id, n := range got {
		if n != 1 {
			t.Errorf("delivery %d was claimed %d times", id, n)
		}
	}
	// A call may find nothing while another one has locked the last row.
	if d, found, err := s.ClaimDelivery(t.Context(), w.ID, start, start.Add(time.Hour)); found || err != nil || len(got) != len(at) {
		t.Errorf("%d of %d are claimed, then %+v: %v", len(got), len(at), d, err)
	}
}

func forget(t *testing.T, s webhook.Store) {
	w := add(t, s, "https://a.example/")
	deliver(t, s, w.ID, start, start.Add(time.Second), start.Add(time.Hour))
	for _, d := range list(t, s, webhook.Filter{})[:2] {
		claimed := d.NextAt
		d.NextAt = time.Time{}
		storetest.OK(t, s.EndAttempt(t.Context(), d, claimed))
	}
	storetest.OK(t, s.ForgetDeliveries(t.Context(), start.Add(time.Minute)))
	left := list(t, s, webhook.Filter{})
	if len(left) != 2 || left[0].MessageID != "msg_2" || left[1].MessageID != "msg_0" {
		t.Errorf("left: %+v", left)
	}
}

// documents: the messages about documents are stored in their transaction.
func documents(t *testing.T, db Store) {
	s := db.Webhooks
	w := add(t, s, "https://a.example/") // not for failed documents
	_, err := s.AddWebhook(t.Context(),
		webhook.Webhook{URL: "https://b.example/", Events: webhook.Events, Secret: []byte{1}, CreatedAt: start})
	storetest.OK(t, err)
	put := func(source, text string, status corpus.Status) intake.Put {
		p := intake.Put{
			Document: corpus.Document{
				Collection: "c", Source: source, Title: "t", MediaType: "text/plain", Status: status, Pipeline: "test/1", Text: text,
			},
			Original: []byte(text),
		}
		if status == corpus.Failed {
			p.Document.Error = fault.Plain("damaged")
			return p
		}
		p.Chunks = []corpus.Chunk{{Kind: corpus.Prose, Text: text, End: len(text), Tokens: 1}}
		return p
	}
	ids, err := db.Documents.PutDocuments(t.Context(), []intake.Put{put("good é", "text", corpus.Ready), put("bad", "", corpus.Failed)})
	storetest.OK(t, err)
	var got []string
	for _, d := range list(t, s, webhook.Filter{}) {
		var body struct {
			Type string
			Data map[string]any
		}
		storetest.OK(t, json.Unmarshal(d.Body, &body))
		if string(d.Event) != body.Type || d.State() != "waiting" || d.MessageID == "" {
			t.Errorf("%+v", d)
		}
		got = append(got, fmt.Sprintf("%d %s %v", d.Webhook-w.ID, body.Type, body.Data))
	}
	slices.Sort(got)
	want := []string{
		fmt.Sprintf("0 document.ingested map[chunks:1 collection:c document_id:%d source:good é]", ids[0]),
		fmt.Sprintf("1 document.failed map[chunks:0 collection:c document_id:%d reason:damaged source:bad]", ids[1]),
		fmt.Sprintf("1 document.ingested map[chunks:1 collection:c document_id:%d source:good é]", ids[0]),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// A transaction that fails leaves no message.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Documents.PutDocuments(ended, []intake.Put{put("late", "text", corpus.Ready)}); err == nil {
		t.Error("a document was stored after the end of the context")
	}
	if n := len(list(t, s, webhook.Filter{})); n != len(want) {
		t.Errorf("%d messages, want %d", n, len(want))
	}
	// A document is also stored without room for its messages.
	all := make([]webhook.Delivery, webhook.MaxWaiting-1)
	for i := range all {
		all[i] = webhook.Delivery{Webhook: w.ID, MessageID: "m", Event: webhook.AnswerRated, Body: []byte("{}"), CreatedAt: start, NextAt: start}
	}
	n, err := s.AddDeliveries(t.Context(), all)
	if n != len(all) || err != nil {
		t.Fatalf("stored %d of %d: %v", n, len(all), err)
	}
	_, err = db.Documents.PutDocuments(t.Context(), []intake.Put{put("1", "text", corpus.Ready), put("2", "text", corpus.Ready)})
	storetest.OK(t, err)
}
