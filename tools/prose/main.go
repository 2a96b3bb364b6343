// Command prose checks the documentation, the texts of the page, and the comments
// of the Go code for prose that is hard to read: long sentences, long lines and paragraphs, invented or British
// words, some constructions, and broken links. Run it in the root of the
// repository. Generated pages contain the help texts, so they are checked too.
package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pageTexts holds the English texts of the page.
const pageTexts = "web/src/words/en"

// skipped are folders without documentation.
var skipped = []string{".git", ".library", "bin", "dist", "examples", "node_modules", "testdata"}

func main() {
	findings, err := checkAll(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		fmt.Fprintf(os.Stderr, "prose: %d findings; CONTRIBUTING.md has the rules\n", len(findings))
		os.Exit(1)
	}
}

// finding is one broken rule.
type finding struct {
	file string
	line int
	text string
}

// String formats the finding like a compiler error.
func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.text) }

// checkAll checks all files of the repository that have rules.
func checkAll(root fs.FS) ([]finding, error) {
	var files []string
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains(skipped, d.Name()) {
			return fs.SkipDir
		}
		if err == nil && (strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".go")) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	texts, err := fs.Glob(root, pageTexts+"/*.ts")
	if err != nil {
		return nil, err
	}
	files = append(files, texts...)
	var out []finding
	for _, file := range files {
		raw, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		switch filepath.Ext(file) {
		case ".ts":
			out = append(out, checkStrings(file, string(raw))...)
			continue
		case ".go":
			found, err := checkComments(file, string(raw))
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
			continue
		}
		page := parse(string(raw))
		out = append(out, checkPage(file, page)...)
		out = append(out, checkLinks(root, file, page)...)
	}
	slices.SortStableFunc(out, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return out, nil
}
