package latex

import (
	"strings"

	"docent/ingest/extract/blocks"
)

// texRole says how an environment is read.
type texRole uint8

// The roles of environments.
const (
	texText texRole = iota
	texCode
	texDrop
	texMath
	texList
	texTable
)

// texEnvironments are the roles of the known environments.
var texEnvironments = map[string]texRole{
	"verbatim": texCode, "Verbatim": texCode, "BVerbatim": texCode, "LVerbatim": texCode, "lstlisting": texCode, "minted": texCode,
	"alltt": texCode, "Sinput": texCode, "Soutput": texCode, "Schunk": texCode, "verbatimtab": texCode,
	"Highlighting": texCode, "spverbatim": texCode, "tcblisting": texCode, "dispListing": texCode, "dispExample": texCode,
	"codeexample": texCode, "LTXexample": texCode, "sourcecode": texCode, "pyverbatim": texCode, "console": texCode, "codeblock": texCode,
	"listing*":    texCode,
	"tikzpicture": texDrop, "pgfpicture": texDrop, "picture": texDrop, "comment": texDrop, "pspicture": texDrop, "asy": texDrop,
	"luacode": texDrop, "CCSXML": texDrop, "filecontents": texDrop, "forest": texDrop, "circuitikz": texDrop, "feynman": texDrop,
	"axis":     texDrop,
	"equation": texMath, "align": texMath, "gather": texMath, "multline": texMath, "displaymath": texMath, "eqnarray": texMath,
	"math": texMath, "flalign": texMath, "alignat": texMath, "dmath": texMath, "subequations": texText,
	"itemize": texList, "enumerate": texList, "description": texList, "compactitem": texList, "compactenum": texList, "inparaenum": texList,
	"list": texList, "trivlist": texList, "thebibliography": texList, "options": texList, "labeling": texList, "easylist": texList,
	"tasks":   texList,
	"tabular": texTable, "tabularx": texTable, "longtable": texTable, "supertabular": texTable, "tabu": texTable, "longtabu": texTable,
	"tabulary": texTable, "xltabular": texTable, "tblr": texTable, "longtblr": texTable, "mpsupertabular": texTable, "deluxetable": texTable,
}

// texArguments is the number of arguments in braces after the name of an
// environment.
var texArguments = map[string]int{
	"tabular": 1, "tabularx": 2, "tabular*": 2, "longtable": 1, "supertabular": 1, "tabu": 1, "longtabu": 1, "tabulary": 2, "xltabular": 2,
	"tblr": 1, "longtblr": 1, "minipage": 1, "multicols": 1, "list": 2, "thebibliography": 1, "minted": 1, "labeling": 1, "adjustbox": 1,
	"wrapfigure": 2, "columns": 0, "column": 1, "textblock": 1, "spacing": 1, "otherlanguage": 1, "subfigure": 1, "addmargin": 1,
	"deluxetable": 1, "alltt": 0, "tcblisting": 1, "turn": 1, "rotate": 1, "scope": 0,
}

// begin opens an environment.
func (l *latex) begin() {
	env, ok := l.group('{', '}')
	if !ok || len(env) > 80 {
		return
	}
	base := strings.TrimSuffix(env, "*")
	if float := floatOf(base); float != "" {
		l.numbers.float = float
	}
	role := texEnvironments[base]
	if lower := strings.ToLower(base); role == texText &&
		(strings.Contains(lower, "code") || strings.Contains(lower, "listing") || strings.Contains(lower, "verbatim")) {
		role = texCode
	}
	switch role {
	case texCode:
		l.flush()
		code := l.until(env)
		if base == "Highlighting" {
			code = withoutTokens(code)
		}
		if l.inner == 0 {
			l.Code(trimListing(base, code))
		} else {
			l.write(" " + code + " ")
		}
		return
	case texDrop:
		l.until(env)
		return
	case texMath:
		l.display(env)
		return
	case texList:
		options := l.option()
		for range texArguments[base] {
			l.argument()
		}
		l.flush()
		if len(l.lists) < blocks.MaxNesting {
			kind := base
			if base == "compactenum" || base == "inparaenum" {
				kind = "enumerate"
			}
			list := latexList{kind: kind}
			if kind == "enumerate" {
				depth := 0
				for _, outer := range l.lists {
					if outer.kind == kind {
						depth++
					}
				}
				list.form, list.next = l.numbers.listForm(options, depth)
			}
			l.lists = append(l.lists, list)
		}
		l.Items++
		l.Marker = ""
		return
	case texTable:
		l.optional()
		for range max(texArguments[env], texArguments[base]) {
			l.optional()
			l.argument()
		}
		l.openTable()
		return
	case texText:
	}
	if l.numbers.shown[env] == "" {
		l.optional()
	}
	for range texArguments[base] {
		l.argument()
	}
	if len(l.grids) == 0 {
		l.flush()
	}
	if l.numbers.shown[env] != "" && l.inner == 0 {
		title := l.option()
		l.numbers.statement(l, env, title)
		return
	}
	switch base {
	case "abstract":
		l.Para("Abstract")
	case "frame":
		if s, ok := l.group('{', '}'); ok && l.inner == 0 {
			l.Heading(4, l.render(s))
		}
	}
}

