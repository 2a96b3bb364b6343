package docent_test

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent"
	"docent/payload"
)

// lines is a log whose lines a test can wait for.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	select {
	case l <- string(b):
	default:
	}
	return len(b), nil
}

// await waits for a line of the log with a text.
func (l lines) await(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	for {
		select {
		case line := <-l:
			if strings.Contains(line, text) {
				return
			}
		case <-ctx.Done():
			t.Fatalf("the log never says %q", text)
		}
	}
}

// TestAgentFileFollowed changes the file of a running agent. A valid change applies to new turns, and an invalid one is
// logged with its line.
func TestAgentFileFollowed(t *testing.T) {
	t.Parallel()
	const agent = "name: shop\nstates:\n  idle: {initial: true, on: [{message: any, to: say}]}\n  say: {body: [{reply: One.}], on: [{message: any, to: say}]}\n"
	file := filepath.Join(t.TempDir(), "shop.yaml")
	rewrite := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(agent)
	log := make(lines, 1000)
	d, err := docent.New(t.Context(), docent.Options{
		Args: []string{"--data=" + t.TempDir(), "--agent=" + file}, Output: io.Discard, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	handler, err := d.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	ada := visit(ctx, t, server.URL)
	for _, step := range []struct{ change, log, says string }{
		{"", "", "One."},
		{strings.Replace(agent, "reply", "say", 1), "shop.yaml:4: ", "One."},
		{strings.Replace(agent, "One", "Two", 1), "the agent file has changed", "Two."},
		{strings.NewReplacer("One", "Three", "say", "tell").Replace(agent), "the agent file has changed", "Three."},
		{strings.Replace(agent, "name: shop", "name: store", 1), "start docent again", "Three."},
	} {
		if step.change != "" {
			rewrite(step.change)
			log.await(ctx, t, step.log)
		}
		if got := ada.send(payload.UserMessage, "hello"); got != `"`+step.says+`"` {
			t.Errorf("after %q: %s, want %s", step.log, got, step.says)
		}
	}
}
