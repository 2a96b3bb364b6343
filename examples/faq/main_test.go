package main

import (
	"context"
	_ "embed"
	"testing"

	"docent"
	"docent/examples/exampletest"
)

//go:embed testdata/conversation.txt
var conversation string

// TestConversation plays the same conversation with the agent in Go and with the one
// in YAML.
func TestConversation(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*testing.T) *exampletest.User{
		"Go": func(t *testing.T) *exampletest.User {
			t.Helper()
			return exampletest.Serve(t, func(ctx context.Context, opts docent.Options) error { return docent.Run(ctx, newAgent(), opts) })
		},
		"YAML": func(t *testing.T) *exampletest.User {
			t.Helper()
			run := func(ctx context.Context, opts docent.Options) error { return docent.Run(ctx, nil, opts) }
			return exampletest.Serve(t, run, "--agent=faq.yaml")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := serve(t)
			for _, line := range exampletest.Lines(conversation) {
				if !u.Plays(line) {
					t.Fatalf("there are no lines of the kind %q", line.Kind)
				}
			}
		})
	}
}
