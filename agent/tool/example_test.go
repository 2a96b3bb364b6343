package tool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent/tool"
)

// A tool is a Go function. The model sees a description of the struct of its
// arguments.
func ExampleNew() {
	type arguments struct {
		City string `json:"city" description:"The town, in English."`
		Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
	}
	weather, err := tool.New("weather", "Tell today's weather.", func(_ context.Context, in arguments) (any, error) {
		if in.City != "Paris" {
			return nil, &tool.Error{Text: "only Paris has a weather station"}
		}
		return map[string]any{"degrees": 21, "sky": "clear"}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := tool.NewSet(tool.SetConfig{Tools: []tool.Tool{weather}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(weather.Parameters))
	for _, call := range []string{`{"city":"Paris"}`, `{"city":"Rome"}`, `{"town":"Paris"}`, `{}`} {
		fmt.Println(set.Invoke(context.Background(), "weather", json.RawMessage(call)).Content)
	}
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"The town, in English."},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["city"],"additionalProperties":false}
	// {"degrees":21,"sky":"clear"}
	// ERROR: only Paris has a weather station
	// ERROR: ToolError: Tool 'weather' received unknown argument(s): ['town']
	// ERROR: ToolError: Tool 'weather' missing required argument(s): ['city']
}

// Workspaces give a model access to the files of some folders only.
func ExampleOpenWorkspaces() {
	films, err := tool.OpenWorkspaces(tool.Workspace{Name: "films", Path: "testdata/films"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer films.Close()
	tools, err := films.Tools()
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := tool.NewSet(tool.SetConfig{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"inception.md", "../schema.json"} {
		arguments := json.RawMessage(fmt.Sprintf(`{"relative_path":%q}`, path))
		fmt.Println(set.Invoke(context.Background(), "read_file", arguments).Content)
	}
	// Output:
	// Inception is a film.
	//
	// ERROR: WorkspaceError: Path escapes workspace 'films': '../schema.json'
}
