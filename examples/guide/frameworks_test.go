package guide_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFrameworks checks that each row of the comparison is read, or names a test that tries docent's part.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "dist"):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			code.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := code.String()
	rows := regexp.MustCompile(`(?m)^\| (.*?) \|.*\| (.*?) \|$`).FindAllStringSubmatch(read(t, "../../docs/explanation/agent-frameworks.md"), -1)
	tried := regexp.MustCompile("^docent (and BAF )?tried: `(Test[A-Za-z]+)`$")
	if len(rows) < 15 {
		t.Fatalf("found only %d rows", len(rows))
	}
	for _, row := range rows[1:] { // the first is the header
		name := tried.FindStringSubmatch(row[2])
		switch {
		case row[2] == "read":
		case name == nil:
			t.Errorf("the row %q has the source %q", row[1], row[2])
		case !strings.Contains(tests, "\nfunc "+name[2]+"(t *testing.T) {"):
			t.Errorf("the row %q names the test %s, which does not exist", row[1], name[2])
		}
	}
}
