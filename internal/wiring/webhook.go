package wiring

import (
	"context"
	"net/http"
	"slices"

	"docent/agent/session/journal"
	"docent/ingest/source/dial"
	"docent/rag"
	"docent/webhook"
)

// newWebhooks returns the sender of webhooks. A server runs it; commands only store
// deliveries.
func newWebhooks(s *Store) *webhook.Sender {
	clients := map[bool]*http.Client{}
	for _, private := range []bool{false, true} {
		clients[private] = dial.Client(dial.Options{AllowPrivate: private, UserAgent: "docent/1 (webhooks)", Retries: -1})
	}
	return webhook.New(webhook.Config{
		Store: s.DB.Webhooks, Vault: s.vault, Logger: s.Log, Metrics: s.metrics,
		Client: func(private bool) *http.Client { return clients[private] },
	})
}

// answeredNotice tells webhooks about questions that the documents do not surely answer.
func answeredNotice(webhooks *webhook.Sender) func(context.Context, rag.Answer) {
	return func(ctx context.Context, a rag.Answer) {
		if data, content := unanswered(a); data != nil {
			webhooks.Notify(ctx, webhook.AnswerUnanswered, data, content)
		}
	}
}

// unanswered returns the data that all webhooks receive about an answer, and the content that only webhooks
// with content receive. data is nil for answers that they do not report. The text of a conversation's file
// belongs to its owner alone.
func unanswered(a rag.Answer) (data, content map[string]any) {
	if a.Outcome != rag.NotFound && a.Outcome != rag.Unsure {
		return nil, nil
	}
	var searched []string
	if a.Search != nil {
		searched = a.Search.Collections
	}
	data = map[string]any{"collections": searched, "model": a.Model, "outcome": a.Outcome}
	content = map[string]any{"question": a.Question}
	if !slices.ContainsFunc(a.Passages, func(p rag.Passage) bool { return p.File != 0 }) {
		content["answer"] = a.Text
	}
	return data, content
}

// announced returns the store of conversations that tells webhooks about sessions and
// ratings.
func announced(webhooks *webhook.Sender, store journal.Store) journal.Store {
	feedbacks, ok := store.(journal.Feedbacks)
	if !ok {
		return store
	}
	return announcingStore{store, feedbacks, webhooks}
}

type announcingStore struct {
	journal.Store
	journal.Feedbacks

	webhooks *webhook.Sender
}

// OpenSession implements journal.Store.
func (s announcingStore) OpenSession(ctx context.Context, record journal.SessionRecord) (journal.SessionRecord, bool, error) {
	session, created, err := s.Store.OpenSession(ctx, record)
	if created && err == nil {
		s.webhooks.Notify(ctx, webhook.SessionStarted,
			map[string]any{"session_id": record.Key.ID, "agent": record.Key.Agent, "owner": record.Owner}, nil)
	}
	return session, created, err //nolint:wrapcheck // the store names the operation
}

// AddFeedback implements journal.Feedbacks.
func (s announcingStore) AddFeedback(ctx context.Context, session int64, record journal.FeedbackRecord) error {
	if err := s.Feedbacks.AddFeedback(ctx, session, record); err != nil {
		return err //nolint:wrapcheck // the store names the operation
	}
	data := map[string]any{"session_id": record.Key.ID, "agent": record.Key.Agent, "turn": record.Turn}
	content := map[string]any{}
	if record.Rating != nil {
		data["rating"] = *record.Rating
	}
	if record.Comment != "" {
		content["comment"] = record.Comment
	}
	s.webhooks.Notify(ctx, webhook.AnswerRated, data, content)
	return nil
}
