package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "docent"

// source is one parsed Go file of the module.
type source struct {
	path string // from the module's root, with slashes
	dir  string
	test bool
	file *ast.File
	fset *token.FileSet
}

// root is the module's root, two folders up from this package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// files returns the paths of the repository's own files with one of the endings.
func files(t *testing.T, endings ...string) []string {
	t.Helper()
	var out []string
	base := root(t)
	err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != base && (strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "dist", "testdata", "bin", "data"}, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if slices.Contains(endings, path.Ext(name)) {
			rel, err := filepath.Rel(base, p)
			if err != nil {
				return err
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	for _, p := range files(t, ".go") {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(root(t), p), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, source{p, path.Dir(p), strings.HasSuffix(p, "_test.go"), file, fset})
	}
	if len(out) < 10 {
		t.Fatalf("found only %d Go files: the walk is wrong", len(out))
	}
	return out
}

func covers(pattern, dir string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == base || strings.HasPrefix(dir, base+"/")
	}
	return dir == pattern
}

func level(dir string) int {
	for i, l := range Levels {
		for _, p := range l.Packages {
			if covers(p, dir) {
				return i
			}
		}
	}
	return -1
}

// related reports whether one folder is inside the other's top folder, so that
// a package and its own subpackages may use each other.
func related(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") ||
		(strings.HasPrefix(a, "rag/") && strings.HasPrefix(b, "rag/")) ||
		(strings.HasPrefix(a, "ingest/") && strings.HasPrefix(b, "ingest/extract/")) ||
		(path.Dir(a) == path.Dir(b) && slices.Contains([]string{"ingest", "ingest/extract", "ingest/source", "cmd/docent", "examples"}, path.Dir(a)))
}

func imports(s source) []string {
	var out []string
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		from := level(s.dir)
		if from < 0 {
			t.Errorf("%s: package %s is in no level of archtest.Levels", s.path, s.dir)
			continue
		}
		for _, imp := range imports(s) {
			if dir, ok := strings.CutPrefix(imp, module+"/"); ok {
				to := level(dir)
				if to >= from && !related(s.dir, dir) {
					t.Errorf("%s imports %s: %s may only import lower levels", s.path, imp, Levels[from].Name)
				}
			}
			for mod, allowed := range Reserved {
				if imp != mod && !strings.HasPrefix(imp, mod+"/") {
					continue
				}
				if !slices.ContainsFunc(allowed, func(p string) bool { return covers(p, s.dir) }) {
					t.Errorf("%s imports %s, which is reserved for %v", s.path, imp, allowed)
				}
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	comments := map[string][]string{}
	dirs := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		dirs[s.dir] = true
		if s.file.Doc != nil {
			comments[s.dir] = append(comments[s.dir], s.path)
		}
	}
	for dir := range dirs {
		if n := len(comments[dir]); n != 1 {
			t.Errorf("package %s has %d package comments, want 1: %v", dir, n, comments[dir])
		}
	}
}

func TestSizes(t *testing.T) {
	for _, p := range files(t, ".go", ".ts", ".svelte", ".css", ".py", ".sh") {
		data, err := os.ReadFile(filepath.Join(root(t), p))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte("\n")); n > MaxFileLines {
			t.Errorf("%s has %d lines, the budget is %d", p, n, MaxFileLines)
		}
	}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncDecl); ok && f.Body != nil {
				if l := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; l > MaxFuncLines {
					t.Errorf("%s: %s has %d lines, the budget is %d", s.path, f.Name.Name, l, MaxFuncLines)
				}
			}
			return true
		})
	}
}

func TestNames(t *testing.T) {
	for _, s := range sources(t) {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
		for _, bad := range BadNames {
			if stem == bad || path.Base(s.dir) == bad {
				t.Errorf("%s: the name %q says nothing about what is in it", s.path, bad)
			}
		}
	}
}

// TestCalls keeps three habits out: reading the environment outside config,
// sleeping in tests, and making contexts in library code.
func TestCalls(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok || x.Obj != nil {
				return true
			}
			switch call := x.Name + "." + sel.Sel.Name; {
			case !s.test && s.dir != "config" && s.dir != "internal/pgtest" &&
				(call == "os.Getenv" || call == "os.LookupEnv" || call == "os.Environ"):
				t.Errorf("%s calls %s: only config reads the environment", s.fset.Position(n.Pos()), call)
			case s.test && call == "time.Sleep":
				t.Errorf("%s sleeps: wait on a signal or use testing/synctest", s.fset.Position(n.Pos()))
			case !s.test && !covers("cmd/...", s.dir) && !covers("examples/...", s.dir) && !covers("tools/...", s.dir) && s.dir != "internal/pgtest" && (call == "context.Background" || call == "context.TODO"):
				t.Errorf("%s calls %s: take the caller's context", s.fset.Position(n.Pos()), call)
			}
			return true
		})
	}
}

// exported reports whether a name is visible to users of its package.
func exported(name *ast.Ident) bool { return name != nil && name.IsExported() }

// receiverExported reports whether a method's receiver type is exported; a
// plain function counts as such.
func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

func TestDocComments(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		missing := func(pos token.Pos, what string) {
			t.Errorf("%s: exported %s has no doc comment", s.fset.Position(pos), what)
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if exported(d.Name) && receiverExported(d) && d.Doc == nil {
					missing(d.Pos(), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if exported(spec.Name) {
							if d.Doc == nil && spec.Doc == nil {
								missing(spec.Pos(), spec.Name.Name)
							}
							checkMethods(spec, missing)
						}
					case *ast.ValueSpec:
						if exported(spec.Names[0]) && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
							missing(spec.Pos(), spec.Names[0].Name)
						}
					}
				}
			}
		}
	}
}

// checkMethods looks at the methods of an interface. Fields of a struct need a
// comment only if their name does not say enough, which people decide.
func checkMethods(spec *ast.TypeSpec, missing func(token.Pos, string)) {
	i, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	for _, f := range i.Methods.List {
		if len(f.Names) > 0 && f.Names[0].IsExported() && f.Doc == nil && f.Comment == nil {
			missing(f.Pos(), spec.Name.Name+"."+f.Names[0].Name)
		}
	}
}
