package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// helpers are packages that only tests import.
var helpers = []string{"agent/agenttest", "agent/session/sessiontest", "ingest/ingesttest", "ingest/source/sourcetest", "internal/pgtest"}

// offPage are packages whose errors the page never shows: commands, settings, and
// code that runs in other programs. The page never shows errors with an id that
// begins with cli_ or config_ either. It can show all texts that are not errors.
var offPage = []string{
	"agent/definition", "agent/intent", "agent/recording", "agent/tool", "api/mcp", "client", "cmd", "config",
	"embed/multilingual", "eval", "examples", "index/bm25", "index/chromem", "index/flat", "index/pgfollow",
	"index/pgvector", "index/pgwords", "internal/wiring", "migrations", "tools",
}

// sentence is a sentence with an id.
type sentence struct {
	id     string
	format string
	kinds  []string // of the errors that say it; none if it is no error
	onPage bool
	at     string // where it was found first
}

var (
	validID   = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	verb      = regexp.MustCompile(`%[+\-# 0]*[0-9]*(?:\.[0-9]+)?([a-zA-Z%])`)
	badVerb   = regexp.MustCompile(`%[^a-zA-Z%]*[*\[]`)
	kindWords = map[string]string{"RateLimited": "rate_limited", "NotFound": "not_found"}
)

// verbs are the letters of the verbs in a format.
func (s *sentence) verbs() []string {
	var out []string
	for _, m := range verb.FindAllStringSubmatch(s.format, -1) {
		if m[1] != "%" {
			out = append(out, m[1])
		}
	}
	return out
}

// collector gathers the sentences of a repository.
type collector struct {
	fset     *token.FileSet
	byID     map[string]*sentence
	byFormat map[string]string // the id of each format
	consts   map[string]string // the string constants of the package at hand
	problems []error
}

// collect returns the sentences below root, ordered by id. It fails if an id is
// not in lower_snake_case, if an id has two formats or a format two ids, and if
// an id or a format is not a literal.
func collect(root string) ([]*sentence, error) {
	c := &collector{fset: token.NewFileSet(), byID: map[string]*sentence{}, byFormat: map[string]string{}}
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != root && (slices.Contains([]string{"node_modules", "testdata", "bin", "data"}, d.Name()) || d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(c.fset, p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(p))
		packages[filepath.ToSlash(dir)] = append(packages[filepath.ToSlash(dir)], file)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if !slices.Contains(helpers, dir) {
			c.packageOf(dir, packages[dir])
		}
	}
	all := slices.Collect(maps.Values(c.byID))
	slices.SortFunc(all, func(a, b *sentence) int { return strings.Compare(a.id, b.id) })
	return all, errors.Join(c.problems...)
}

// maker is a function that takes an id and its format.
type maker struct {
	id    int // the position of the id; the format follows it
	fault bool
}

// packageOf gathers the sentences of a package.
func (c *collector) packageOf(dir string, files []*ast.File) {
	makers := map[string]maker{}
	c.consts = map[string]string{}
	if dir != "internal/fault" {
		makers = map[string]maker{"fault.New": {1, true}, "fault.Wrap": {2, true}, "fault.NewText": {0, false}}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, value := range n.Values {
					if text, ok := c.literal(value); ok && i < len(n.Names) {
						c.consts[n.Names[i].Name] = text
					}
				}
			case *ast.FuncDecl:
				if at, ok := idOf(n.Type); ok {
					makers[n.Name.Name] = maker{at, returnsError(n.Type)}
				}
			case *ast.AssignStmt:
				for i, right := range n.Rhs {
					if lit, ok := right.(*ast.FuncLit); ok {
						if at, ok := idOf(lit.Type); ok {
							makers[name(n.Lhs[i])] = maker{at, true}
						}
					}
				}
			}
			return true
		})
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if m, ok := makers[name(call.Fun)]; ok {
					c.call(dir, call, m)
				}
			}
			return true
		})
	}
}

