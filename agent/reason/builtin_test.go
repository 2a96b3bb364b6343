package reason_test

import (
	"testing"

	"docent/agent/reason"
	"docent/agent/tool"
	"docent/llm/llmtest"
)

// TestBuiltInTools: recordings know all tools of docent itself.
func TestBuiltInTools(t *testing.T) {
	t.Parallel()
	spaces, err := tool.OpenWorkspaces(tool.Workspace{Name: "w", Path: t.TempDir(), Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spaces.Close() })
	model := llmtest.NewModel(llmtest.Script(llmtest.Say("Hello")))
	inProcess(t, reason.Options{Knowledge: knowledge(), Workspaces: spaces, Memory: true}, model).ask("Hi")
	offered := model.Requests()[0].Tools
	if len(offered) < 10 {
		t.Fatalf("only %d tools are offered", len(offered))
	}
	for _, name := range offered {
		if !tool.IsBuiltIn(name) {
			t.Errorf("%s is missing in the list of built-in tools", name)
		}
	}
}
