package flavors

import (
	"strings"

	"docent/internal/lazyregexp"
)

var (
	// directiveName is a directive of MyST, such as {note} Title.
	directiveName = lazyregexp.New(`^\{([A-Za-z][\w:.+-]*)\}\s*(.*)$`)
	// fencedDiv is the attributes of a box of Pandoc, such as {.callout-note title="T"} and {#id .column}.
	fencedDiv = lazyregexp.New(`^(?:[\w-]*\s*)?\{([^}]*)\}\s*:*$`)
	// boxStart is the type and the title of a box, such as note, note[Title], and note Title.
	boxStart = lazyregexp.New(`^([\w-]+)\s*(?:\[(.*)\])?\s*(?:\{([^}]*)\})?\s*(.*?)\s*:*$`)
	option   = lazyregexp.New(`^\s*:([\w-]+):\s*(.*)$`)
	class    = lazyregexp.New(`\.([\w-]+)`)
	// pair is a parameter with its value: in quotes, as text or an expression in braces, or a word.
	pair = lazyregexp.New(`([\w:@.-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|` +
		`\{\s*["'\x60]([^"'\x60]*)["'\x60]\s*\}|(\{[^}]*\}+)|([^\s"'{}>]+))`)
	cellInfo = lazyregexp.New(`^\{\s*\.?([\w+#-]+)[\s,}]`)
	cellLine = lazyregexp.New(`^\s*(?:#|//|--)\|\s`)
)

// The groups of directives of MyST.
var (
	codeDirectives = set(`code code-block code-cell sourcecode prompt mermaid graphviz uml plantuml parsed-literal doctest testcode testoutput
		highlight math amsmath ipython raw-code console`)
	emptyDirectives = set(`toctree contents index include literalinclude eval raw bibliography meta role default-role sectionauthor codeauthor
		automodule autoclass autofunction autosummary automethod autodata currentmodule module py:module py:currentmodule js:module rst-class
		cssclass class highlight-language tableofcontents listoftables listoffigures only-hidden nblinkcheck`)
	pictureDirectives = set(`image figure video iframe youtube`)
	titledDirectives  = set(`admonition topic sidebar tab tab-item dropdown card grid-item-card table list-table csv-table details collapse rubric
		proof prf:theorem prf:definition exercise solution theorem definition lemma`)
	versionDirectives = map[string]string{
		"versionadded": "New in version", "versionchanged": "Changed in version",
		"deprecated": "Deprecated since version", "versionremoved": "Removed in version",
	}
	// queries are languages of blocks that a program replaces.
	queries = set(`dataview dataviewjs tasks query button buttons templater chart kanban toc widgets ad-toc tabs-config`)
)

// fence reads a block between fences: code, or a directive of MyST. It returns the line after it.
func (r *reader) fence(lines []string, i int, m []string, depth int) int {
	prefix, mark, info := m[1], m[2], m[3]
	end := i + 1
	for end < len(lines) {
		t := strings.TrimSpace(lines[end])
		if len(t) >= len(mark) && strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
			break
		}
		end++
	}
	content, after := lines[i+1:end], min(end+1, len(lines))
	language, rest, _ := strings.Cut(info, " ")
	switch {
	case strings.HasPrefix(info, "{="): // raw text of another format
		return after
	case queries[strings.ToLower(strings.Trim(language, "{}"))]:
		return after
	case strings.HasPrefix(strings.ToLower(info), "ad-"): // a box of Obsidian's plugin Admonition
		r.block(append(labeled(prefix, boxLabel(info[3:]), content), ""), depth+1)
		return after
	}
	if d := directiveName.FindStringSubmatch(info); d != nil && (r.myst || d[2] == "") && !isCell(d[1]) {
		r.myDirective(prefix, d[1], d[2], content, depth)
		return after
	}
	if c := cellInfo.FindStringSubmatch(info); c != nil {
		language = c[1]
		content = withoutOptions(content)
	}
	for _, p := range pair.FindAllStringSubmatch(rest, 4) {
		if name := value(p); p[1] == "title" || p[1] == "filename" {
			r.add(false, strings.Repeat(" ", len(prefix))+"`"+strings.Trim(name, "`")+"`:")
		}
	}
	if m := fenceLabel.FindStringSubmatch(info); m != nil { // a tab of VitePress
		r.add(false, strings.Repeat(" ", len(prefix))+m[1]+":")
	}
	language = strings.Trim(language, "{}.,:")
	r.add(true, prefix+mark+language)
	r.add(true, content...)
	if end < len(lines) {
		r.add(true, lines[end])
	}
	return after
}

var fenceLabel = lazyregexp.New(`^[\w+#-]+(?:\{[^{}]*\})? ?\[([^\[\]]{1,60})\]`)

// isCell reports whether a name is a language of notebooks in Markdown, and not a directive.
func isCell(name string) bool {
	switch strings.ToLower(name) {
	case "r", "python", "julia", "bash", "sh", "sql", "js", "ojs", "rust", "stan", "rcpp", "observable", "css", "html":
		return true
	}
	return false
}

// withoutOptions drops the options before the code of a cell.
func withoutOptions(content []string) []string {
	for len(content) > 0 && cellLine.MatchString(content[0]) {
		content = content[1:]
	}
	return content
}

// value returns the value in a match of pair.
func value(m []string) string {
	for _, v := range m[2:] {
		if v != "" {
			return strings.NewReplacer(`\"`, `"`, `\'`, `'`).Replace(v)
		}
	}
	return ""
}

