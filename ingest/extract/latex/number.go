package latex

import (
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/internal/lazyregexp"
)

// numbers counts the sections, lists, and formulas of a document as LaTeX prints them.
type numbers struct {
	on      bool // the text is a whole document that prints numbers
	labels  map[string]string
	values  map[string]int
	forms   map[string]string // how a number is printed, by counter
	below   map[string][]string
	depth   int // level of the last sections with a number
	off     bool
	current string // the number that a label stands for
	float   string // table or figure, inside of one
	names   map[string]string
	shown   map[string]string // names of theorems and their counters
	counter map[string]string
	lists   [4]string // forms of the numbers in lists, by depth
}

// maxLabels bounds the labels that are kept, and maxForm the bytes of a printed number.
const maxLabels, maxForm = 100_000, 60

var (
	classLine   = lazyregexp.New(`\\documentclass\s*(?:\[[^\]]*\])?\s*\{([\w-]+)\}`)
	formCommand = lazyregexp.New(`\\renewcommand\*?\s*\{?\\(the|label)([a-z]+)\}?\s*\{((?:[^{}]|\{[^{}]*\})*)\}`)
	theorem     = lazyregexp.New(`\\newtheorem(\*?)\s*\{([\w*-]+)\}\s*(?:\[([\w-]+)\])?\s*\{([^{}]+)\}\s*(?:\[([\w-]+)\])?`)
	babel       = lazyregexp.New(`\\usepackage\s*\[[^\]]*?\b(n?german|french|spanish|italian|dutch|portuguese)\]\s*\{(?:babel|polyglossia)\}`)
	printed     = lazyregexp.New(`\\(?:the([a-z]+)|(arabic|roman|Roman|alph|Alph)(?:\*|\s*\{([a-z]+)\}))`)
	shortLabel  = lazyregexp.New(`[1aAiI]`)
	depthOption = lazyregexp.New(`\\setcounter\s*\{secnumdepth\}\s*\{(-?\d)\}`)
)

// numeralOf are the formats of numbers by command and by sample.
var numeralOf = map[string]string{
	"arabic": "decimal", "roman": "lowerRoman", "Roman": "upperRoman", "alph": "lowerLetter", "Alph": "upperLetter",
	"1": "arabic", "i": "roman", "I": "Roman", "a": "alph", "A": "Alph",
}

// floatNames are the words in front of the numbers of tables and figures, by language.
var floatNames = map[string][2]string{
	"ngerman": {"Tabelle", "Abbildung"}, "german": {"Tabelle", "Abbildung"}, "french": {"Tableau", "Figure"}, "spanish": {"Tabla", "Figura"},
	"italian": {"Tabella", "Figura"}, "dutch": {"Tabel", "Figuur"}, "portuguese": {"Tabela", "Figura"}, "": {"Table", "Figure"},
}

