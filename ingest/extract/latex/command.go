package latex

import (
	"strings"
	"unicode/utf8"

	"docent/ingest/extract/blocks"
	"docent/ingest/outline"
)

// decode returns the first character of a text and its length.
func decode(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

// texSections are the levels of sections.
var texSections = map[string]int{
	"part": 1, "chapter": 2, "addchap": 2, "section": 3, "addsec": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6, "subparagraph": 7,
	"frametitle": 4, "DocumentTitle": 1,
}

// texSymbols are commands that represent characters.
var texSymbols = map[string]string{
	"LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "TeX": "TeX", "BibTeX": "BibTeX", "XeLaTeX": "XeLaTeX", "LuaLaTeX": "LuaLaTeX",
	"pdfLaTeX": "pdfLaTeX", "XeTeX": "XeTeX", "LuaTeX": "LuaTeX", "pdfTeX": "pdfTeX",
	"ldots": "…", "dots": "…", "textellipsis": "…", "&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", "\n": " ",
	"\t":            " ",
	"textbackslash": `\`, "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">",
	"textunderscore": "_", "textquotesingle": "'",
	"copyright": "©", "textcopyright": "©", "textregistered": "®", "texttrademark": "™", "S": "§", "P": "¶", "dag": "†", "ddag": "‡",
	"pounds": "£", "euro": "€", "texteuro": "€", "degree": "°", "textdegree": "°", "textmu": "µ", "textpm": "±", "texttimes": "×",
	"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "i", "j": "j",
	"th": "þ", "dh": "ð",
	"quad": " ", "qquad": " ", ",": " ", ";": " ", ":": " ", "space": " ", "enspace": " ", "thinspace": " ", "xspace": "", "textendash": "–",
	"textemdash": "—", "slash": "/",
	"textquotedblleft": "“", "textquotedblright": "”", "textquoteleft": "‘", "textquoteright": "’", "lq": "‘", "rq": "’", "today": "",
	"textbullet": "•", "/": "", "-": "", "!": "", "@": "", "*": "", "char": "",
	"newline": "\n", "linebreak": "\n", "hfill": " ", "enskip": " ", "textvisiblespace": " ", "textperiodcentered": "·", "checkmark": "✓",
}

// texAccents maps commands that put an accent on the next letter to combining
// characters.
var texAccents = map[string]string{
	"'": "\u0301", "`": "\u0300", "^": "\u0302", `"`: "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307", "c": "\u0327", "v": "\u030c",
	"H": "\u030b", "u": "\u0306", "k": "\u0328", "r": "\u030a", "b": "\u0331", "d": "\u0323",
}

// texDropped are the numbers of arguments of commands that are dropped.
var texDropped = map[string]int{
	"label": 1, "vspace": 1, "hspace": 1, "include": 1, "input": 1, "includegraphics": 1, "bibliographystyle": 1, "bibliography": 1,
	"printbibliography": 0, "addbibresource": 1,
	"pagestyle": 1, "thispagestyle": 1, "usepackage": 1, "RequirePackage": 1, "documentclass": 1, "setcounter": 2, "addtocounter": 2,
	"stepcounter": 1, "refstepcounter": 1, "setlength": 2, "addtolength": 2,
	"index": 1, "glossary": 1, "color": 1, "definecolor": 3, "colorlet": 2, "fontsize": 2, "selectfont": 0, "hypersetup": 1, "lstset": 1,
	"graphicspath": 1, "usetikzlibrary": 1, "pgfplotsset": 1, "tikzset": 1, "tikz": 1,
	"newcounter": 1, "newlength": 1, "newsavebox": 1, "newtheorem": 2, "theoremstyle": 1, "markboth": 2, "markright": 1, "addcontentsline": 3,
	"phantomsection": 0, "tableofcontents": 0, "listoffigures": 0, "listoftables": 0,
	"geometry": 1, "hyphenation": 1, "selectlanguage": 1, "setdefaultlanguage": 1, "setmainfont": 1, "setsansfont": 1, "setmonofont": 1,
	"newfontfamily": 2, "DeclareMathOperator": 2, "PassOptionsToPackage": 2, "AtBeginDocument": 1, "AtEndDocument": 1,
	"rule": 2, "vskip": 0, "hskip": 0, "cline": 1, "cmidrule": 1, "arraystretch": 0, "rowcolor": 1, "cellcolor": 1, "columncolor": 1,
	"foreignlanguage": 1, "textcolor": 1, "colorbox": 1, "raisebox": 1, "resizebox": 2, "scalebox": 1, "rotatebox": 1, "parbox": 1,
	"multirow": 2, "bibname": 0, "nocite": 1, "SetKwInOut": 2, "pdfinfo": 1, "numberwithin": 2, "hangindent": 0, "setuptoc": 2,
	"DeleteShortVerb": 1, "MakeShortVerb": 1, "CheckSum": 1, "DoNotIndex": 1, "changes": 3, "StopEventually": 1, "captionsetup": 1,
	"enlargethispage": 1,
	"usecolortheme":   1, "usetheme": 1, "titlegraphic": 1, "sisetup": 1, "setstretch": 1, "makebox": 0, "framebox": 0, "fbox": 0,
	"hypertarget": 1, "vphantom": 1, "phantom": 1, "hphantom": 1, "tcbset": 1, "tcbuselibrary": 1, "pgfkeys": 1, "externaldocument": 1,
	"inputminted": 2, "lstinputlisting": 1, "verbatiminput": 1, "includepdf": 1, "fontfamily": 1, "fontseries": 1, "fontshape": 1,
	"linespread": 1, "hrule": 0, "looseness": 0, "ExplSyntaxOn": 0, "ProvidesFile": 1, "ProvidesPackage": 1, "GetFileInfo": 1,
}

// texDefinitions are commands that define others.
var texDefinitions = map[string]bool{
	"newcommand": true, "renewcommand": true, "providecommand": true, "DeclareRobustCommand": true, "newenvironment": true,
	"renewenvironment": true, "NewDocumentCommand": true, "RenewDocumentCommand": true,
	"DeclareDocumentCommand": true, "NewDocumentEnvironment": true, "ProvideDocumentCommand": true, "lstnewenvironment": true,
	"lstdefinelanguage": true, "lstdefinestyle": true, "DefineVerbatimEnvironment": true, "newtcolorbox": true, "newtcblisting": true,
	"DeclareTotalTCBox": true, "NewTotalTCBox": true, "titleformat": true, "newcolumntype": true, "setlist": true, "newlist": true,
	"titlespacing": true,
	"crefname":     true, "Crefname": true, "newglossaryentry": true, "newacronym": true, "pgfmathsetmacro": true, "lstdefineLanguage": true,
	"RecustomVerbatimEnvironment": true, "DeclareFixedFont": true, "tcbsetforeverylayer": true,
}

// texReferences are commands whose argument is a key that stays readable.
var texReferences = map[string]bool{
	"cite": true, "citep": true, "citet": true, "citealp": true, "citealt": true, "citeauthor": true, "citeyear": true, "parencite": true,
	"textcite": true, "autocite": true, "footcite": true, "fullcite": true, "supercite": true, "Citet": true, "Citep": true,
	"ref": true, "eqref": true, "pageref": true, "autoref": true, "cref": true, "Cref": true, "nameref": true, "vref": true, "fref": true,
	"thref": true, "labelcref": true,
}

// command reads a command.
func (l *latex) command() {
	l.pos++
	if l.pos >= len(l.text) {
		return
	}
	name := l.name()
	starred := strings.HasPrefix(l.text[l.pos:], "*") && name != `\` && blocks.IsWordAt(name, 0)
	if starred {
		l.pos++
	}
	switch {
	case l.preamble:
		l.declare(name)
	case texSections[name] > 0:
		l.section(name, starred)
	case texReferences[name]:
		l.optional()
		if key, ok := l.group('{', '}'); ok {
			if number := l.numbers.reference(name, key); number != "" {
				l.write(number)
				return
			}
			l.write("[" + blocks.OneLine(key) + "]")
		}
	case name == "setcounter", name == "addtocounter":
		counter, _ := l.group('{', '}')
		value, _ := l.group('{', '}')
		l.numbers.set(name, counter, value)
	case name == "label":
		if key, ok := l.group('{', '}'); ok {
			l.numbers.label(key)
		}
	case texDefinitions[name]:
		l.skipArguments(4)
	case texAccents[name] != "":
		l.accent(name)
	default:
		if s, ok := texSymbols[name]; ok {
			l.symbol(name, s)
			return
		}
		if n, ok := texDropped[name]; ok {
			l.optional()
			for range n {
				l.argument()
			}
			return
		}
		l.special(name)
	}
}

// symbol writes a character. It skips the space after the name of the command.
func (l *latex) symbol(name, s string) {
	l.write(s)
	if !blocks.IsWordAt(name, 0) {
		return
	}
	for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t') {
		l.pos++
	}
}

// accent writes the next letter with an accent.
func (l *latex) accent(name string) {
	arg := l.argument()
	arg = strings.TrimPrefix(strings.TrimSpace(arg), `\`)
	_, n := decode(arg)
	if n == 0 {
		return
	}
	l.write(arg[:n] + texAccents[name] + l.render(arg[n:]))
}

// skipArguments skips up to n arguments of a definition. An argument may be a
// command name.
func (l *latex) skipArguments(n int) {
	for i := range n {
		for strings.HasPrefix(l.text[l.pos:], "[") {
			if _, ok := l.group('[', ']'); !ok {
				break
			}
		}
		at := l.pos
		if _, ok := l.group('{', '}'); ok {
			continue
		}
		l.skipSpace()
		if strings.HasPrefix(l.text[l.pos:], `\`) && at == l.pos && i == 0 {
			l.pos++
			l.name()
			continue
		}
		l.pos = at
		return
	}
}

// declare reads a command of the preamble. It uses the title, the author, and
// the beginning of the text.
func (l *latex) declare(name string) {
	switch name {
	case "title", "author", "subtitle":
		l.titled(name)
	case "begin":
		if env, ok := l.group('{', '}'); ok && env == "document" {
			l.preamble = false
		} else if ok && strings.HasPrefix(env, "filecontents") {
			l.until(env)
		}
	case "def":
		l.definition()
	default:
		if texDefinitions[name] {
			l.skipArguments(4)
		}
	}
}

// titled reads the title or the author.
func (l *latex) titled(name string) {
	l.optional()
	arg, ok := l.group('{', '}')
	if !ok {
		return
	}
	text := l.render(arg)
	preamble := l.preamble
	l.preamble = false
	l.flush()
	if name == "title" && l.Title == "" {
		l.Title = text
	}
	l.Para(text)
	l.preamble = preamble
}

// definition skips \def with its pattern and body.
func (l *latex) definition() {
	l.skipSpace()
	end := strings.IndexByte(l.text[l.pos:min(l.pos+400, len(l.text))], '{')
	if end < 0 {
		return
	}
	l.pos += end
	l.group('{', '}')
}

// section reads a heading.
func (l *latex) section(name string, starred bool) {
	l.optional()
	arg, ok := l.group('{', '}')
	if !ok {
		return
	}
	text := l.render(arg)
	if l.inner > 0 {
		l.write(text)
		return
	}
	l.flush()
	l.Items, l.lists = 0, nil
	if l.Title == "" && (name == "part" || name == "chapter") {
		l.Title = text
	}
	if number := l.numbers.heading(l, name, starred); number != "" {
		text = number + " " + text
	}
	l.Heading(texSections[name], text)
}

// special reads commands that need code of their own.
func (l *latex) special(name string) {
	switch name {
	case "appendix", "frontmatter", "mainmatter", "backmatter":
		l.numbers.matter(name)
	case "begin":
		l.begin()
	case "end":
		if env, ok := l.group('{', '}'); ok {
			l.end(env)
		}
	case "item":
		l.item()
	case "\\", "tabularnewline", "cr":
		l.optional()
		if len(l.grids) > 0 {
			l.row()
		} else {
			l.write(" ")
		}
	case "hline", "midrule", "toprule", "bottomrule":
		l.rule()
	case "endfirsthead", "endhead", "endfoot", "endlastfoot":
		l.rule()
		l.repeatedRows(name)
	case "title", "author", "subtitle":
		l.titled(name)
	case "par", "bigskip", "medskip", "smallskip", "newpage", "clearpage":
		if len(l.grids) == 0 {
			l.flush()
		}
	case "footnote", "footnotetext", "thanks", "marginpar", "marginnote":
		l.footnote()
	case "caption", "subcaption", "captionof":
		l.caption(name)
	case "bibitem":
		l.optional()
		key, _ := l.group('{', '}')
		l.flush()
		l.Marker = "- "
		l.buf.WriteString("[" + key + "] ")
	default:
		l.inlineCommand(name)
	}
}

// inlineCommand reads commands within a paragraph.
func (l *latex) inlineCommand(name string) {
	switch name {
	case "(", "[":
		closed := map[string]string{"(": `\)`, "[": `\]`}[name]
		end := l.find(l.pos, closed)
		if end < 0 {
			l.write(name)
			return
		}
		l.write(" " + `\` + name + l.text[l.pos:end] + closed + " ")
		l.pos = end + 2
	case "verb", "lstinline", "mintinline", "Verb":
		l.verb(name)
	case "url", "path", "nolinkurl", "texttt", "code", "cs", "env", "pkg", "cls", "file", "ensuremath":
		if name == "cs" {
			l.write(`\`)
		}
		if name == "url" || name == "path" || name == "nolinkurl" || name == "ensuremath" {
			if s, ok := l.group('{', '}'); ok {
				l.write(s)
			}
		}
	case "href", "hyperref", "hyperlink", "multicolumn":
		l.optional()
		if name != "hyperref" {
			l.argument()
		}
		if name == "multicolumn" {
			l.argument()
		}
	case "sout", "st", "xout", "cancel", "strikethrough":
		l.optional()
		if s, ok := l.group('{', '}'); ok {
			l.write(outline.Struck(l.render(s)))
		}
	case "def", "gdef", "edef", "xdef":
		l.definition()
	case "let":
		l.skipArguments(2)
	case "iffalse":
		if end := strings.Index(l.text[l.pos:], `\fi`); end >= 0 {
			l.pos += end + 3
		}
	default:
		l.optional()
		if blocks.IsWordAt(name, 0) {
			for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t') {
				l.pos++
			}
			if l.pos < len(l.text) && blocks.IsWordAt(l.text, l.pos) && l.buf.Len() > 0 {
				l.write(" ")
			}
		}
	}
}

// footnote stores a footnote until the end of the paragraph.
func (l *latex) footnote() {
	l.optional()
	arg, ok := l.group('{', '}')
	if !ok {
		return
	}
	text := l.render(arg)
	if l.inner > 0 {
		l.write(" (" + text + ")")
		return
	}
	if text != "" {
		l.notes = append(l.notes, text)
	}
}

// caption adds a caption as a paragraph.
func (l *latex) caption(name string) {
	if name == "captionof" {
		l.argument()
	}
	l.optional()
	arg, ok := l.group('{', '}')
	if !ok {
		return
	}
	text := l.render(arg)
	if name == "caption" && l.inner == 0 {
		text = l.numbers.caption(l) + text
	}
	if len(l.grids) > 0 {
		l.grids[0].Caption = text
		return
	}
	l.flush()
	l.Para(text)
}

// verb copies verbatim text within a paragraph.
func (l *latex) verb(name string) {
	l.optional()
	if name == "mintinline" {
		l.argument()
	}
	if l.pos >= len(l.text) {
		return
	}
	mark := l.text[l.pos]
	if mark == '{' {
		if s, ok := l.group('{', '}'); ok {
			l.write(s)
		}
		return
	}
	line := l.text[l.pos+1:]
	if i := strings.IndexByte(line[:min(len(line), 4096)], '\n'); i >= 0 {
		line = line[:i]
	}
	if end := strings.IndexByte(line[:min(len(line), 4096)], mark); end >= 0 {
		l.write(line[:end])
		l.pos += end + 2
	}
}
