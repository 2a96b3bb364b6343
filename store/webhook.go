package store

import (
	"strings"

	"docent/internal/fault"
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
	return fault.New(fault.Conflict, "webhooks_full", "there are already %d webhooks, and no more are allowed; remove one first", webhook.MaxWebhooks)
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
