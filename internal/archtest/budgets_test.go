package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestRulesNameWhatExists fails for a rule about a missing package or type,
// because such a rule has no effect.
func TestRulesNameWhatExists(t *testing.T) {
	dirs, types := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		dirs[s.dir] = true
		for _, spec := range typesOf(s) {
			types[s.dir+"."+spec.Name.Name] = true
		}
	}
	exists := func(pattern string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(dirs)), func(dir string) bool { return covers(pattern, dir) })
	}
	for _, l := range Levels {
		for _, p := range l.Packages {
			if !exists(p) {
				t.Errorf("level %s names %s, which is no package", l.Name, p)
			}
		}
	}
	for _, f := range Families {
		if !exists(f.From) || !exists(f.To) {
			t.Errorf("the family from %s to %s names no package", f.From, f.To)
		}
	}
	for mod, allowed := range Reserved {
		for _, p := range allowed {
			if !strings.Contains(p, "*") && !exists(p) {
				t.Errorf("%s is reserved for %s, which is no package", mod, p)
			}
		}
	}
	for name := range MethodBudgets {
		if !types[name] {
			t.Errorf("MethodBudgets names %s, which is no type", name)
		}
	}
}

// typesOf lists the types that a file declares.
func typesOf(s source) []*ast.TypeSpec {
	var out []*ast.TypeSpec
	for _, d := range s.file.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					out = append(out, spec)
				}
			}
		}
	}
	return out
}

// TestTypeSizes counts the methods of a type.
func TestTypeSizes(t *testing.T) {
	methods := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || len(f.Recv.List) == 0 {
				continue
			}
			methods[s.dir+"."+receiver(f.Recv.List[0].Type)]++
		}
	}
	for name, n := range methods {
		most, excepted := MethodBudgets[name]
		if !excepted {
			most = MaxMethods
		}
		limit(t, "methods of "+name, n, most, "MethodBudgets")
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestInterfaceSizes counts the methods of an interface with those of the
// interfaces of this module that it embeds.
func TestInterfaceSizes(t *testing.T) {
	all := map[string]declared{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, spec := range typesOf(s) {
			if i, ok := spec.Type.(*ast.InterfaceType); ok {
				all[s.dir+"."+spec.Name.Name] = declared{s, i}
			}
		}
	}
	for name := range all {
		limit(t, "methods of interface "+name, methodsOf(all, name), MaxInterfaceMethods, "MaxInterfaceMethods")
	}
}

// declared is an interface with the file that declares it.
type declared struct {
	in  source
	typ *ast.InterfaceType
}

func methodsOf(all map[string]declared, name string) int {
	d, ok := all[name]
	if !ok {
		return 0 // of another module, or no interface
	}
	n := 0
	for _, f := range d.typ.Methods.List {
		switch e := f.Type.(type) {
		case *ast.FuncType:
			n += len(f.Names)
		case *ast.InterfaceType:
			n += len(e.Methods.List)
		case *ast.Ident:
			n += methodsOf(all, d.in.dir+"."+e.Name)
		case *ast.SelectorExpr:
			if x, ok := e.X.(*ast.Ident); ok {
				n += methodsOf(all, imported(d.in, x.Name)+"."+e.Sel.Name)
			}
		}
	}
	return n
}

// imported returns the folder of the package that a file imports by a name.
func imported(s source, name string) string {
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(p) == name {
			return strings.TrimPrefix(p, module+"/")
		}
	}
	return ""
}

// TestLineLengths reports lines of Go that are too long. A line that one string
// fills cannot be divided, so it may be longer. In tests, the rows of tables may be
// longer, which are lines with a string.
func TestLineLengths(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) {
			continue
		}
		filled := filledLines(s)
		data, err := os.ReadFile(filepath.Join(root(t), s.path))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			if strings.HasPrefix(strings.TrimSpace(line), "// {") {
				continue // the output of an example
			}
			if length := utf8.RuneCountInString(strings.TrimRight(line, "\n")); length > MaxLineLength && !filled[n] {
				t.Errorf("%s:%d has %d characters, the limit is %d", s.path, n, length, MaxLineLength)
			}
		}
	}
}

// indivisible is the length of a string that fills a line.
const indivisible = 80

// filledLines returns the numbers of the lines that may be too long.
func filledLines(s source) map[int]bool {
	out := map[int]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			first, last := s.fset.Position(l.Pos()).Line, s.fset.Position(l.End()).Line
			for at := first; at <= last && (s.test || last > first || len(l.Value) > indivisible); at++ {
				out[at] = true
			}
		}
		return true
	})
	return out
}

// limit fails a test if n exceeds its limit, which the rule of archtest.go has.
func limit(t *testing.T, what string, n, most int, rule string) {
	t.Helper()
	if n > most {
		t.Errorf("%s: %d, the limit is %d: divide it by idea, or change %s in internal/archtest/archtest.go with a reason in the commit",
			what, n, most, rule)
	}
}
