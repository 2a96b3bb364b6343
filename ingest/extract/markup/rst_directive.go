package markup

import (
	"strings"

	"docent/ingest/extract/blocks"
)

// rstRole says how a directive is read.
type rstRole uint8

// The roles of directives.
const (
	roleObject rstRole = iota // the argument is a term, and the content defines it
	roleDrop
	roleCode
	roleContent // the content, without the argument
	roleText    // the argument and the content are text
	roleAdmonition
	roleTitled // the argument is a title of the content
	roleFigure
	roleTable
	roleMath
)

// rstDirectives are the roles of the known directives.
var rstDirectives = map[string]rstRole{
	"code": roleCode, "code-block": roleCode, "sourcecode": roleCode, "parsed-literal": roleCode, "prompt": roleCode,
	"productionlist": roleCode,
	"doctest":        roleCode, "testcode": roleCode, "testoutput": roleCode, "ipython": roleCode, "highlight-code": roleCode,
	"console": roleCode,
	"literal": roleCode,
	"math":    roleMath, "kernel-doc": roleDrop, "kernel-figure": roleFigure,
	"toctree": roleDrop, "include": roleDrop, "literalinclude": roleDrop, "contents": roleDrop, "index": roleDrop, "raw": roleDrop,
	"highlight":    roleDrop,
	"default-role": roleDrop, "currentmodule": roleDrop, "graphviz": roleDrop, "digraph": roleDrop, "graph": roleDrop, "uml": roleDrop,
	"mermaid": roleDrop, "tabularcolumns": roleDrop,
	"meta": roleDrop, "role": roleDrop, "sectnum": roleDrop, "header": roleDrop, "footer": roleDrop, "testsetup": roleDrop,
	"testcleanup": roleDrop,
	"automodule":  roleDrop, "autoclass": roleDrop, "autofunction": roleDrop, "autosummary": roleDrop, "replace": roleDrop,
	"unicode": roleDrop,
	"date":    roleDrop,
	"audio":   roleDrop, "video": roleDrop, "sectionauthor": roleDrop, "codeauthor": roleDrop, "moduleauthor": roleDrop,
	"target-notes": roleDrop, "bibliography": roleDrop,
	"namespace": roleDrop, "program": roleDrop, "inheritance-diagram": roleDrop, "title": roleDrop,
	"container": roleContent, "class": roleContent, "only": roleContent, "ifconfig": roleContent, "epigraph": roleContent,
	"highlights": roleContent, "pull-quote": roleContent,
	"compound": roleContent, "glossary": roleContent, "hlist": roleContent, "module": roleContent, "cssclass": roleContent,
	"rst-class": roleContent, "tabs": roleContent,
	"rubric": roleText, "centered": roleText, "versionadded": roleText, "versionchanged": roleText, "deprecated": roleText,
	"deprecated-removed": roleText,
	"note":               roleAdmonition, "warning": roleAdmonition, "caution": roleAdmonition, "danger": roleAdmonition,
	"attention": roleAdmonition,
	"error":     roleAdmonition,
	"hint":      roleAdmonition, "important": roleAdmonition, "tip": roleAdmonition, "seealso": roleAdmonition, "todo": roleAdmonition,
	"impl-detail": roleAdmonition,
	"admonition":  roleTitled, "topic": roleTitled, "sidebar": roleTitled, "tab": roleTitled, "dropdown": roleTitled,
	"figure": roleFigure, "image": roleFigure,
	"table": roleTable, "csv-table": roleTable, "list-table": roleTable, "flat-table": roleTable,
}

// rstPrefixes are the texts that readers see for some directives, such as
// "Note: ".
var rstPrefixes = map[string]string{
	"seealso": "See also: ", "impl-detail": "Implementation detail: ", "versionadded": "Added in version ",
	"versionchanged": "Changed in version ",
	"deprecated":     "Deprecated since version ", "deprecated-removed": "Deprecated since version ",
}

// explicit reads a block that begins with two periods: a directive, a footnote,
// a target, or a comment. It returns 0 if lines begin with something else.
func (r *rst) explicit(lines []string, depth int) int {
	first := lines[0]
	if first != ".." && !strings.HasPrefix(first, ".. ") {
		return 0
	}
	n := 1 + blocks.Indented(lines[1:])
	if m := rstFootnote.FindStringSubmatch(first); m != nil {
		r.Prefix = "[" + strings.TrimPrefix(m[1], "#") + "] "
		r.blocks(append([]string{m[2]}, dedent2(lines[1:n])...), depth+1)
		r.Prefix = ""
		return n
	}
	m := rstDirective.FindStringSubmatch(first)
	if m == nil || strings.HasPrefix(first, ".. _") {
		if first == ".." && len(lines) > 1 && blocks.IsBlank(lines[1]) {
			return 1 // an empty comment ends a block
		}
		return n
	}
	name := strings.ToLower(m[1])
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	r.directive(name, m[2], lines[1:n], depth)
	return n
}

