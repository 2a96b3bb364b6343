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

// follow runs the agent of a file. It returns the log and a visitor.
func follow(t *testing.T, file string) (context.Context, lines, *visitor) {
	t.Helper()
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
	return ctx, log, visit(ctx, t, server.URL)
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
	ctx, log, ada := follow(t, file)
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

// TestNamedAgentFilesFollowed changes the file of an agent that another one asks, also while that file is invalid or missing,
// and a file that only an invalid change names.
func TestNamedAgentFilesFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const (
		desk = "name: desk\nstates:\n  idle: {initial: true, on: [{message: any, to: say}]}\n  say:\n    body:\n" +
			"      - ask_agent: {agent: helper.yaml, task: \"{{.message}}\", into: said}\n" +
			"      - reply: \"{{.variables.said}}\"\n    on: [{message: any, to: say}]\n"
		helper = "name: helper\nstates:\n  a: {initial: true, body: [{reply: One.}]}\n"
	)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("desk.yaml", desk)
	write("helper.yaml", helper)
	ctx, log, ada := follow(t, filepath.Join(dir, "desk.yaml"))
	says := func(text string) string { return strings.Replace(helper, "One", text, 1) }
	for _, step := range []struct{ name, change, log, says string }{
		{"", "", "", "One."},
		{"helper.yaml", says("Two"), "the agent file has changed", "Two."},
		{"helper.yaml", strings.Replace(helper, "reply", "say", 1), "helper.yaml:3: ", "Two."},
		{"helper.yaml", says("Three"), "the agent file has changed", "Three."},
		{"desk.yaml", strings.Replace(desk, "helper.yaml", "other.yaml", 1), "there is no file ", "Three."},
		{"other.yaml", strings.Replace(helper, "reply", "say", 1), "other.yaml:3: ", "Three."},
		{"other.yaml", says("Four"), "the agent file has changed", "Four."},
		{"other.yaml", says("Five"), "the agent file has changed", "Five."},
	} {
		if step.name != "" {
			write(step.name, step.change)
			log.await(ctx, t, step.log)
		}
		if got := ada.send(payload.UserMessage, "hello"); got != `"`+step.says+`"` {
			t.Errorf("after a change of %s: %s, want %s", step.name, got, step.says)
		}
	}
}
