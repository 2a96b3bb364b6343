package definition_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"docent/agent/definition"
	"docent/internal/fault"
)

// This and TestLoadProperties cover test_core_property of BAF. docent refuses a value of another
// type, where BAF takes the default.
func TestProperty(t *testing.T) {
	t.Parallel()
	name := definition.Property[string]{Name: "support.name", Description: "whom to ask", Default: "nobody"}
	count := definition.Property[int]{Name: "count", Default: 7}
	on := definition.Property[bool]{Name: "on"}
	p := &definition.Properties{}
	if name.Get(p) != "nobody" || count.Get(p) != 7 || on.Get(nil) || p.Has("count") {
		t.Error("a property that is not set does not have its default")
	}
	if err := name.Set(p, "ada"); err != nil || name.Get(p) != "ada" {
		t.Errorf("set: %v, got %q", err, name.Get(p))
	}
	for _, err := range []error{name.Set(p, 5), count.Set(p, "5"), on.Set(p, "true"), count.Set(p, nil)} {
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("another type was set: %v", err)
		}
	}
	if name.Get(p) != "ada" {
		t.Error("a refused value was set")
	}
}

// TestLoadProperties checks that nested keys are joined and that values are
// converted to the requested type.
func TestLoadProperties(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "agent.yaml")
	text := `nlp:
  threshold: 0.25
  on: true
  word: "true"
  n: three
  size: "42"
  half: 2.9
list: [a, one: {x: 1}, [b], {p: 1, q: 2}]
empty: null
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := definition.LoadProperties(file)
	if err != nil {
		t.Fatal(err)
	}
	same(t, definition.Property[float64]{Name: "nlp.threshold"}.Get(p), 0.25)
	same(t, definition.Property[bool]{Name: "nlp.on"}.Get(p), true)
	same(t, definition.Property[bool]{Name: "nlp.word"}.Get(p), true)
	same(t, definition.Property[int]{Name: "nlp.n", Default: 5}.Get(p), 5)
	same(t, definition.Property[int]{Name: "nlp.size"}.Get(p), 42)
	same(t, definition.Property[int]{Name: "nlp.half"}.Get(p), 2)
	same(t, definition.Property[string]{Name: "nlp.threshold"}.Get(p), "0.25")
	same(t, definition.Property[bool]{Name: "nlp.n", Default: true}.Get(p), true)
	same(t, definition.Property[string]{Name: "empty", Default: "d"}.Get(p), "d")
	same(t, definition.Property[[]any]{Name: "nlp.n", Default: []any{1}}.Get(p), []any{1})
	same(t, len(definition.Property[[]any]{Name: "list"}.Get(p)), 4)
	same(t, definition.Property[string]{Name: "list.0"}.Get(p), "a")
	same(t, definition.Property[int]{Name: "list.one.x"}.Get(p), 1)
	same(t, definition.Property[string]{Name: "list.2.0"}.Get(p), "b")
	same(t, definition.Property[int]{Name: "list.3.q"}.Get(p), 2)

	for name, want := range map[string]string{"agent.json": "must end in .yaml or .yml", "none.yml": "no such file"} {
		if _, err := definition.LoadProperties(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(file, []byte("- a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := definition.LoadProperties(file); err == nil || !strings.Contains(err.Error(), "agent.yaml:1: properties must be") {
		t.Errorf("a list: %v", err)
	}
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v (%T), want %v (%T)", got, got, want, want)
	}
}
