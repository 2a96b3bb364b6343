package flavors

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docent/internal/lazyregexp"
)

// unlabeled are boxes, layouts, and groups whose name is not shown.
var unlabeled = set(`details collapse collapsible expand code-group tabs tabset tab-set tab-pane tabpane grid columns column row cards card
	cardgroup steps step div span center container only-dark only-light figure-md margin aside admonition callout panel box dropdown
	tab tab-item tabitem accordion accordiongroup fragment frame toggle blocks block hint alert notice p section main article header footer
	sphinx-design button quote cite pull-quote epigraph highlights panel-tabset content-visible content-hidden hidden raw include`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// boxLabel returns the label of a box by its type, such as Note; "" for boxes without a label.
func boxLabel(kind string) string {
	kind = strings.TrimPrefix(strings.ToLower(kind), "callout-")
	if kind == "" || unlabeled[kind] || len(kind) > 40 {
		return ""
	}
	words := strings.NewReplacer("-", " ", "_", " ").Replace(kind)
	r, n := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(r)) + words[n:]
}

// startsBlock matches lines that cannot follow a label.
var startsBlock = lazyregexp.New("^\\s*(?:[-*+]\\s|\\d+[.)]\\s|#|\\||>|<|:::|!!!|\\?\\?\\?|===|```|~~~|\\{\\{|\\{%)")

// labeled puts a label before the text of a box, on the same line if possible. So a quotation of the
// text has it, too.
func labeled(indent, label string, content []string) []string {
	if label = strings.TrimSpace(label); label == "" {
		return content
	}
	bold := "**" + label + ":**"
	if strings.ContainsAny(label[len(label)-1:], ".:?!") {
		bold = "**" + label + "**"
	}
	for i, line := range content {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if startsBlock.MatchString(line) || indentOf(line) >= len(indent)+4 {
			break
		}
		out := append([]string{}, content...)
		out[i] = line[:indentOf(line)] + bold + " " + strings.TrimSpace(line)
		return out
	}
	return append([]string{indent + bold, ""}, content...)
}

// indentOf returns the number of spaces before a line.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// dedent removes up to n spaces before each line.
func dedent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(n, indentOf(l)):]
	}
	return out
}
