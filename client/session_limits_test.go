package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/client"
	"docent/internal/fault"
)

// The client refuses exactly the texts that are too long for the server. The
// server judges everything else, regardless of its length.
func TestSessionTextLimit(t *testing.T) {
	t.Parallel()
	h := open(t, talker("quiet", func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, "ok") }), agenttest.NewStore(), "")
	s, err := client.Open(t.Context(), client.SessionConfig{URL: h.url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	asText := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	fits, long, huge := strings.Repeat("é", 8<<10), strings.Repeat("é", 8<<10)+"!", strings.Repeat("long ", 1<<20)
	for _, said := range []any{fits, map[string]string{"message": fits, "more": long}, asText(map[string]string{"message": fits, "more": long})} {
		receipt, err := s.Send(t.Context(), said)
		if err != nil {
			t.Errorf("%.40v: %v", said, err)
			continue
		}
		if _, err := s.Edit(t.Context(), receipt.Turn, said); err != nil {
			t.Errorf("edit %.40v: %v", said, err)
		}
	}
	for _, said := range []any{long, []string{fits}, map[string]string{"message": long}, asText(map[string]string{"message": long}), asText(map[string]string{"x": long}), huge} {
		if _, err := s.Send(t.Context(), said); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), fmt.Sprint("the server accepts at most ", agent.MaxTextBytes, " bytes")) {
			t.Errorf("%.40v: %v", said, err)
		}
		if _, err := s.Edit(t.Context(), 1, said); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "the server accepts at most") {
			t.Errorf("edit %.40v: %v", said, err)
		}
	}
	if _, err := s.Send(t.Context(), map[string]string{"message": "short", "more": huge}); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "a message may have at most") {
		t.Errorf("told by the server: %v", err)
	}
	if err := s.SetVariables(t.Context(), map[string]any{"a": huge}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("variables: %v", err)
	}
}
