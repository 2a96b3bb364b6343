package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestOpenAIPage keeps the parameters in docs/reference/openai.md equal to the code.
// TestOpenAIErrors must refuse each parameter that the page calls refused.
func TestOpenAIPage(t *testing.T) {
	t.Parallel()
	const file = "../docs/reference/openai.md"
	_, body := newWorld().serve(t).do(http.MethodGet, "/openapi.json", "")
	var spec struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Description string }
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &spec); err != nil {
		t.Fatal(err)
	}
	tables := ""
	for _, route := range [][2]string{
		{"POST /v1/chat/completions", "OpenaiChatRequest"}, {"POST /v1/responses", "OpenaiResponseRequest"}, {"POST /v1/embeddings", "OpenaiEmbeddingRequest"},
	} {
		properties := spec.Components.Schemas[route[1]].Properties
		tables += fmt.Sprintf("\n| `%s` | support |\n|---|---|\n", route[0])
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if properties[name].Description == "" {
				t.Errorf("%s: the parameter %s has no description", route[0], name)
			}
			tested := slices.ContainsFunc(slices.Collect(maps.Values(openAIRefusals[route[0]])), func(param string) bool {
				return strings.HasPrefix(param+".", name+".")
			})
			if d := properties[name].Description; !tested && (strings.HasPrefix(d, "Refused") || strings.HasPrefix(d, "Only")) {
				t.Errorf("%s: openAIRefusals lacks %s", route[0], name)
			}
			tables += fmt.Sprintf("| `%s` | %s |\n", name, properties[name].Description)
		}
	}
	keepGenerated(t, file, strings.TrimPrefix(tables, "\n"))
}
