package flavors

import (
	"path"
	"strings"

	"docent/internal/lazyregexp"
)

// maxNested bounds the boxes inside each other.
const maxNested = 16

// line is a line of the result. Lines of code stay as they are.
type line struct {
	text string
	code bool
}

// reader turns lines into plain Markdown.
type reader struct {
	document
	out []line
	// myst reports that the text has roles or directives of MyST.
	myst bool
}

// Plain returns a text without front matter as plain Markdown. The name tells MDX.
func Plain(name, s string) string {
	if !strings.ContainsAny(s, "<{[(%:!?=+^&\t`~>") {
		return s
	}
	mdx := strings.EqualFold(path.Ext(name), ".mdx") || moduleLine.MatchString(s)
	r := &reader{document: document{text: s, mdx: mdx, closed: map[string]bool{}}, myst: mystMark.MatchString(s)}
	lines := strings.Split(strings.ReplaceAll(s, "\t", "    "), "\n")
	if r.mdx {
		lines = withoutLayout(lines)
	}
	r.block(lines, 0)
	return r.result()
}

var (
	moduleLine = lazyregexp.New(`(?m)^import\s[^\n]*\sfrom\s+['"][^'"\n]+['"];?\s*$`)
	mystMark   = lazyregexp.New("(?m)^\\s*(?:```+|:::+|~~~+)\\{[a-z]|\\{[a-z][a-z:.-]*\\}`|^\\([\\w .:-]+\\)=\\s*$")
	// moduleStart is the first line of JavaScript between the paragraphs of MDX.
	moduleStart = lazyregexp.New(`^(?:import\s+(?:[\w*{"']|type\s)|export\s+(?:const|let|var|default|function|async|class|type|interface|\{))`)
	tagLine     = lazyregexp.New(`^\s*</?[A-Za-z][^>]*>\s*$`)

	// fenceStart opens code. A line such as ```ls``` does not (CommonMark 0.31, section 4.5).
	fenceStart = lazyregexp.New("^(\\s*(?:[-*+]\\s+|\\d+[.)]\\s+)?)(```+|~~~+)\\s*([^`]*?)\\s*$")
	colonStart = lazyregexp.New(`^(\s*)(:{3,})\s*(\S.*?)\s*$`)
	colonEnd   = lazyregexp.New(`^\s*:{3,}\s*$`)
	// admonition is a box of Python-Markdown, and tabStart a tab of MkDocs.
	admonition = lazyregexp.New(`^(\s*)(?:!!!|\?\?\?\+?)\s*([\w-]+)?((?:\s+[\w-]+)*)(?:\s+"((?:[^"\\]|\\.)*)")?\s*$`)
	tabStart   = lazyregexp.New(`^(\s*)===[!+]?\s+["“](.+)["”]\s*$`)
	// callout is the first line of a quotation that is a box, as in Obsidian and on GitHub.
	callout = lazyregexp.New(`^(\s*)>\s*\[!([\w-]+)[^\]]*\][+-]?[ \t]*(.*?)\s*$`)
	quote   = lazyregexp.New(`^\s*>\s?(.*)$`)
	// highlightStart is code between shortcodes.
	highlightStart = lazyregexp.New(`^(\s*)\{(?:\{[<%]\s*(highlight|code)\b\s*"?([\w+#-]*)[^}]*[>%]\}|%-?\s*(highlight|code)\b\s*([\w+#-]*)[^}]*%)\}\s*$`)
	highlightEnd   = lazyregexp.New(`^\s*\{(?:\{[<%]\s*/\s*(?:highlight|code)\s*[>%]\}|%-?\s*end(?:highlight|code)\s*-?%)\}\s*$`)
	listItem       = lazyregexp.New(`^\s*(?:[-*+]|\d+[.)])\s`)
	// commentStart and commentEnd enclose the comments of kramdown and Liquid.
	commentStart = lazyregexp.New(`^\s*\{(?:::comment|%-?\s*comment\s*-?%)\}\s*$`)
	commentEnd   = lazyregexp.New(`^\s*\{(?::/(?:comment)?|%-?\s*endcomment\s*-?%)\}\s*$`)
	// dropped are lines without text: targets, snippets, tables of contents, and the lists of attributes of kramdown;
	// comments of MyST are dropped in texts of MyST.
	dropped = lazyregexp.New(`^\s*(?:\([\w .:/-]+\)=|-{1,2}8<-{1,2}.*|;?--8<--.*|\[\[?_?(?:TOC|toc)_?\]?\]|\\newpage|\\pagebreak|\{:[^{}]*\}|<!--\s*truncate\s*-->)\s*$`)
	// blockProperty and embedded are lines of Logseq and Roam that are for the program.
	blockProperty = lazyregexp.New(`^\s*(?:id|collapsed|background-color|created-at|updated-at|heading|query-[a-z-]+|logseq\.[\w.-]+|card-[a-z-]+|ls-type|hl-[a-z-]+):: `)
	embedded      = lazyregexp.New(`^\s*(?:[-*] )?\{\{(?:\[\[)?(?:embed|query|renderer|cards|function)(?:\]\])?[: ].*\}\}\s*$`)
	tocMark       = lazyregexp.New(`^\s*\{:\s*toc\b[^}]*\}\s*$`)
	mystComment   = lazyregexp.New(`^(?:%(?:\s.*)?|\+\+\+.*)$`)
	abbreviation  = lazyregexp.New(`^\*\[([^\]]+)\]:\s*(.*)$`)
	emptyLines    = lazyregexp.New(`\n(?:[ ]*\n){2,}`)
	inlineField   = lazyregexp.New(`^(\s*(?:[-*+]\s+)?)([\pL][\pL\d _-]{0,40})::\s+(\S.*)$`)
)

