package archtest

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRaced: each package that starts goroutines is in RACED of the Makefile, so that its tests
// run with the race detector, and no package in UNRACED has locks. The tests of programs start the
// finished program, without the race detector.
func TestRaced(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := func(name string) []string {
		found := regexp.MustCompile(`(?m)^` + name + ` := ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
		if found == nil {
			t.Fatalf("the Makefile does not set %s", name)
		}
		return strings.Fields(strings.NewReplacer(`\`, " ", "./", "").Replace(string(found[1])))
	}
	raced, unraced := list("RACED"), list("UNRACED")
	program := level("cmd/docent")
	missing := map[string]bool{}
	for _, s := range sources(t) {
		plain := slices.Contains(unraced, s.dir)
		if s.test || level(s.dir) == program || s.dir == "internal/servertest" ||
			!plain && slices.ContainsFunc(raced, func(p string) bool { return covers(p, s.dir) }) {
			continue
		}
		if at := slices.IndexFunc(s.file.Imports, func(i *ast.ImportSpec) bool { return strings.HasPrefix(i.Path.Value, `"sync`) }); plain && at >= 0 {
			t.Errorf("%s imports %s: remove ./%s from UNRACED in the Makefile", s.fset.Position(s.file.Imports[at].Pos()), s.file.Imports[at].Path.Value, s.dir)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if startsGoroutine(n) && !missing[s.dir] {
				missing[s.dir] = true
				t.Errorf("%s starts a goroutine: add ./%s to RACED in the Makefile", s.fset.Position(n.Pos()), s.dir)
			}
			return true
		})
	}
}

// startsGoroutine reports whether a node is a go statement, or a call of a method Go, such as that
// of sync.WaitGroup.
func startsGoroutine(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		method, ok := n.Fun.(*ast.SelectorExpr)
		return ok && method.Sel.Name == "Go"
	}
	return false
}
