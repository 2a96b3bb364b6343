package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docent/internal/wstest"
	"docent/llm/llmtest"
	"docent/payload"
)

// TestMetricsAreDocumented: the metrics of a server after some traffic are
// those in the table of docs/reference/metrics.md.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(docent_[a-z_]+(?:\\{[a-z,]+\\})?)` \\| [^|]+ \\|$").FindAllStringSubmatch(string(raw), -1) {
		documented[row[1]] = true
	}
	model := llmtest.NewServer(llmtest.Script(llmtest.Say("At noon [1]."), llmtest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}))
	t.Cleanup(model.Close)
	s := guarded(t, []string{
		"DOCENT_DATA=" + t.TempDir(), "DOCENT_LLM_URL=" + model.URL, "DOCENT_MODEL=scripted", "OPENAI_API_KEY=none",
		"DOCENT_SPEECH_URL=" + model.URL, "DOCENT_SPEECH_MODEL=tts", "DOCENT_TRANSCRIPTION_MODEL=whisper",
	})
	s.traffic(t)
	_, text := s.as(t, "token root").request(t, "GET", s.at+"/metrics", "")
	printed := metricNames(text)
	for name := range printed {
		if !documented[name] {
			t.Errorf("%s is not in docs/reference/metrics.md", name)
		}
	}
	for name := range documented {
		if !printed[name] {
			t.Errorf("%s is in docs/reference/metrics.md and is not printed; there are %v", name, slices.Sorted(maps.Keys(printed)))
		}
	}
	for _, secret := range []string{said, "owner", "pump", "session_"} {
		if line := regexp.MustCompile(`(?m)^docent_.*` + secret + `[^}].*$`).FindString(text); line != "" && !strings.Contains(line, "{session_id}") {
			t.Errorf("a metric has %q: %s", secret, line)
		}
	}
	if n := strings.Count(text, "\ndocent_"); n > 1500 {
		t.Errorf("there are %d series", n)
	}
}

// traffic makes everything count at least once.
func (s *site) traffic(t *testing.T) {
	t.Helper()
	w := s.as(t, "token both")
	for range 2 { // of which the model refuses one
		w.request(t, "POST", s.at+"/api/ask", `{"question":"When does the feed pump stop?"}`, asJSON...)
	}
	w.request(t, "POST", s.at+"/api/documents", form, samples["POST /api/documents"].header...)
	w.request(t, "GET", s.at+"/api/"+said, "")
	w.request(t, said, s.at+"/api/ask", "")
	s.as(t, "bad token").request(t, "GET", s.at+"/api/documents", "")
	w.request(t, "POST", s.at+"/api/login", fmt.Sprintf(`{"username":"owner","password":%q}`, password), asJSON...)
	for i, until := range []string{"agent_reply_", "turn_finished", "content"} {
		d := dialects[i]
		wantHeard(t, d.name, dialect{last: d.last, answered: until, late: d.late}, w.dial(t, s.at+d.path))
	}
	c := w.dial(t, s.at+"/")
	hear(t, c)
	say(t, c, wstest.MessageText, frame(payload.UserVoice, `"UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="`))
	hear(t, c)
}

// metricNames returns the names of the metrics in a text with their labels. A
// histogram counts as one metric.
func metricNames(text string) map[string]bool {
	out := map[string]bool{}
	label := regexp.MustCompile(`([a-z_]+)="`)
	for _, line := range regexp.MustCompile(`(?m)^docent_[^ ]+`).FindAllString(text, -1) {
		name, rest, _ := strings.Cut(line, "{")
		var labels []string
		for _, l := range label.FindAllStringSubmatch(rest, -1) {
			if l[1] != "le" {
				labels = append(labels, l[1])
			}
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if len(labels) > 0 {
			name += "{" + strings.Join(labels, ",") + "}"
		}
		out[name] = true
	}
	return out
}