// result returns the lines as a text.
func (r *reader) result() string {
	var b strings.Builder
	for i := 0; i < len(r.out); {
		j := i
		for j < len(r.out) && r.out[j].code == r.out[i].code {
			j++
		}
		part := make([]string, 0, j-i)
		for _, l := range r.out[i:j] {
			part = append(part, l.text)
		}
		text := strings.Join(part, "\n")
		if !r.out[i].code {
			text = emptyLines.ReplaceAllString(inline(text, &r.document), "\n\n")
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		i = j
	}
	return strings.TrimLeft(joinLabels(b.String()), "\n")
}

// joined is at the end of lines with the label of a component. The label goes before the next
// paragraph, so that quotations have it, too.
const joined = "\ue000"

// joinLabels joins the labels of components with the text behind them.
func joinLabels(s string) string {
	if !strings.Contains(s, joined) {
		return s
	}
	lines := strings.Split(s, "\n")
	out := make([]string, 0, len(lines))
	for i := 0; i < len(lines); i++ {
		label, ok := strings.CutSuffix(lines[i], joined)
		if !ok {
			out = append(out, lines[i])
			continue
		}
		next := i + 1
		for next < len(lines) && strings.TrimSpace(lines[next]) == "" {
			next++
		}
		if next == len(lines) || startsBlock.MatchString(lines[next]) || strings.HasSuffix(lines[next], joined) || indentOf(lines[next]) >= 4 {
			out = append(out, label)
			continue
		}
		out = append(out, label+" "+strings.TrimSpace(lines[next]))
		i = next
	}
	return strings.Join(out, "\n")
}

func (r *reader) add(code bool, texts ...string) {
	for _, t := range texts {
		r.out = append(r.out, line{t, code})
	}
}

// block reads lines. Boxes are read with their content, which is a block, too.
func (r *reader) block(lines []string, depth int) {
	if depth > maxNested {
		r.add(false, lines...)
		return
	}
	boxes := matchBoxes(lines)
	listed, blank := false, true
	comments := comments{lines: lines}
	for i := 0; i < len(lines); {
		l := lines[i]
		if strings.TrimSpace(l) == "" {
			r.add(false, "")
			i, blank = i+1, true
			continue
		}
		indent := indentOf(l)
		switch item := listItem.MatchString(l); {
		case item:
			listed = true
		case indent == 0 && blank:
			listed = false
		case indent >= 4 && blank && !listed && !r.mdx && !isBox(l):
			for i < len(lines) && (strings.TrimSpace(lines[i]) == "" || indentOf(lines[i]) >= 4) {
				r.add(true, lines[i])
				i++
			}
			continue
		}
		blank = false
		next := r.box(lines, i, boxes, depth)
		if next == i {
			next = r.module(lines, i)
		}
		if next == i {
			next = comments.drop(r, i)
		}
		if next > i {
			i, blank = next, true
			continue
		}
		if listed && i+1 < len(lines) && tocMark.MatchString(lines[i+1]) { // kramdown puts a table of contents here
			i += 2
			continue
		}
		r.line(l)
		i++
	}
}

// isBox reports whether a line opens a box although it is indented.
func isBox(l string) bool {
	for _, start := range []*lazyregexp.Regexp{fenceStart, colonStart, admonition, tabStart, callout} {
		if start.MatchString(l) {
			return true
		}
	}
	return false
}

// line adds a line of text.
func (r *reader) line(l string) {
	if dropped.MatchString(l) || blockProperty.MatchString(l) || embedded.MatchString(l) || r.myst && mystComment.MatchString(l) {
		r.add(false, "")
		return
	}
	if m := abbreviation.FindStringSubmatch(l); m != nil {
		l = m[1] + ": " + m[2]
	} else if m := inlineField.FindStringSubmatch(l); m != nil {
		l = m[1] + m[2] + ": " + m[3]
	}
	r.add(false, l)
}

// box reads the box that begins at a line, and returns the line after it, or i if none begins.
func (r *reader) box(lines []string, i int, boxes map[int]int, depth int) int {
	l := lines[i]
	if m := fenceStart.FindStringSubmatch(l); m != nil {
		return r.fence(lines, i, m, depth)
	}
	if m := highlightStart.FindStringSubmatch(l); m != nil {
		if end, ok := boxes[i]; ok {
			r.add(true, m[1]+"```"+m[3]+m[5])
			r.add(true, lines[i+1:end]...)
			r.add(true, m[1]+"```")
			return end + 1
		}
	}
	if end, ok := boxes[i]; ok && commentStart.MatchString(l) {
		return end + 1
	}
	if m := colonStart.FindStringSubmatch(l); m != nil {
		end, closed := boxes[i]
		if !closed { // mkdocstrings names an object of a program, with indented options
			r.add(false, m[1]+"`"+strings.Trim(m[3], "`")+"`", "")
			return indented(lines, i+1, len(m[1])+4)
		}
		r.directive(m[1], m[3], lines[i+1:end], depth)
		return end + 1
	}
	if colonEnd.MatchString(l) {
		return i + 1
	}
	if m := admonition.FindStringSubmatch(l); m != nil && (m[2] != "" || m[4] != "") {
		end := indented(lines, i+1, len(m[1])+4)
		label := m[4]
		if !strings.Contains(l, `"`) {
			label = boxLabel(m[2])
		}
		r.block(append(labeled(m[1], label, dedent(lines[i+1:end], 4)), ""), depth+1)
		return end
	}
	if m := tabStart.FindStringSubmatch(l); m != nil {
		end := indented(lines, i+1, len(m[1])+4)
		r.block(append(labeled(m[1], m[2], dedent(lines[i+1:end], 4)), ""), depth+1)
		return end
	}
	if m := callout.FindStringSubmatch(l); m != nil {
		var content []string
		end := i + 1
		for ; end < len(lines); end++ {
			q := quote.FindStringSubmatch(lines[end])
			if q == nil {
				break
			}
			content = append(content, m[1]+q[1])
		}
		label := m[3]
		if label == "" {
			label = boxLabel(m[2])
		}
		r.block(append(labeled(m[1], label, content), ""), depth+1)
		return end
	}
	return i
}

// indented returns the end of the lines with at least n spaces in front. Empty lines belong to them.
func indented(lines []string, from, n int) int {
	end := from
	for i := from; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		if indentOf(lines[i]) < n {
			break
		}
		end = i + 1
	}
	return end
}

