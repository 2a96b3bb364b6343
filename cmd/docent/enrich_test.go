package main

import (
	"encoding/json"
	"strings"
	"testing"

	"docent/llm/llmtest"
)

// TestEnrich: the model's questions find a passage in words that it does not
// contain. Texts are written once, and no answer quotes them.
func TestEnrich(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(func(_ int, r llmtest.Request) llmtest.Reply {
		about := r.Messages[0].Content
		switch {
		case strings.Contains(about, "Bilge"):
			return llmtest.Say("About the boat.\nWho gets rid of seawater below deck?\nHow do I keep my yacht from sinking?")
		default:
			return llmtest.Say("About something else.\nWhat can I cook?\nWhere is the oven?")
		}
	})
	t.Cleanup(model.Close)
	docs := t.TempDir()
	write(t, docs, "a.md", "# Bilge\n\nThe pump starts by itself and empties the lowest compartment.\n")
	write(t, docs, "b.md", "# Galley\n\nThe stove burns gas.\n")
	write(t, docs, "c.md", "# Bread\n\nFlour, water, and salt make the dough.\n")
	env := []string{"DOCENT_DATA=" + dataFolder(t)}
	with := append([]string{"DOCENT_MODEL=m", "DOCENT_LLM_URL=" + model.URL}, env...)
	for _, c := range []struct {
		env  []string
		args []string
		want string
	}{
		{env, []string{"ingest", docs, "--enrich"}, "set DOCENT_MODEL"},
		{with, []string{"ingest", docs, "--yes"}, "add --enrich"},
		{with, []string{"ingest", docs, "--enrich", "--watch"}, "--watch"},
		{with, []string{"ingest", docs, "--enrich"}, "add --yes"},
	} {
		p := start(t, c.env, c.args...)
		if code := p.wait(); code != 2 || !strings.Contains(p.log.String(), c.want) {
			t.Errorf("%v: exit status %d, %s", c.args, code, p.log)
		}
	}
	if n := len(model.Requests()); n != 0 {
		t.Errorf("%d calls without consent", n)
	}
	p := start(t, with, "ingest", docs, "--enrich", "--yes", "--json")
	if code := p.wait(); code != 0 || !strings.Contains(p.log.String(), "3 passages: the model m needs 3 calls") {
		t.Fatalf("exit status %d, %s", code, p.log)
	}
	if out := docent(t, with, 0, "ingest", docs, "--enrich"); !strings.Contains(out, "0 enriched, 0 reused, 0 failed, 0 without usable questions") || len(model.Requests()) != 3 {
		t.Errorf("again: %d calls, %s", len(model.Requests()), out)
	}
	// The flags of the model work, too.
	if out := docent(t, env, 0, "ingest", docs, "--enrich", "--model", "m", "--llm-url", model.URL); !strings.Contains(out, "0 enriched") {
		t.Errorf("with flags: %s", out)
	}
	var found searchLine
	out := docent(t, env, 0, "search", "--json", "--explain", "how do I keep my yacht from sinking")
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Results) == 0 || !strings.HasSuffix(found.Results[0].Source, "a.md") || found.Results[0].Features["enrichment"] != 1 {
		t.Errorf("found %s", out)
	}
	if strings.Contains(out, "About the boat") || strings.Contains(docent(t, env, 0, "ask", "who gets rid of seawater below deck?"), "About the boat") {
		t.Error("an enrichment is quoted")
	}
	// Failed calls are not done, and the error says each thing once.
	write(t, docs, "d.md", "# Mast\n\nThe mast is 12 metres high.\n")
	p = start(t, env, "ingest", docs, "--enrich", "--yes", "--model", "m", "--llm-url", "http://127.0.0.1:1/v1")
	if code := p.wait(); code != 1 || !strings.Contains(p.log.String(), "0 of 1 calls done, 1 failed\n") ||
		!strings.Contains(p.log.String(), "is --llm-url or DOCENT_LLM_URL right") || strings.Contains(p.log.String(), "enrich: enrich") {
		t.Errorf("without a server: exit status %d, %s", code, p.log)
	}
}
