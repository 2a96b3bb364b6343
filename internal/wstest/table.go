package wstest

import (
	"os"
	"strings"
	"testing"
)

// Table returns the cells of the first table after a line of a Markdown file, without
// its head.
func Table(t *testing.T, path, after string) [][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "\n"+after+"\n")
	if !ok {
		t.Fatalf("%s has no %q", path, after)
	}
	var rows [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
			}
			rows = append(rows, cells)
		case len(rows) > 0:
			return rows[2:] // after the head and its line
		}
	}
	return rows[2:]
}
