package agent_test

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
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
)

// What users say and documents hold is in no log, even if an error repeats it.
func TestLogWithoutContent(t *testing.T) { bubble(t, testLogWithoutContent) }

func testLogWithoutContent(t *testing.T) {
	const marker = "MARKER-7391"
	cause := fmt.Errorf("model: status 400: %s", marker)
	for name, tc := range map[string]struct {
		answer func() error
		want   string
	}{
		"plain":   {func() error { return cause }, "level=ERROR"},
		"fault":   {func() error { return fault.Wrap(fault.Unavailable, cause, "the model does not answer") }, "the model does not answer"},
		"joined":  {func() error { return errors.Join(cause, cause) }, "level=ERROR"},
		"panic":   {func() error { panic(marker) }, "logging_test.go"},
		"invalid": {func() error { return fault.Wrap(fault.Invalid, cause, "that is too long") }, "level=INFO"},
	} {
		var logged bytes.Buffer
		rt := start(t, agent.RuntimeConfig{
			Agent: assistant(t), Store: agenttest.NewStore(),
			Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
			RAG:    &agenttest.Answers{Answer: func(context.Context, rag.Request) (string, error) { return "", tc.answer() }},
		})
		sub, c, _ := open(t, rt, "S")
		send(t, sub, "m", "what of "+marker)
		c.until(payload.TurnFinishedAction)
		synctest.Wait()
		log := logged.String()
		if strings.Contains(log, marker) {
			t.Errorf("%s: the log holds content: %s", name, log)
		}
		for _, want := range []string{"session=S", "turn=1", "error.kind=", tc.want} {
			if !strings.Contains(log, want) {
				t.Errorf("%s: the log lacks %q: %s", name, want, log)
			}
		}
	}
}
