package tool

import (
	"strings"
	"testing"
)

// TestScope checks that documents of other collections are not found, listed, or
// read within a scope.
func TestScope(t *testing.T) {
	t.Parallel()
	_, s := library(t)
	ctx := WithScope(t.Context(), Scope{Collections: []string{"legal"}, K: 1})
	ask := func(name, args string) string { return s.Invoke(ctx, name, []byte(args)).Content }
	if got := ask("search_knowledge", `{"query":"session minutes message damages","k":5}`); !strings.Contains(got, `from="Terms`) || strings.Contains(got, "Limits") {
		t.Errorf("found %s", got)
	}
	for call, want := range map[string]string{
		`search_knowledge {"query":"x","collection":"default"}`: "Collection 'default' not found. Available: ['legal']",
		`list_documents {"collection":"default"}`:               "Collection 'default' not found. Available: ['legal']",
		`list_documents {}`:                                     "document 3: Terms",
		`read_document {"id":1}`:                                "document 1 is in none of the collections",
		`read_document {"id":3}`:                                "The supplier pays",
	} {
		name, args, _ := strings.Cut(call, " ")
		if got := ask(name, args); !strings.Contains(got, want) || strings.Contains(got, "Limits") {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
	ctx = WithScope(t.Context(), Scope{Collections: []string{"legal", "default"}, K: 2})
	if got := ask("list_documents", `{}`); !strings.Contains(got, "name one of the collections that the user wants answers from: ['legal', 'default']") {
		t.Errorf("of two: %s", got)
	}
	got := ask("search_knowledge", `{"query":"session end","k":50}`)
	if n := strings.Count(got, "<passage "); n < 1 || n > 2 {
		t.Errorf("of two: %s", got)
	}
}
