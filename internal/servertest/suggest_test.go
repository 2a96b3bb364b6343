package servertest_test

import (
	"net/http"
	"strings"
	"testing"

	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/llm/llmtest"
)

// TestSuggestions asks for suggested questions and outlines with and without the right to read.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Documents: []servertest.Document{
		{Collection: "default", Name: "a.md", Content: "# Garden rules\n\n## Watering the plants\n\nWater the plants in the morning, before the sun is high.\n"},
		{Collection: "plans", Name: "b.md", Content: "# Zqsecret plans\n\n## Opening a second garden\n\nThe second garden opens in spring with ten people.\n"},
		{Collection: "plans", Name: "c.md", Content: "# Zqthird plans\n\nThe third garden opens in summer with twenty people.\n"},
	}})
	reader, other := s.Person("user owner"), s.Person("user both")
	if err := s.DB.Rights.SetRight(t.Context(), "plans", rights.Grant{Subject: reader.ID, Level: rights.Read}); err != nil {
		t.Fatal(err)
	}
	get := func(by who, path string, status int) string {
		t.Helper()
		resp, body := by.Request(t, http.MethodGet, s.URL+path, "")
		if resp.StatusCode != status {
			t.Fatalf("%s: GET %s: %d %s", by.Name, path, resp.StatusCode, body)
		}
		return body
	}
	// The reader's call fills the cache before the others ask.
	const all = "/api/suggestions?limit=20"
	if got := get(reader, all, 200); !strings.Contains(got, "Zqsecret plans") || !strings.Contains(got, "Garden rules") {
		t.Errorf("suggestions for the reader are %s", got)
	}
	if got := get(other, all, 200); strings.Contains(got, "Zq") || !strings.Contains(got, "Garden rules") {
		t.Errorf("suggestions for a user without the right are %s", got)
	}
	if got := get(other, all+"&collection=plans", 200); got != `{"questions":[]}`+"\n" {
		t.Errorf("suggestions from an unreadable collection are %s", got)
	}
	got := get(reader, "/api/documents/2/outline", 200)
	for _, want := range []string{`"text":"Opening a second garden"`, "The second garden opens in spring with ten people.", `"next":{"id":3,"title":"Zqthird plans"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("the outline lacks %s: %s", want, got)
		}
	}
	if strings.Contains(got, `"previous"`) {
		t.Errorf("the first document has a previous one: %s", got)
	}
	if got := get(reader, "/api/documents/2/questions", 200); !strings.Contains(got, "about “Opening a second garden”?") {
		t.Errorf("the questions are %s", got)
	}
	get(other, "/api/documents/2/outline", 404)
	get(other, "/api/documents/2/questions", 404)
}

// TestDescriptionByModel lets a model describe a document: once for all readers, and for nobody else. Visits of the start page cost
// nothing.
func TestDescriptionByModel(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		model := llmtest.NewServer(func(int, llmtest.Request) llmtest.Reply {
			return llmtest.Say("The second garden opens in spring.\nIt opens with ten people.\nWhen does the second garden open?\nWho is the mayor of Lisbon?\n")
		})
		t.Cleanup(model.Close)
		s := guarded(t, servertest.Config{
			Store: store, Settings: scripted(model),
			Documents: []servertest.Document{
				{Collection: "plans", Name: "b.md", Content: "# Plans\n\n## Opening a second garden\n\nThe second garden opens in spring with ten people.\n"},
			},
		})
		first, second, other := s.Person("user owner"), s.Person("user root"), s.Person("user both")
		for _, w := range []who{first, second} {
			if err := s.DB.Rights.SetRight(t.Context(), "plans", rights.Grant{Subject: w.ID, Level: rights.Read}); err != nil {
				t.Fatal(err)
			}
		}
		asked := func() (n int) {
			for _, r := range model.Requests() {
				if strings.Contains(r.Messages[len(r.Messages)-1].Content, "You describe a document") {
					n++
				}
			}
			return n
		}
		get := func(by who, path string, status int) string {
			t.Helper()
			resp, body := by.Request(t, http.MethodGet, s.URL+path, "")
			if resp.StatusCode != status {
				t.Fatalf("%s: GET %s: %d %s", by.Name, path, resp.StatusCode, body)
			}
			return body
		}
		get(first, "/api/suggestions", 200)
		get(first, "/api/documents/1/outline", 200)
		if n := asked(); n != 0 {
			t.Errorf("the model was asked %d times before somebody opened the document", n)
		}
		get(other, "/api/documents/1/description", 404)
		const want = `{"summary":["The second garden opens in spring.","It opens with ten people."],"questions":["When does the second garden open?"],"model":"scripted"}` + "\n"
		for _, w := range []who{first, second, first} {
			if got := get(w, "/api/documents/1/description", 200); got != want {
				t.Errorf("the description for %s is %s, want %s", w.Name, got, want)
			}
		}
		if n := asked(); n != 1 {
			t.Errorf("the model was asked %d times, want once", n)
		}
	})
}