// idOf is the position of a parameter id that a parameter format follows.
func idOf(f *ast.FuncType) (int, bool) {
	var names []string
	for _, field := range f.Params.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	at := slices.Index(names, "id")
	return at, at >= 0 && at+1 < len(names) && names[at+1] == "format"
}

func returnsError(f *ast.FuncType) bool {
	return f.Results == nil || len(f.Results.List) != 1 || name(f.Results.List[0].Type) != "Text"
}

// name returns the name of the called function, such as fault.New. For a
// method, it is the method's name.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "fault" {
			return "fault." + e.Sel.Name
		}
		return e.Sel.Name
	}
	return ""
}

// command reports whether an error is for the operator at the command line.
func command(id string) bool {
	return strings.HasPrefix(id, "cli_") || strings.HasPrefix(id, "config_")
}

// call notes the sentence of a call.
func (c *collector) call(dir string, call *ast.CallExpr, m maker) {
	at := c.fset.Position(call.Pos()).String()
	if len(call.Args) < m.id+2 {
		return // another function of that name
	}
	if name(call.Args[m.id]) == "id" && name(call.Args[m.id+1]) == "format" {
		return // the body of a maker
	}
	id, ok1 := c.literal(call.Args[m.id])
	format, ok2 := c.literal(call.Args[m.id+1])
	s := &sentence{id: id, format: format, at: at, onPage: !m.fault || !within(dir, offPage) && !command(id)}
	switch values := len(call.Args) - m.id - 2; {
	case !ok1 || !ok2:
		c.wrong(at, "the id and the format must be literals")
		return
	case !validID.MatchString(id):
		c.wrong(at, "%q is not an id in lower_snake_case", id)
		return
	case badVerb.MatchString(format):
		c.wrong(at, "%s: a format has no * and no [", id)
	case call.Ellipsis == 0 && values != len(s.verbs()):
		c.wrong(at, "%s: the format has %d verbs and %d values", id, len(s.verbs()), values)
	}
	c.add(s, kindsOf(call, m))
}

// add notes a sentence, or another place that says it.
func (c *collector) add(s *sentence, kinds []string) {
	if other, ok := c.byFormat[s.format]; ok && other != s.id {
		c.wrong(s.at, "%q has the ids %s and %s", s.format, s.id, other)
	}
	c.byFormat[s.format] = s.id
	known, ok := c.byID[s.id]
	switch {
	case !ok:
		c.byID[s.id], known = s, s
	case known.format != s.format:
		c.wrong(s.at, "%s has another format at %s", s.id, known.at)
	}
	known.onPage = known.onPage || s.onPage
	for _, k := range kinds {
		if !slices.Contains(known.kinds, k) {
			known.kinds = append(known.kinds, k)
		}
	}
	slices.Sort(known.kinds)
}

func (c *collector) wrong(at, format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("%s: %w", at, fmt.Errorf(format, args...)))
}

// kindsOf are the kinds that a call names; "varies" if it names none.
func kindsOf(call *ast.CallExpr, m maker) []string {
	if !m.fault {
		return nil
	}
	for _, arg := range call.Args[:m.id] {
		if kind, ok := strings.CutPrefix(name(arg), "fault."); ok {
			if word, ok := kindWords[kind]; ok {
				return []string{word}
			}
			return []string{strings.ToLower(kind)}
		}
	}
	return []string{"varies"}
}

// literal is the value of a string literal, of a constant of the package, or of
// several with + between.
func (c *collector) literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		left, ok1 := c.literal(e.X)
		right, ok2 := c.literal(e.Y)
		return left + right, ok1 && ok2
	case *ast.Ident:
		text, ok := c.consts[e.Name]
		return text, ok
	}
	return "", false
}

// within reports whether a package is one of some, or below one.
func within(dir string, some []string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if slices.Contains(some, dir) {
			return true
		}
	}
	return false
}
