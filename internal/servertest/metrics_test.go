package servertest_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/llm/llmtest"
	"docent/payload"
)

// said is part of the texts that users send in TestMetricsAreDocumented.
const said = "quaggasaid"

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
	s := guarded(t, servertest.Config{Settings: with(scripted(model), map[string]string{
		"speech.url": model.URL, "speech.model": "tts", "speech.transcription-model": "whisper",
	})})
	s.traffic(t)
	_, text := s.Person("token root").Request(t, "GET", s.URL+"/metrics", "")
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
	if n := strings.Count(text, "\ndocent_"); n > 2700 {
		t.Errorf("there are %d series", n)
	}
}

// traffic makes everything count at least once.
func (s *site) traffic(t *testing.T) {
	t.Helper()
	w := s.Person("token both")
	for range 2 { // of which the model refuses one
		w.Request(t, "POST", s.URL+"/api/ask", `{"question":"When does the feed pump stop?"}`, asJSON...)
	}
	w.Request(t, "POST", s.URL+"/api/documents", form, samples["POST /api/documents"].header...)
	w.Request(t, "GET", s.URL+"/api/"+said, "")
	w.Request(t, said, s.URL+"/api/ask", "")
	s.Person("bad token").Request(t, "GET", s.URL+"/api/documents", "")
	w.Request(t, "POST", s.URL+"/api/login", fmt.Sprintf(`{"username":"owner","password":%q}`, servertest.Password), asJSON...)
	for i, until := range []string{"agent_reply_", "turn_finished", "content"} {
		d := dialects[i]
		wantHeard(t, d.name, dialect{last: d.last, answered: until, late: d.late}, w.Dial(t, s.URL+d.path))
	}
	c := w.Dial(t, s.URL+"/")
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
