package api

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"docent/api/route"
	"docent/auth"
)

var update = flag.Bool("update", false, "write docs/openapi.json and the generated part of docs/reference/http.md")

// TestReferencePage keeps the routes in docs/reference/http.md equal to the code.
func TestReferencePage(t *testing.T) {
	t.Parallel()
	const file = "../docs/reference/http.md"
	resp, body := newWorld().serve(t).do(http.MethodGet, "/openapi.json", "")
	var spec struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	if err := json.Unmarshal([]byte(body), &spec); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, err)
	}
	names := map[auth.Scope]string{route.Public: "everyone", route.Known: "signed in"}
	table := "| route | description | access |\n|---|---|---|\n"
	for _, a := range Routes() {
		method, path, _ := strings.Cut(a.Route, " ")
		summary := spec.Paths[path][strings.ToLower(method)].Summary
		if path == "/openapi.json" {
			summary = "Get the OpenAPI description of these routes"
		}
		if summary == "" {
			t.Errorf("%s has no summary", a.Route)
		}
		access := names[a.Scope]
		if access == "" {
			access = "`" + string(a.Scope) + "`"
		}
		table += fmt.Sprintf("| `%s` | %s | %s |\n", a.Route, summary, access)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), "-update -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks around its generated part", file)
	}
	want := before + "-update -->\n" + table + "<!-- end -->" + after
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date; run: go test ./api -run TestReferencePage -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDescription keeps docs/openapi.json equal to the routes. The web page
// generates its types from this file.
func TestDescription(t *testing.T) {
	t.Parallel()
	const file = "../docs/openapi.json"
	resp, body := newWorld().serve(t).do(http.MethodGet, "/openapi.json", "")
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode)
	}
	want := body + "\n"
	if raw, err := os.ReadFile(file); err == nil && string(raw) == want {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date; run: go test ./api -run TestDescription -update && npm --prefix web run generate", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
