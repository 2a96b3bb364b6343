package config_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docent/agent/definition"
	"docent/config"
	"docent/llm"
	"docent/llm/llmtest"
)

// bafProperties are all properties that BAF 4.4.0 reads. They include properties
// that exist only in its code.
var bafProperties = strings.Fields(`
	agent.check_transitions_delay
	platforms.websocket.host platforms.websocket.port platforms.websocket.max_size platforms.websocket.origins
	platforms.websocket.streamlit.host platforms.websocket.streamlit.port
	platforms.websocket.streamlit.chat.size platforms.websocket.streamlit.chat.font platforms.websocket.streamlit.chat.line_spacing
	platforms.websocket.streamlit.chat.alignment platforms.websocket.streamlit.chat.color platforms.websocket.streamlit.chat.contrast
	nlp.language nlp.region nlp.timezone nlp.pre_processing nlp.intent_threshold
	nlp.openai.api_key nlp.huggingface.token nlp.replicate.api_key
	db.monitoring.enabled db.monitoring.dialect db.monitoring.host db.monitoring.database
	db.monitoring.username db.monitoring.password db.monitoring.port
	db.streamlit.enabled db.streamlit.dialect db.streamlit.host db.streamlit.database
	db.streamlit.username db.streamlit.password db.streamlit.port
	db.sql.<name>.dialect db.sql.<name>.host db.sql.<name>.port db.sql.<name>.database
	db.sql.<name>.username db.sql.<name>.password db.sql.<name>.file
	platforms.telegram.token platforms.github.personal_token platforms.github.webhook_token platforms.github.webhook_port
	platforms.gitlab.personal_token platforms.gitlab.webhook_token platforms.gitlab.webhook_port platforms.a2a.port
	Agent(name) Agent(persist_sessions) Agent(user_profiles_path) Agent(agent_configurations_path)
	use_websocket_platform(use_ui) use_websocket_platform(authenticate_users)
	RAG:passages RAG:history LLM:history reasoning:max_steps`)

var (
	code = regexp.MustCompile("`[^`]+`")
	// agentFile maps keys of agent files to examples.
	agentFile = map[string]string{
		"name:":                  "name: n",
		"timezone:":              "timezone: Europe/Madrid",
		"threshold:":             "threshold: 0.4",
		"k:":                     "k: 4",
		"history:":               "history: 0",
		"tools.mcp:":             "tools: {mcp: []}",
		"rag.k:":                 "states: {s: {initial: true, body: [{rag: {k: 4}}]}}",
		"rag.history:":           "states: {s: {initial: true, body: [{rag: {history: 1}}]}}",
		"reason.history_tokens:": "states: {s: {initial: true, body: [{reason: {history_tokens: 1000}}]}}",
		"reason.max_steps:":      "states: {s: {initial: true, body: [{reason: {max_steps: 8}}]}}",
	}
)

// named checks that a name in the table is one of docent's.
func named(t *testing.T, row, name string) {
	t.Helper()
	settings := config.Settings()
	has := func(match func(s config.Setting) bool) bool { return slices.ContainsFunc(settings, match) }
	name, _, _ = strings.Cut(name, " ") // of an example
	variable, _, _ := strings.Cut(name, "=")
	switch {
	case strings.HasPrefix(name, "--"):
		if !has(func(s config.Setting) bool { return "--"+s.Flag == name }) {
			t.Errorf("%s: there is no flag %s", row, name)
		}
	case strings.ToUpper(variable) == variable:
		if !has(func(s config.Setting) bool { return slices.Contains(s.Env, variable) }) {
			t.Errorf("%s: there is no %s in the environment", row, variable)
		}
	case strings.HasSuffix(name, ":"):
		text, ok := agentFile[name]
		if !ok {
			t.Errorf("%s: say in this test what an agent's file with %s is", row, name)
		}
		if !strings.Contains(text, "name:") {
			text = "name: n\n" + text
		}
		if !strings.Contains(text, "states:") {
			text += "\nstates: {s: {initial: true}}"
		}
		model := llmtest.NewModel(llmtest.Script())
		d, err := definition.Parse(t.Context(), "agent.yaml", []byte(text), definition.Environment{Models: map[string]llm.Model{"m": model}, Model: "m"})
		if err != nil {
			t.Errorf("%s: a file with %s is refused: %v", row, name, err)
			return
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	default:
		if !has(func(s config.Setting) bool { return s.Key == name }) {
			t.Errorf("%s: there is no setting %s", row, name)
		}
	}
}

// The table of docs/explanation/baf-differences.md lists each property of BAF
// once. Each replacement in the table exists.
func TestBAFProperties(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/explanation/baf-differences.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(raw), "| BAF | docent | how |\n|---|---|---|\n")
	if !ok {
		t.Fatal("the table is gone")
	}
	var found []string
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			break
		}
		property := strings.ReplaceAll(strings.ReplaceAll(cells[0], "`", ""), " ", "")
		found = append(found, property)
		ours := code.FindAllString(cells[1], -1)
		if none := strings.TrimSpace(cells[1]) == "none"; none != (len(ours) == 0) || strings.TrimSpace(cells[2]) == "" {
			t.Errorf("%s: neither a setting nor a reason for none", property)
		}
		for _, name := range append(ours, code.FindAllString(cells[2], -1)...) {
			name = strings.Trim(name, "`")
			if foreign[name] {
				continue
			}
			named(t, property, name)
		}
	}
	want := slices.Sorted(slices.Values(bafProperties))
	if got := slices.Sorted(slices.Values(found)); !slices.Equal(got, want) {
		t.Errorf("the table has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// foreign are names in reasons that are neither settings nor keys: variables of
// a session, and Go.
var foreign = map[string]bool{"user_language": true, "detected_language": true, "intent.ExamplesConfig.Verbatim": true}
