package main

import (
	"net/http"
	"strings"
	"testing"

	"docent/internal/wstest"
	"docent/llm/llmtest"
)

// TestModelNotSetUp checks that docent quotes the documents if the model refuses its key, and that users do not read the names of
// settings that only the operator can change. The log and commands name them.
func TestModelNotSetUp(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Status: http.StatusUnauthorized, Body: `{"error":{"message":"bad key"}}`}
	})
	t.Cleanup(model.Close)
	set := []string{"DOCENT_LLM_URL=" + model.URL, "DOCENT_MODEL=scripted", "OPENAI_API_KEY=wrong"}
	env := append([]string{"DOCENT_DATA=" + dataFolder(t)}, set...)
	quoting := guarded(t, env)
	resp, got := quoting.ask(t, quoting.as(t, "token owner"))
	if resp.StatusCode != http.StatusOK || !strings.Contains(got, "so docent quotes the documents") || !strings.Contains(got, "noon") || strings.Contains(got, "OPENAI_API_KEY") {
		t.Errorf("quotes instead: %d %s", resp.StatusCode, got)
	}
	if got := docent(t, env, 0, "ask", "When does the feed pump stop?"); !strings.Contains(got, "noon") {
		t.Errorf("ask answers %s", got)
	}

	env = append([]string{"DOCENT_DATA=" + dataFolder(t), "DOCENT_ON_MODEL_FAILURE=error"}, set...)
	s := guarded(t, env)
	w := s.as(t, "token owner")
	resp, got = s.ask(t, w)
	if resp.StatusCode != http.StatusInternalServerError || !strings.Contains(got, `"model_not_set_up"`) || !strings.Contains(got, `"retryable":false`) ||
		strings.Contains(got, "OPENAI_API_KEY") {
		t.Errorf("over HTTP: %d %s", resp.StatusCode, got)
	}
	c := w.Dial(t, s.at+"/?protocol=docent.v1&session_id=setup")
	say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
	say(t, c, wstest.MessageText, frame("user_message", `"When does the feed pump stop?"`))
	if got := until(t, c, `"error"`); !strings.Contains(got, `"model_not_set_up"`) || strings.Contains(got, "OPENAI_API_KEY") {
		t.Errorf("over WebSocket: %s", got)
	}
	eventually(t, "the log names the setting", func() bool {
		log := s.server.log.String()
		return strings.Contains(log, "does not accept the key") && strings.Contains(log, "check --llm-key or OPENAI_API_KEY")
	})
	if got := docent(t, env, 3, "ask", "When does the feed pump stop?"); strings.Contains(got, "noon") {
		t.Errorf("ask answers %s", got)
	}
}