// statement begins the text of a theorem.
func (n *numbers) statement(l *latex, env, title string) {
	front := n.shown[env]
	if number := n.step(l, n.counter[env]); number != "" {
		front += " " + number
	}
	if title = strings.TrimSpace(l.render(title)); title != "" {
		front += " (" + title + ")"
	}
	l.write(front + ". ")
}

// counted returns a formula with its number, and without its labels.
func (n *numbers) counted(l *latex, env, formula string) string {
	switch env {
	case "equation", "align", "gather", "multline", "eqnarray", "flalign", "alignat", "dmath":
	default:
		return formula
	}
	lines := []string{formula}
	if env != "equation" && env != "multline" && env != "dmath" && !strings.Contains(formula, `\begin{`) {
		lines = strings.Split(formula, `\\`)
	}
	for i, line := range lines {
		if strings.Contains(line, `\notag`) || strings.Contains(line, `\nonumber`) || strings.TrimSpace(line) == "" || !n.on {
			continue
		}
		number := n.step(l, "equation")
		before, after, ok := strings.Cut(line, `\label{`)
		if key, rest, closed := strings.Cut(after, "}"); ok && closed {
			n.label(key)
			line = strings.TrimSpace(before) + " " + strings.TrimSpace(rest)
		}
		lines[i] = strings.TrimSpace(line) + " (" + number + ")"
	}
	return strings.Join(lines, ` \\ `)
}

// end closes an environment.
func (l *latex) end(env string) {
	base := strings.TrimSuffix(env, "*")
	if floatOf(base) != "" {
		l.numbers.float = ""
	}
	switch texEnvironments[base] {
	case texList:
		l.flush()
		if n := len(l.lists); n > 0 {
			l.lists = l.lists[:n-1]
		}
		l.Items = max(0, l.Items-1)
		l.Marker = ""
	case texTable:
		l.closeTable()
	case texText, texCode, texDrop, texMath:
		if env == "document" {
			if l.pos < l.last {
				return
			}
			l.flush()
			l.ended = true
			return
		}
		if len(l.grids) == 0 {
			l.flush()
		}
	}
}

// until returns the text up to the end of an environment and moves behind it.
// Without an end it returns the rest of the text.
func (l *latex) until(env string) string {
	rest := l.text[l.pos:]
	mark := `\end{` + env + `}`
	end := strings.Index(rest, mark)
	if end < 0 {
		l.pos = len(l.text)
		return rest
	}
	l.pos += end + len(mark)
	return rest[:end]
}

// withoutTokens removes the commands that pandoc uses to color a listing, such
// as \KeywordTok{def}.
func withoutTokens(code string) string {
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		c := code[i]
		if c == '{' || c == '}' {
			continue
		}
		if c != '\\' || i+1 == len(code) {
			b.WriteByte(c)
			continue
		}
		end := i + 1
		for end < len(code) && blocks.IsWordAt(code, end) {
			end++
		}
		if end == i+1 { // an escaped character
			b.WriteByte(code[end])
			i = end
			continue
		}
		b.WriteString(texSymbols[code[i+1:end]])
		i = end - 1
	}
	return b.String()
}

// trimListing removes the options at the start of a listing.
func trimListing(env, code string) string {
	first, rest, ok := strings.Cut(code, "\n")
	if !ok {
		return code
	}
	first = strings.TrimSpace(first)
	if env == "minted" || strings.HasPrefix(first, "[") && strings.HasSuffix(first, "]") || strings.HasPrefix(first, "{") &&
		strings.HasSuffix(first, "}") {
		return rest
	}
	return code
}

// display adds a displayed formula in its source form.
func (l *latex) display(env string) {
	formula := l.numbers.counted(l, env, strings.TrimSpace(l.until(env)))
	if len(l.grids) > 0 || l.inner > 0 {
		l.write(" " + formula + " ")
		return
	}
	l.write(" " + formula + " ")
}
