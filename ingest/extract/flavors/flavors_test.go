package flavors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlain reads each file of testdata, and compares the result with the file of the same name
// that ends with .golden.
func TestPlain(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.md*")
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".golden") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text := CutFrontMatter(string(data))
		got := Plain(name, text)
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(name+".golden", []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
