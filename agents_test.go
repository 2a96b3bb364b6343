package docent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent"
	"docent/internal/fault"
	"docent/payload"
)

// says is the file of an agent that answers each message with a text.
func says(name, text string) string {
	return fmt.Sprintf("name: %s\nstates:\n  idle: {initial: true, on: [{message: any, to: say}]}\n  say: {body: [{reply: %s}], on: [{message: any, to: say}]}\n",
		name, text)
}

// serveAgents serves agent files until the returned function is called.
func serveAgents(t *testing.T, data string, log lines, files ...string) (url string, stop func()) {
	t.Helper()
	args := []string{"--data=" + data}
	for _, file := range files {
		args = append(args, "--agent="+file)
	}
	d, err := docent.New(t.Context(), docent.Options{Args: args, Output: io.Discard, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := d.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	return server.URL, func() {
		if err := d.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		server.Close()
	}
}

// TestSeveralAgents serves two agent files. A client chooses one, its session stays with it, and each file is followed. After a
// restart without the agent, its session can be read, but not continued.
func TestSeveralAgents(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), t.TempDir()
	one, two := filepath.Join(dir, "one.yaml"), filepath.Join(dir, "two.yaml")
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(one, says("first", "One."))
	write(two, says("second", "Two."))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	log := make(lines, 1000)
	url, stop := serveAgents(t, data, log, one, two)
	hear := func(query, want string) {
		t.Helper()
		if got := visit(ctx, t, url+query).send(payload.UserMessage, "hello"); got != `"`+want+`"` {
			t.Errorf("%s heard %s, want %s", query, got, want)
		}
	}
	hear("", "One.")
	hear("?agent=second&session_id=S", "Two.")
	hear("?session_id=S", "Two.")
	hear("?agent=first&session_id=T", "One.")
	write(two, says("second", "Three."))
	log.await(ctx, t, "the agent file has changed")
	hear("?session_id=S", "Three.")
	hear("?session_id=T", "One.")
	stop()

	url, stop = serveAgents(t, data, log, one)
	defer stop()
	resp, err := http.Get(url + "/api/sessions/S/messages")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var read struct {
		Agent    string `json:"agent_name"`
		Messages []any
	}
	if err := json.NewDecoder(resp.Body).Decode(&read); err != nil || read.Agent != "second" || len(read.Messages) != 6 {
		t.Errorf("the session has the agent %q and %d messages: %v", read.Agent, len(read.Messages), err)
	}
	if _, err, ok := visit(ctx, t, url+"?agent=second&session_id=S").frames(); ok && err == nil {
		t.Error("the session of a missing agent opens")
	}
	hear("?session_id=T", "One.")
}

// TestAgentsOfOneName refuses two agent files with the same name.
func TestAgentsOfOneName(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "one.yaml")
	if err := os.WriteFile(file, []byte(says("first", "One.")), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := docent.New(t.Context(), docent.Options{Args: []string{"--data=" + t.TempDir(), "--agent=" + file, "--agent=" + file}, Output: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	if _, err = d.Start(t.Context(), nil); fault.TextOf(err).ID != "agents_same_name" || !strings.Contains(err.Error(), `"first"`) {
		t.Errorf("two files with one name: %v", err)
	}
}
