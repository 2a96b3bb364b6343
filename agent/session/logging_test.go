package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// Logs contain no words of users or documents, even if an error repeats them.
func TestLogWithoutContent(t *testing.T) { bubble(t, testLogWithoutContent) }

func testLogWithoutContent(t *testing.T) {
	const marker = "MARKER-7391"
	cause := fmt.Errorf("model: status 400: %s", marker)
	for name, tc := range map[string]struct {
		answer func() error
		want   string
	}{
		"plain": {func() error { return cause }, "level=ERROR"},
		"fault": {func() error {
			return fault.Wrap(fault.Unavailable, cause,
				"test_sentence", "the model does not answer")
		}, "the model does not answer"},
		"joined":  {func() error { return errors.Join(cause, cause) }, "level=ERROR"},
		"panic":   {func() error { panic(marker) }, "logging_test.go"},
		"invalid": {func() error { return fault.Wrap(fault.Invalid, cause, "test_sentence", "that is too long") }, "level=INFO"},
	} {
		var logged bytes.Buffer
		rt := start(t, session.RuntimeConfig{
			Agent: anAssistant(t), Store: agenttest.NewStore(),
			Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
			RAG:    &agenttest.Answers{Answer: func(context.Context, rag.Request) (string, error) { return "", tc.answer() }},
		})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "m", "what of "+marker)
		c.Until(payload.TurnFinishedAction)
		synctest.Wait()
		text := logged.String()
		if strings.Contains(text, marker) {
			t.Errorf("%s: the log holds content: %s", name, text)
		}
		for _, want := range []string{"session=S", "turn=1", "error.kind=", tc.want} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the log lacks %q: %s", name, want, text)
			}
		}
	}
}

// Logs contain the errors of a developer's own body, and those of joined errors.
// TestLogWithoutContent covers all other errors.
func TestLogOfOwnErrors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var logged bytes.Buffer
		a := agent.New("own")
		idle, run := a.State("idle", agent.Initial), a.State("run")
		idle.OnMessage().GoTo(run)
		run.OnMessage().GoTo(run)
		run.Body(func(context.Context, *agent.Session) error {
			return errors.Join(fmt.Errorf("order: %w", errors.New("the till is shut")), context.DeadlineExceeded)
		})
		rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "m", "go")
		c.Until(payload.TurnFinishedAction)
		synctest.Wait()
		text := logged.String()
		for _, want := range []string{
			"order: the till is shut", "session=S", "state=run",
			`error.types="*errors.joinError > (*fmt.wrapError > *errors.errorString | context.deadlineExceededError)"`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the log lacks %s: %s", want, text)
			}
		}
	})
}

// TestLogOfPanics checks that the log names the state and the value of a developer's
// panic.
func TestLogOfPanics(t *testing.T) {
	for name, tc := range map[string]struct {
		value any
		want  string
	}{
		"text":   {"no such order: 4711", `error.panic="no such order: 4711"`},
		"error":  {fmt.Errorf("order: %w", errors.New("the till is shut")), `error.panic="order: the till is shut"`},
		"struct": {struct{ Order int }{4711}, "error.panic={4711}"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var logged bytes.Buffer
				a := agent.New("own")
				idle, run := a.State("idle", agent.Initial), a.State("run")
				idle.OnMessage().GoTo(run)
				run.OnMessage().GoTo(run)
				run.Body(func(context.Context, *agent.Session) error { panic(tc.value) })
				rt := start(t, session.RuntimeConfig{Agent: a, Store: agenttest.NewStore(), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
				sub, c, _ := open(t, rt, "S")
				send(t, sub, "m", "go")
				c.Until(payload.TurnFinishedAction)
				synctest.Wait()
				for _, want := range []string{tc.want, "session=S", "state=run", "logging_test.go"} {
					if text := logged.String(); !strings.Contains(text, want) {
						t.Errorf("the log lacks %s: %s", want, text)
					}
				}
			})
		})
	}
}

// TestDefaultLogger checks that a runtime without a logger uses the program's logger.
func TestDefaultLogger(t *testing.T) {
	t.Parallel()
	rt, err := session.NewRuntime(session.RuntimeConfig{Store: agenttest.NewStore(), Agent: echo(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if rt.Logger() != slog.Default() {
		t.Error("the runtime has another logger than slog.Default")
	}
}
