package archtest

import (
	"bytes"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// room is a package with the facts that decide whether it is a package of its own.
type room struct {
	lines     int      // of its code
	importers []string // the folders of other packages whose code imports it
	tests     bool     // it has tests
	needs     []string // the folders that its tests import
}

// rooms returns the packages of the module by folder.
func rooms(t *testing.T) map[string]*room {
	t.Helper()
	all := map[string]*room{}
	at := func(dir string) *room {
		if all[dir] == nil {
			all[dir] = &room{}
		}
		return all[dir]
	}
	for _, s := range sources(t) {
		r := at(s.dir)
		if s.test {
			r.tests = r.tests || hasTest(s)
		} else {
			data, err := os.ReadFile(filepath.Join(root(t), s.path))
			if err != nil {
				t.Fatal(err)
			}
			r.lines += bytes.Count(data, []byte("\n"))
		}
		for _, imp := range imports(s) {
			dir, ok := folder(imp)
			switch {
			case !ok || dir == s.dir:
			case s.test:
				r.needs = append(r.needs, dir)
			case !slices.Contains(at(dir).importers, s.dir):
				at(dir).importers = append(at(dir).importers, s.dir)
			}
		}
	}
	return all
}

// hasTest reports whether a file of tests has a test, and not only a benchmark or an example.
func hasTest(s source) bool {
	return slices.ContainsFunc(s.file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz"))
	})
}

// TestRooms fails for a small package that only its parent imports, and that has no tests without
// the parent. Such a package is a part of its parent.
func TestRooms(t *testing.T) {
	for dir, r := range rooms(t) {
		parent := path.Dir(dir)
		if !slices.Equal(r.importers, []string{parent}) || r.lines >= MinRoomLines {
			continue
		}
		if !r.tests || slices.Contains(r.needs, parent) {
			t.Errorf("only %s imports %s, which has %d lines and no tests of its own: merge it into %s, or test it without %s",
				parent, dir, r.lines, parent, parent)
		}
	}
}