// matchBoxes returns the end of each box between lines of colons, of code between shortcodes, and of comments, by
// its first line.
func matchBoxes(lines []string) map[int]int {
	var open []int
	ends := map[int]int{}
	fence, highlight, comment := "", -1, -1
	for i, l := range lines {
		t := strings.TrimSpace(l)
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == "" {
				fence = ""
			}
		case opensFence(t):
			fence = t[:len(t)-len(strings.TrimLeft(t, t[:1]))]
		case strings.HasPrefix(t, "{"):
			if comment >= 0 && commentEnd.MatchString(l) {
				ends[comment], comment = i, -1
			} else if comment < 0 && commentStart.MatchString(l) {
				comment = i
			}
			if highlight >= 0 && highlightEnd.MatchString(l) {
				ends[highlight], highlight = i, -1
			} else if highlight < 0 && highlightStart.MatchString(l) {
				highlight = i
			}
		case !strings.HasPrefix(t, ":::"):
		case colonEnd.MatchString(l):
			if len(open) > 0 {
				ends[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		default:
			open = append(open, i)
		}
	}
	return ends
}

// opensFence reports whether a line without indentation opens code.
func opensFence(t string) bool {
	return strings.HasPrefix(t, "~~~") || strings.HasPrefix(t, "```") && !strings.Contains(strings.TrimLeft(t, "`"), "`")
}

// module reads JavaScript up to the next empty line of MDX.
func (r *reader) module(lines []string, i int) int {
	if !r.mdx || !moduleStart.MatchString(lines[i]) {
		return i
	}
	for i < len(lines) && strings.TrimSpace(lines[i]) != "" {
		i++
	}
	return i
}

// withoutLayout removes the indentation that the components around a text cause.
func withoutLayout(lines []string) []string {
	out := make([]string, len(lines))
	base, fresh, fence := 0, false, ""
	for i, l := range lines {
		t := strings.TrimSpace(l)
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		case opensFence(t):
			fence = t[:3]
			if fresh {
				base, fresh = indentOf(l), false
			}
		case tagLine.MatchString(l):
			fresh = true
			out[i] = strings.TrimLeft(l, " ")
			continue
		case strings.TrimSpace(l) == "":
			continue
		case fresh:
			base, fresh = indentOf(l), false
		case indentOf(l) == 0:
			base = 0
		}
		out[i] = l[min(base, indentOf(l)):]
	}
	return out
}

// comments drops comments and scripts that have several lines.
type comments struct {
	lines []string
	none  [4]bool // by kind: no end is left
}

// hiddenParts are the beginnings and ends of text that is not shown.
var hiddenParts = [4][2]string{{"<!--", "-->"}, {"{/*", "*/}"}, {"<script", "</script>"}, {"<style", "</style>"}}

// drop drops the comment that begins in a line and ends in a later one. It returns the line after it,
// or i without one.
func (c *comments) drop(r *reader, i int) int {
	for kind, marks := range hiddenParts {
		at := strings.LastIndex(c.lines[i], marks[0])
		if at < 0 || c.none[kind] || strings.Contains(c.lines[i][at:], marks[1]) {
			continue
		}
		for j := i + 1; j < len(c.lines); j++ {
			if end := strings.Index(c.lines[j], marks[1]); end >= 0 {
				r.add(false, c.lines[i][:at], c.lines[j][end+len(marks[1]):])
				return j + 1
			}
		}
		c.none[kind] = true
	}
	if strings.TrimSpace(c.lines[i]) == "%%" {
		for j := i + 1; j < len(c.lines); j++ {
			if strings.TrimSpace(c.lines[j]) == "%%" {
				return j + 1
			}
		}
	}
	return i
}
