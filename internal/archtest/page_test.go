package archtest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page is the page that lists the packages.
const page = "docs/explanation/packages.md"

// named matches a name in backticks.
var named = regexp.MustCompile("`([^`]+)`")

// names returns the names in backticks in a cell of a table.
func names(cell string) []string {
	var out []string
	for _, m := range named.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// listed returns the folders that the table of packages may mean. Names in the
// second column are relative to the folders in the first column, or whole. rows are
// the folders of the first column alone.
func listed(table string) (all map[string]bool, rows []string) {
	all = map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, folder := range names(cells[1]) {
			folder, family := strings.CutSuffix(folder, "/…")
			if rows = append(rows, folder); !family {
				all[folder] = true
			}
			for _, name := range names(cells[2]) {
				all[name] = true
				if family {
					all[path.Join(folder, name)] = true
				}
			}
		}
	}
	return all, rows
}

// TestPackagesPage fails for a package that the page about the packages
// does not list, and for a folder that it lists and that does not exist.
func TestPackagesPage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root(t), page))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(data), "| package | purpose |\n")
	table, _, ends := strings.Cut(table, "\n\n")
	if !found || !ends {
		t.Fatalf("%s has no table of packages", page)
	}
	all, rows := listed(table)
	var dirs []string
	for _, s := range sources(t) {
		if !s.test && !slices.Contains(dirs, s.dir) {
			dirs = append(dirs, s.dir)
		}
	}
	for _, dir := range dirs {
		if !all[dir] {
			t.Errorf("%s does not list the package %s: add it to the table of packages", page, dir)
		}
	}
	for _, row := range rows {
		if _, err := os.Stat(filepath.Join(root(t), row)); err != nil {
			t.Errorf("%s lists %s, which does not exist", page, row)
		}
	}
}