// directive reads a box between lines of colons.
func (r *reader) directive(indent, head string, content []string, depth int) {
	if d := directiveName.FindStringSubmatch(head); d != nil {
		r.myDirective(indent, d[1], d[2], content, depth)
		return
	}
	label := ""
	if d := fencedDiv.FindStringSubmatch(head); d != nil && !regexpTitle.MatchString(head) {
		for _, c := range class.FindAllStringSubmatch(d[1], -1) {
			if strings.HasPrefix(c[1], "callout-") || isBoxKind(c[1]) {
				label = boxLabel(c[1])
			}
		}
		label = titleOf(d[1], label)
	} else if b := boxStart.FindStringSubmatch(head); b != nil {
		label = boxLabel(b[1])
		for _, title := range []string{titleOf(b[3], ""), b[4], b[2]} {
			if title != "" {
				label = title
			}
		}
		if strings.HasPrefix(label, "=") { // another value of a plugin
			label = ""
		}
	}
	r.block(append(labeled(indent, label, content), ""), depth+1)
}

// regexpTitle matches a box with its title in brackets.
var regexpTitle = lazyregexp.New(`^[\w-]+\s*\[`)

// isBoxKind reports whether a class is a usual kind of box.
func isBoxKind(name string) bool {
	switch strings.ToLower(name) {
	case "note", "tip", "warning", "danger", "caution", "important", "info", "hint", "example", "attention", "error", "seealso":
		return true
	}
	return false
}

// titleOf returns the title in attributes. Without one, it returns another text.
func titleOf(attributes, other string) string {
	for _, p := range pair.FindAllStringSubmatch(attributes, 8) {
		switch strings.ToLower(p[1]) {
		case "title", "label", "summary", "header", "name":
			if v := value(p); v != "" && !strings.HasPrefix(v, "{") {
				return v
			}
		}
	}
	return other
}

// myDirective reads a directive of MyST.
func (r *reader) myDirective(indent, name, argument string, content []string, depth int) {
	name = strings.ToLower(name)
	content, options := directiveOptions(content)
	switch {
	case codeDirectives[name]:
		if title := options["caption"]; title != "" {
			r.add(false, indent+title+":")
		}
		if argument == "" && name != "code" && name != "code-block" && name != "code-cell" {
			argument = name
		}
		r.add(true, indent+"```"+argument)
		r.add(true, content...)
		r.add(true, indent+"```")
	case emptyDirectives[name]:
		r.add(false, "")
	case pictureDirectives[name]:
		r.add(false, "", indent+options["alt"], "")
		r.block(append(content, ""), depth+1)
	case versionDirectives[name] != "":
		label := versionDirectives[name] + " " + argument
		r.block(append(labeled(indent, label, content), ""), depth+1)
	case name == "list-table":
		if argument != "" {
			r.add(false, indent+argument+":", "")
		}
		r.add(false, listTable(content, options["header-rows"])...)
		r.add(false, "")
	case titledDirectives[name]:
		r.block(append(labeled(indent, argument, content), ""), depth+1)
	case isBoxKind(name) || boxLabel(name) != "" && argument == "" && !strings.Contains(name, ":"):
		label := boxLabel(strings.ReplaceAll(name, "seealso", "see-also"))
		if argument != "" { // the first line of the text
			content = append([]string{indent + argument}, content...)
		}
		if !isBoxKind(name) {
			label = ""
		}
		r.block(append(labeled(indent, label, content), ""), depth+1)
	default:
		if argument != "" && !strings.ContainsAny(argument, "/\\") {
			content = append([]string{indent + "`" + strings.Trim(argument, "`") + "`", ""}, content...)
		}
		r.block(append(content, ""), depth+1)
	}
}

// directiveOptions cuts the options before the content of a directive.
func directiveOptions(content []string) (rest []string, options map[string]string) {
	options = map[string]string{}
	if len(content) > 0 && strings.TrimSpace(content[0]) == "---" {
		for i := 1; i < len(content); i++ {
			if strings.TrimSpace(content[i]) == "---" {
				return content[i+1:], options
			}
			if name, v, ok := strings.Cut(content[i], ":"); ok {
				options[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(v), `"'`)
			}
		}
	}
	for len(content) > 0 {
		m := option.FindStringSubmatch(content[0])
		if m == nil {
			break
		}
		options[m[1]], content = m[2], content[1:]
	}
	return content, options
}

var (
	firstCell = lazyregexp.New(`^\s*[*-]\s+[*-](?:\s+(.*))?$`)
	nextCell  = lazyregexp.New(`^\s+[*-](?:\s+(.*))?$`)
)

// listTable returns the rows of a table that is a list of lists.
func listTable(content []string, headers string) []string {
	var rows [][]string
	for _, l := range content {
		if m := firstCell.FindStringSubmatch(l); m != nil {
			rows = append(rows, []string{m[1]})
			continue
		}
		if len(rows) == 0 {
			continue
		}
		row := &rows[len(rows)-1]
		if m := nextCell.FindStringSubmatch(l); m != nil {
			*row = append(*row, m[1])
		} else if text := strings.TrimSpace(l); text != "" {
			last := &(*row)[len(*row)-1]
			*last = strings.TrimSpace(*last + " " + text)
		}
	}
	if len(rows) == 0 {
		return content
	}
	delimiter := "|" + strings.Repeat(" --- |", len(rows[0]))
	var out []string
	if headers == "" || headers == "0" {
		out = append(out, "|"+strings.Repeat("  |", len(rows[0])), delimiter)
	}
	for i, row := range rows {
		out = append(out, "| "+strings.Join(row, " | ")+" |")
		if len(out) == 1 && i == 0 {
			out = append(out, delimiter)
		}
	}
	return out
}