// newNumbers reads how the document counts.
func newNumbers(text string) *numbers {
	n := &numbers{
		labels: map[string]string{}, values: map[string]int{}, below: map[string][]string{},
		shown: map[string]string{}, counter: map[string]string{},
		forms: map[string]string{
			"part": `\Roman{part}`, "section": `\arabic{section}`, "subsection": `\thesection.\arabic{subsection}`,
			"subsubsection": `\thesubsection.\arabic{subsubsection}`, "paragraph": `\thesubsubsection.\arabic{paragraph}`,
			"equation": `\arabic{equation}`, "table": `\arabic{table}`, "figure": `\arabic{figure}`,
		},
		lists: [4]string{`\arabic*.`, `(\alph*)`, `\roman*.`, `\Alph*.`}, depth: 5,
	}
	class := classLine.FindStringSubmatch(text)
	if class == nil || class[1] == "beamer" || class[1] == "letter" || class[1] == "slides" {
		return n
	}
	n.on = true
	n.within("subsection", "section")
	n.within("subsubsection", "subsection")
	n.within("paragraph", "subsubsection")
	switch class[1] {
	case "book", "report", "scrbook", "scrreprt", "memoir", "extbook", "extreport":
		n.depth = 4
		n.forms["chapter"] = `\arabic{chapter}`
		n.within("section", "chapter")
		for _, name := range []string{"section", "equation", "table", "figure"} {
			n.within(name, "chapter")
			n.forms[name] = `\thechapter.\arabic{` + name + `}`
		}
	}
	if m := depthOption.FindStringSubmatch(text); m != nil {
		depth, _ := strconv.Atoi(m[1]) // digits only
		n.depth = depth + 2
	}
	for _, m := range theorem.FindAllStringSubmatch(text, 100) {
		n.shown[m[2]] = m[4]
		if m[1] != "" {
			continue
		}
		n.counter[m[2]] = m[2]
		if m[3] != "" {
			n.counter[m[2]] = m[3]
		}
		n.forms[m[2]] = `\arabic{` + m[2] + `}`
		if m[5] != "" {
			n.within(m[2], m[5])
			n.forms[m[2]] = `\the` + m[5] + `.\arabic{` + m[2] + `}`
		}
	}
	for _, m := range formCommand.FindAllStringSubmatch(text, 100) {
		if depth := strings.TrimPrefix(m[2], "enum"); depth != m[2] {
			k := map[string]int{"i": 1, "ii": 2, "iii": 3, "iv": 4}[depth]
			if k > 0 && (m[1] == "label" || !strings.Contains(text, `\labelenum`+depth)) {
				n.lists[k-1] = printed.ReplaceAllStringFunc(m[3], func(s string) string {
					if p := printed.FindStringSubmatch(s); p[2] != "" {
						return `\` + p[2] + "*"
					}
					return s
				})
			}
		} else if m[1] == "the" && len(m[3]) < 200 {
			n.forms[m[2]] = m[3]
		}
	}
	language := ""
	if m := babel.FindStringSubmatch(text); m != nil {
		language = m[1]
	}
	n.names = map[string]string{"table": floatNames[language][0], "figure": floatNames[language][1]}
	return n
}

// within makes a counter begin again with another one.
func (n *numbers) within(name, outer string) {
	if len(n.below[outer]) < maxForm {
		n.below[outer] = append(n.below[outer], name)
	}
}

// step counts on, and returns the number as printed. It returns "" if the document prints none.
func (n *numbers) step(l *latex, name string) string {
	if !n.on || n.forms[name] == "" {
		return ""
	}
	n.values[name]++
	n.restart(name, 0)
	n.current = n.form(l, name)
	return n.current
}

// restart sets the counters that depend on another one to zero.
func (n *numbers) restart(name string, depth int) {
	if depth > 8 {
		return
	}
	for _, inner := range n.below[name] {
		n.values[inner] = 0
		n.restart(inner, depth+1)
	}
}

// form returns the number of a counter as printed.
func (n *numbers) form(l *latex, name string) string {
	return strings.Trim(l.render(n.expand(n.forms[name], 0)), " ")
}

func (n *numbers) expand(form string, depth int) string {
	if depth > 6 || len(form) > 4*maxForm {
		return ""
	}
	return printed.ReplaceAllStringFunc(form, func(s string) string {
		m := printed.FindStringSubmatch(s)
		if m[1] != "" {
			return n.expand(n.forms[m[1]], depth+1)
		}
		return content.Numeral(n.values[m[3]], numeralOf[m[2]])
	})
}

// heading returns the number of a section as printed, or "".
func (n *numbers) heading(l *latex, name string, starred bool) string {
	if !n.on || n.off || starred || texSections[name] > n.depth && name != "part" || strings.HasPrefix(name, "add") {
		return ""
	}
	number := n.step(l, name)
	if name == "part" && number != "" {
		return "Part " + number + ":"
	}
	return number
}

// matter follows the commands that turn the numbers of sections on and off, and appendices.
func (n *numbers) matter(name string) {
	switch name {
	case "frontmatter", "backmatter":
		n.off = true
	case "mainmatter":
		n.off = false
	case "appendix", "appendices":
		top := "section"
		if n.forms["chapter"] != "" {
			top = "chapter"
		}
		n.values[top] = 0
		n.restart(top, 0)
		n.forms[top] = `\Alph{` + top + `}`
	}
}

// set reads \setcounter and \addtocounter.
func (n *numbers) set(name, counter, value string) {
	v, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || v < -1 || v > 1e6 || len(n.values) > maxLabels {
		return
	}
	if name == "addtocounter" {
		v += n.values[counter]
	}
	n.values[counter] = v
}

// caption returns the word and the number in front of the caption of a table or figure, such as "Table 2: ".
func (n *numbers) caption(l *latex) string {
	if n.float == "" {
		return ""
	}
	number := n.step(l, n.float)
	if number == "" {
		return ""
	}
	return n.names[n.float] + " " + number + ": "
}

// floatOf returns table or figure for the environments with captions, or "".
func floatOf(base string) string {
	switch base {
	case "table", "longtable", "wraptable", "sidewaystable", "margintable":
		return "table"
	case "figure", "wrapfigure", "sidewaysfigure", "marginfigure":
		return "figure"
	}
	return ""
}

// label notes the number that a label stands for.
func (n *numbers) label(key string) {
	if n.on && n.current != "" && len(n.labels) < maxLabels {
		n.labels[strings.TrimSpace(key)] = n.current
	}
}

// reference returns the number behind a key, or "". Several keys are separated by commas.
func (n *numbers) reference(name, key string) string {
	var out []string
	for k := range strings.SplitSeq(key, ",") {
		number := n.labels[strings.TrimSpace(k)]
		if number == "" {
			return ""
		}
		if name == "eqref" {
			number = "(" + number + ")"
		}
		out = append(out, number)
	}
	return strings.Join(out, ", ")
}

// listForm returns the form of the numbers in a list with options of enumitem or enumerate, and the number
// before the first.
func (n *numbers) listForm(options string, depth int) (form string, before int) {
	form = n.lists[min(depth, len(n.lists)-1)]
	if options == "" {
		return form, 0
	}
	named := false
	for option := range strings.SplitSeq(options, ",") {
		key, value, ok := strings.Cut(option, "=")
		if !ok {
			continue
		}
		named = true
		switch value = strings.Trim(strings.TrimSpace(value), "{}"); strings.TrimSpace(key) {
		case "label":
			form = value
		case "start":
			if v, err := strconv.Atoi(value); err == nil {
				before = v - 1
			}
		}
	}
	sample := shortLabel.FindStringIndex(options)
	if !named && sample != nil && len(options) < maxForm && !strings.Contains(options, "resume") {
		form = options[:sample[0]] + `\` + numeralOf[options[sample[0]:sample[1]]] + "*" + options[sample[1]:]
	}
	return form, before
}

// item returns the number of an item as printed.
func (n *numbers) item(l *latex, list *latexList) string {
	number := printed.ReplaceAllStringFunc(list.form, func(s string) string {
		if m := printed.FindStringSubmatch(s); m[2] != "" {
			return content.Numeral(list.next, numeralOf[m[2]])
		}
		return s
	})
	number = strings.TrimSpace(l.render(number))
	if len(number) > maxForm {
		number = strconv.Itoa(list.next) + "."
	}
	n.current = strings.Trim(number, "().")
	return number
}
