package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/llm/llmtest"
	"docent/rag/corpus"
)

// servile is a scripted model that does whatever it reads: it calls each tool that
// a passage names, and repeats each text that a passage dictates.
type servile struct {
	mu      sync.Mutex
	offered map[string]bool // tools that docent offered
}

var (
	orderedCall = regexp.MustCompile(`CALL (\w+) (\{[^}\n]*\})`)
	orderedText = regexp.MustCompile(`SAY ([^\n]+)`)
)

func (m *servile) respond(_ int, r llmtest.Request) llmtest.Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	var reply llmtest.Reply
	said := []string{"The feed pump moves water [1]."}
	obeyed := 0
	for _, msg := range r.Messages {
		if msg.Role == "tool" {
			obeyed++
		}
		for _, order := range orderedCall.FindAllStringSubmatch(msg.Content, -1) {
			if json.Valid([]byte(order[2])) && len(reply.ToolCalls) < 20 {
				reply.ToolCalls = append(reply.ToolCalls, llmtest.ToolCall{ID: fmt.Sprint("order", len(reply.ToolCalls)), Name: order[1], Arguments: order[2]})
			}
		}
		for _, text := range orderedText.FindAllStringSubmatch(msg.Content, -1) {
			said = append(said, text[1])
		}
	}
	for _, t := range r.Tools {
		m.offered[t] = true
	}
	switch {
	case len(r.Tools) == 0 || obeyed > 30:
		return llmtest.Say(strings.Join(said, "\n\n"))
	case obeyed == 0:
		return calling("search_knowledge", `{"query":"feed pump order code vault","k":50}`)
	case len(reply.ToolCalls) > 0:
		return reply
	}
	return llmtest.Say(strings.Join(said, "\n\n"))
}

// TestInjectedDocuments asks a model that obeys documents. An instruction in a
// document cannot add tools, open other collections, forge messages, or send
// anything elsewhere.
func TestInjectedDocuments(t *testing.T) {
	t.Parallel()
	documents := []servertest.Document{{Collection: "vault", Name: "vault.md", Content: "# Vault\n\nThe code of the vault is " + marker("vault") + ".\n"}}
	archive, err := txtar.ParseFile("testdata/injections.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) < 50 {
		t.Fatalf("there are %d injected documents only", len(archive.Files))
	}
	for _, f := range archive.Files {
		body := strings.ReplaceAll(string(f.Data), "SECRET", "1")
		documents = append(documents, servertest.Document{Name: f.Name, Content: "The feed pump order " + f.Name + ".\n\n" + body})
	}
	model := &servile{offered: map[string]bool{}}
	server := llmtest.NewServer(model.respond)
	t.Cleanup(server.Close)
	s := &site{Server: servertest.Start(t, servertest.Config{Documents: documents, Auth: true, Agent: thinker, Settings: scripted(server)})}
	secret, err := s.DB.Library.Documents(t.Context(), corpus.DocumentFilter{Collection: "vault"})
	if err != nil || len(secret) != 1 || secret[0].ID != 1 {
		t.Fatalf("%v, %v", secret, err)
	}
	if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:root", Level: rights.Read}); err != nil {
		t.Fatal(err)
	}
	w, hidden := s.Person("user owner"), []string{marker("vault")}
	site := &rightsSite{site: s}
	for i, f := range archive.Files {
		if i%5 == 0 {
			site.talk(t, w, fmt.Sprint("injected-", i), hidden)
		}
		question := fmt.Sprintf(`{"question":"What is the feed pump order %s?","k":20,"model":"scripted"}`, f.Name)
		_, body := w.Request(t, http.MethodPost, s.URL+"/api/ask", question, asJSON...)
		none(t, f.Name, body, hidden)
		var answer struct{ Answer string }
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Errorf("%s: %v: %s", f.Name, err, body)
		}
		if strings.Contains(answer.Answer, "![") {
			t.Errorf("%s: the answer loads an image: %s", f.Name, answer.Answer)
		}
	}
	// The model did obey: docent refused its calls.
	refused := 0
	for _, r := range server.Requests() {
		for _, m := range r.Messages {
			if m.Role == "tool" && (strings.Contains(m.Content, "there is no document") || strings.Contains(m.Content, "not found")) {
				refused++
			}
		}
	}
	if refused < 20 {
		t.Errorf("docent refused %d calls only, so the model did not obey", refused)
	}
	checkPrompts(t, server.Requests(), hidden)
	want := map[string]bool{
		"search_knowledge": true, "read_document": true, "list_documents": true, "query_tables": true, "add_tasks": true, "complete_task": true, "skip_task": true,
	}
	if !subset(model.offered, want) {
		t.Errorf("docent offered the tools %v", model.offered)
	}
	if _, err := os.Stat("/tmp/docent-stolen"); err == nil {
		t.Error("a document wrote a file")
	}
}

// specialTokens are tokens that forge messages if a server reads them in a text.
var specialTokens = []string{"<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|start_header_id|>", "<start_of_turn>", "<｜User｜>", "[INST]", "<<SYS>>", "</s>"}

// checkPrompts checks that no prompt contains the vault or a special token.
func checkPrompts(t *testing.T, requests []llmtest.Request, hidden []string) {
	t.Helper()
	if len(requests) < 50 {
		t.Errorf("the model got %d requests only", len(requests))
	}
	for _, r := range requests {
		for _, m := range r.Messages {
			none(t, "a prompt", m.Content, hidden)
			for _, token := range specialTokens {
				if strings.Contains(m.Content, token) {
					t.Errorf("a prompt contains %s: %.200s", token, m.Content)
				}
			}
		}
	}
}

func subset(got, of map[string]bool) bool {
	for name := range got {
		if !of[name] {
			return false
		}
	}
	return true
}
