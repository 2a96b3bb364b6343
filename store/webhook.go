package store

import (
	"fmt"
	"strings"
	"time"

	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/webhook"
)

// NoWebhook is the error for a missing webhook.
func NoWebhook() error {
	return fault.New(fault.NotFound, "webhook_missing", "there is no webhook with this id; docent webhook ls lists them")
}

// NoDelivery is the error for a missing delivery.
func NoDelivery() error {
	return fault.New(fault.NotFound, "webhook_delivery_missing", "there is no delivery with this id; docent webhook deliveries lists them")
}

// TooManyWebhooks is the error at webhook.MaxWebhooks webhooks.
func TooManyWebhooks() error {
	return fault.New(fault.Conflict, "webhooks_full",
		"there are already %d webhooks, and no more are allowed; remove one first", webhook.MaxWebhooks)
}

// maxMessageReason bounds the reason in a message about a failed document, in bytes.
const maxMessageReason = 4 << 10

// DocumentMessages returns the messages about documents for webhooks. ids are the ids of
// the documents.
func DocumentMessages(webhooks []webhook.Webhook, puts []intake.Put, ids []int64, now time.Time) ([]webhook.Delivery, error) {
	var all []webhook.Delivery
	if len(webhooks) == 0 {
		return nil, nil
	}
	for i, p := range puts {
		d := p.Document
		if d.Status == corpus.Skipped {
			continue
		}
		event := webhook.DocumentIngested
		data := map[string]any{"document_id": ids[i], "collection": Text(d.Collection), "source": Text(d.Source), "chunks": len(p.Chunks)}
		if d.Status == corpus.Failed {
			event = webhook.DocumentFailed
			reason := Text(d.Error.Message)
			data["reason"] = strings.ToValidUTF8(reason[:min(len(reason), maxMessageReason)], "")
		}
		messages, err := webhook.Messages(webhooks, event, data, nil, now)
		if err != nil {
			return nil, fmt.Errorf("tell webhooks about %s: %w", d.Source, err)
		}
		all = append(all, messages...)
	}
	return all, nil
}

// Events writes events as text.
func Events(events []webhook.Event) string {
	return strings.ReplaceAll(webhook.Names(events), ", ", ",")
}

// ParseEvents reverses Events.
func ParseEvents(text string) []webhook.Event {
	var out []webhook.Event
	for name := range strings.SplitSeq(text, ",") {
		out = append(out, webhook.Event(name))
	}
	return out
}
