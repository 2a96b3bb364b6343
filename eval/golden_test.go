package eval

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/internal/fault"
)

func TestGolden(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "golden.json")
	if _, err := LoadGolden(path); !errors.Is(err, fs.ErrNotExist) || fault.KindOf(err) != fault.Invalid {
		t.Errorf("no file: %v", err)
	}
	g := &Golden{Tolerance: .02}
	g.Update(map[string]float64{"full recall@5": .48666, "full mrr@10": .36})
	if err := g.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"tolerance\": 0.02,\n  \"metrics\": {\n    \"full mrr@10\": 0.3600,\n    \"full recall@5\": 0.4867\n  }\n}\n"; string(data) != want {
		t.Errorf("file\n%s\nwant\n%s", data, want)
	}
	g, err = LoadGolden(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		recall, mrr float64
		drops       []string
	}{
		{.48666, .36, nil},
		{.4667, .34, nil}, // just within
		{.9, .9, nil},
		{.466, .36, []string{"full recall@5: 0.4660, was 0.4867 (tolerance 0.02)"}},
		{.1, .1, []string{"full recall@5", "full mrr@10"}},
		{math.NaN(), .36, []string{"full recall@5"}},
	} {
		err := g.Compare(map[string]float64{"full recall@5": c.recall, "full mrr@10": c.mrr, "new": 0})
		if IsRegression(err) != (c.drops != nil) || c.drops == nil && err != nil {
			t.Errorf("%g, %g: %v", c.recall, c.mrr, err)
		}
		for _, drop := range c.drops {
			if !strings.Contains(err.Error(), drop) {
				t.Errorf("%g, %g: no %q in %v", c.recall, c.mrr, drop, err)
			}
		}
	}
	if err := g.Compare(map[string]float64{"full mrr@10": .4}); !IsRegression(err) || !strings.Contains(err.Error(), "full recall@5: not measured") {
		t.Errorf("a metric missing: %v", err)
	}
	g.Update(map[string]float64{"full recall@5": .5, "other": 1})
	if len(g.Metrics) != 2 || g.Metrics["full recall@5"] != .5 || g.Metrics["full mrr@10"] != .36 {
		t.Errorf("updated %v", g.Metrics)
	}
	for _, text := range []string{"", "[]", "{}", `{"tolerance":-1,"metrics":{"a":1}}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadGolden(path); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}
