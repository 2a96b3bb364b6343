package guide_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docent/agent/peer"

	"docent/agent"
	"docent/agent/definition"
	"docent/agent/reason"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/tool"
)

// The pages with the code of agents and with their limits.
const (
	guides  = "../../docs/how-to/"
	intents = guides + "agent-messages.md"
	limits  = "../../docs/reference/limits.md"
)

// pages are the pages with code, beside those of fromBAF.
var pages = []string{
	guides + "write-agents.md", guides + "agent-states.md", intents, guides + "agent-tools.md", guides + "run-agents.md",
	"../../docs/reference/agent-yaml.md", "../../docs/reference/agent-go.md",
}

// fromBAF are the pages with the constructs of BAF.
var fromBAF = []string{guides + "coming-from-baf.md", guides + "baf-documents.md"}

// read returns a file's text.
func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// blocks returns the fenced blocks of the pages in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	return blocksOf(t, slices.Concat(pages, fromBAF), language)
}

// blocksOf returns the fenced blocks of some pages in a language.
func blocksOf(t *testing.T, pages []string, language string) []string {
	t.Helper()
	var out []string
	for _, page := range pages {
		for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?\n)```\n").FindAllStringSubmatch(read(t, page), -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// maxPage bounds a page that people read from its beginning, in lines.
const maxPage = 300

// TestPages bounds the guides.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, page := range slices.Concat(pages, fromBAF) {
		if n := strings.Count(read(t, page), "\n"); n > maxPage && strings.HasPrefix(page, guides) {
			t.Errorf("%s has %d lines, at most %d are allowed: divide it by task", page, n, maxPage)
		}
	}
}

// TestMethods looks for each method of a session in the page that lists them.
func TestMethods(t *testing.T) {
	t.Parallel()
	page := read(t, "../../docs/reference/agent-go.md")
	for m := range reflect.TypeFor[*agent.Session]().Methods() {
		if !strings.Contains(page, "`"+m.Name+"`") {
			t.Errorf("the page lacks %s", m.Name)
		}
	}
}

// flat is code without indentation and the spaces before comments.
func flat(code string) string {
	var out []string
	for _, line := range strings.Split(code, "\n") {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(out, "\n")
}

// TestGo checks that the tests of this package contain, and so run, all Go code of
// the guide.
func TestGo(t *testing.T) {
	t.Parallel()
	tests := flat(read(t, "example_test.go")) + flat(read(t, "serve_test.go")) + flat(read(t, "programs_test.go")) + flat(read(t, "baf_test.go"))
	all := blocks(t, "go")
	if len(all) < 10 {
		t.Fatalf("found only %d blocks", len(all))
	}
	for _, block := range all {
		if !strings.HasPrefix(block, "package main") && !strings.Contains(tests, flat(block)) { // TestPrograms runs programs
			t.Errorf("this code of the pages is not run:\n%s", block)
		}
	}
}

// TestYAML checks all YAML of the guide.
func TestYAML(t *testing.T) {
	t.Parallel()
	all := blocks(t, "yaml")
	if len(all) < 3 {
		t.Fatalf("found only %d blocks", len(all))
	}
	for _, block := range all {
		d, err := definition.Parse(t.Context(), "agents.md", []byte(block), definition.Environment{})
		if err != nil {
			t.Errorf("%v in\n%s", err, block)
			continue
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLimits compares the table of limits with the code.
func TestLimits(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"agent.MaxMoves": agent.MaxMoves, "session.MaxReplies": session.MaxReplies, "agent.MaxTextBytes": agent.MaxTextBytes,
		"agent.MaxDocuments": agent.MaxDocuments, "agent.MaxDocumentBytes": agent.MaxDocumentBytes,
		"agent.MaxVariables": agent.MaxVariables, "agent.MaxVariableBytes": agent.MaxVariableBytes, "session.MaxQueueBytes": session.MaxQueueBytes,
		"agent.MaxPeerMessageBytes": agent.MaxPeerMessageBytes, "reason.MaxParallel": reason.MaxParallel,
		"journal.MaxNameBytes": journal.MaxNameBytes, "peer.MaxSessionPeers": peer.MaxSessionPeers, "peer.MaxPeerQueue": peer.MaxPeerQueue,
		"peer.DefaultExchange": peer.DefaultExchange, "agent.MaxTriggers": agent.MaxTriggers,
		"agent.MaxAgentDepth": agent.MaxAgentDepth, "agent.MaxTasks": agent.MaxTasks,
		"agent.MaxConsultations": agent.MaxConsultations, "agent.DefaultTaskTokens": agent.DefaultTaskTokens,
		"reason.DefaultMaxSteps": reason.DefaultMaxSteps, "reason.MaxRunSteps": reason.MaxRunSteps,
		"reason.DefaultHistoryTokens": reason.DefaultHistoryTokens, "reason.DefaultParallel": reason.DefaultParallel,
		"tool.MaxTools": tool.MaxTools, "tool.MaxArguments": tool.MaxArguments, "tool.DefaultMaxResult": tool.DefaultMaxResult,
		"tool.DefaultPage": tool.DefaultPage, "tool.MaxPage": tool.MaxPage, "tool.MaxListing": tool.MaxListing,
		"tool.MaxWorkspaces": tool.MaxWorkspaces, "tool.MaxSkills": tool.MaxSkills, "tool.MaxSkill": tool.MaxSkill,
		"definition.MaxFile": definition.MaxFile, "definition.MaxValues": definition.MaxValues,
		"definition.MaxErrors": definition.MaxErrors, "definition.MaxReply": definition.MaxReply,
		"definition.MaxTerms": definition.MaxTerms, "definition.MaxMedia": definition.MaxMedia,
		"definition.MaxAllMedia": definition.MaxAllMedia,
	}
	text := read(t, limits)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !strings.Contains(text, fmt.Sprintf("| %d | `%s` |\n", want[name], name)) {
			t.Errorf("the limits do not say that %s is %d", name, want[name])
		}
	}
	for _, row := range regexp.MustCompile("\\| \\d+ \\| `([^`]*)` \\|\n").FindAllStringSubmatch(text, -1) {
		if _, ok := want[row[1]]; !ok {
			t.Errorf("the limit %s is not compared", row[1])
		}
	}
}

// TestAccuracy compares the accuracy of intents in the guide with the measured one.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	golden := read(t, "../../agent/intent/testdata/examples.golden")
	line := regexp.MustCompile(`(?m)^all intents, even ids, reported: .*taken right ([\d.]+%), taken wrong ([\d.]+%); .*turned away ([\d.]+%)`).FindStringSubmatch(golden)
	if line == nil {
		t.Fatal("the measurement is gone")
	}
	_, said, _ := strings.Cut(read(t, intents), "messages that were not used to choose the weights")
	said, _, _ = strings.Cut(said, "examples.golden")
	for _, number := range line[1:] {
		if !strings.Contains(said, number) {
			t.Errorf("the guide does not say %s, but:%s", number, said)
		}
	}
}