// options removes the options at the start of a directive's content.
func rstOptions(body []string) (options map[string]string, rest []string) {
	options = map[string]string{}
	for len(body) > 0 {
		m := rstField.FindStringSubmatch(strings.TrimSpace(body[0]))
		if m == nil {
			break
		}
		n := 1
		for n < len(body) && !blocks.IsBlank(body[n]) && blocks.IndentOf(body[n]) > blocks.IndentOf(body[0]) {
			m[2] += " " + strings.TrimSpace(body[n])
			n++
		}
		options[m[1]] = m[2]
		body = body[n:]
	}
	return options, body
}

// directive adds the content of a directive.
func (r *rst) directive(name, argument string, body []string, depth int) {
	role := rstDirectives[name]
	if strings.HasPrefix(name, "auto") || role == roleDrop {
		return
	}
	// The argument continues up to the options or a blank line.
	var more []string
	for len(body) > 0 && !blocks.IsBlank(body[0]) && !rstField.MatchString(strings.TrimSpace(body[0])) && role != roleCode {
		more, body = append(more, strings.TrimSpace(body[0])), body[1:]
	}
	options, rest := rstOptions(body)
	content := blocks.Dedent(rest)
	full := strings.TrimSpace(argument + "\n" + strings.Join(more, "\n"))
	switch role {
	case roleCode:
		r.paraIf(options["caption"])
		r.Code(strings.Join(content, "\n"))
	case roleMath:
		r.Lines(strings.TrimSpace(full + "\n" + strings.Join(content, "\n")))
	case roleContent:
		r.paraIf(options["synopsis"])
		if name != "only" && name != "module" && name != "container" && name != "class" {
			content = append(more, content...)
		}
		r.blocks(content, depth+1)
	case roleText, roleAdmonition:
		r.Prefix = rstPrefixes[name]
		if role == roleAdmonition && r.Prefix == "" {
			r.Prefix = strings.ToUpper(name[:1]) + name[1:] + ": "
		}
		r.remark(role, argument, more, content, depth)
	case roleTitled:
		r.Para(r.inline(full))
		r.blocks(content, depth+1)
	case roleFigure:
		if alt := blocks.OneLine(options["alt"]); !strings.HasPrefix(blocks.OneLine(strings.Join(content, " ")), alt) {
			r.Para(alt)
		}
		r.blocks(content, depth+1)
	case roleTable:
		r.tableDirective(name, r.inline(full), options, content, depth)
	default:
		r.object(full, append([]string{argument}, more...), content, depth)
	}
}

// paraIf adds a paragraph with the value of an option.
func (r *rst) paraIf(text string) {
	if text != "" {
		r.Para(r.inline(text))
	}
}

// remark adds a note or a remark, such as one about a version.
func (r *rst) remark(role rstRole, argument string, more, content []string, depth int) {
	if role == roleText {
		version, rest, _ := strings.Cut(argument, " ")
		text := strings.TrimSpace(rest + "\n" + strings.Join(more, "\n"))
		if r.Prefix == "" || text == "" {
			text = strings.TrimSpace(argument + "\n" + strings.Join(more, "\n"))
		} else {
			r.Prefix += version + ": "
		}
		r.Para(r.inline(text))
		r.blocks(content, depth+1)
		return
	}
	first := append([]string{argument}, more...)
	r.blocks(append(append(first, ""), content...), depth+1)
	r.Prefix = ""
}

// tableDirective adds the table that a directive holds.
func (r *rst) tableDirective(name, caption string, options map[string]string, content []string, depth int) {
	switch {
	case name == "csv-table":
		r.csvTable(caption, options, content)
	case name == "list-table" || name == "flat-table":
		r.listTable(caption, options, content)
	case len(content) > 0 && rstGridBorder.MatchString(content[0]):
		r.gridTable(caption, content)
	case len(content) > 0 && rstSimpleBorder.MatchString(content[0]):
		r.simpleTable(caption, content)
	default:
		r.Para(caption)
		r.blocks(content, depth+1)
	}
}

// object adds the description of a function, an option, or a similar object.
// The signatures become terms. Without an argument, it adds only the content.
func (r *rst) object(full string, signatures, content []string, depth int) {
	if full == "" || len(full) > 2000 {
		r.Para(full)
		r.blocks(content, depth+1)
		return
	}
	var names []string
	for _, s := range signatures {
		if s = strings.ReplaceAll(strings.TrimSpace(s), `\`, ""); s != "" {
			names = append(names, s)
		}
	}
	items := r.Items
	r.Items = 0
	r.OpenTerm(strings.Join(names, "\n"))
	r.blocks(content, depth+1)
	r.CloseTerm()
	r.Items = items
}
