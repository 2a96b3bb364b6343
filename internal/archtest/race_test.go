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
// run with the race detector. The tests of programs start the finished program, without it.
func TestRaced(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^RACED := ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	if found == nil {
		t.Fatal("the Makefile does not set RACED")
	}
	raced := strings.Fields(strings.NewReplacer(`\`, " ", "./", "").Replace(string(found[1])))
	program := level("cmd/docent")
	missing := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || level(s.dir) == program || slices.ContainsFunc(raced, func(p string) bool { return covers(p, s.dir) }) {
			continue
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
