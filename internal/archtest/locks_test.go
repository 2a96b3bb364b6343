package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// TestMutexes fails for a parameter, a result, or a field that is a pointer to a mutex. A mutex
// belongs to one object, whose comment says what it guards.
func TestMutexes(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			pointer, ok := field.Type.(*ast.StarExpr)
			if !ok {
				return true
			}
			if sel, ok := pointer.X.(*ast.SelectorExpr); ok && imported(s, "sync") != "" && isMutex(sel) {
				t.Errorf("%s: a pointer to a mutex: the object with the mutex has the data that it guards",
					s.fset.Position(field.Pos()))
			}
			return true
		})
	}
}

// isMutex reports whether a selector is sync.Mutex or sync.RWMutex.
func isMutex(sel *ast.SelectorExpr) bool {
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "sync" && (sel.Sel.Name == "Mutex" || sel.Sel.Name == "RWMutex")
}

// TestLocked fails for an exported function named …Locked. Its caller would hold a mutex of
// another package.
func TestLocked(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				checkLocked(t, s, n.Name)
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						checkLocked(t, s, name)
					}
				}
			}
			return true
		})
	}
}

func checkLocked(t *testing.T, s source, name *ast.Ident) {
	t.Helper()
	if prefix, ok := strings.CutSuffix(name.Name, "Locked"); ok && prefix != "" && name.IsExported() {
		t.Errorf("%s: %s is exported: only the package with the mutex may hold it", s.fset.Position(name.Pos()), name.Name)
	}
}
