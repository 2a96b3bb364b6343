package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

const (
	maxWords = 30 // of a sentence
	maxLines = 5  // of a paragraph in a guide
)

// A rule finds wording to avoid.
type rule struct {
	pattern *regexp.Regexp
	advice  string
}

// message describes a finding of the rule.
func (r rule) message(found string) string { return fmt.Sprintf("%.60q: %s", found, r.advice) }

func words(list, advice string) rule {
	return rule{regexp.MustCompile(`(?i)\b(` + list + `)\b`), advice}
}

// rules are tried on each sentence.
var rules = []rule{
	words(`owes?|owed|owing|debts?`, "say pending writes"),
	words(`dozes?|dozed|dozing|rouses?|roused`, "say idle wait, or wake"),
	words(`settles?|settled|settling`, "say flush, merge, or end"),
	words(`strangers?|strange words?`, "say unknown users or unknown terms"),
	words(`carr(y|ies) fully|slip of the finger|in the making|comes? and goes?`, "use the term of the field"),
	words(`(is|are|was|be) (told|looked at)|is said|are said`, "say who does what"),
	words(`what there is|what there was|that there is not|where there (is|are) (none|no)|as it comes`, "name the thing"),
	words(`(behavi|col|hon|fav|lab|neighb|rum)our\w*`, "American spelling: -or"),
	words(`\w*(organ|recogn|summar|sanit|normal|initial|serial|optim|util|author|synchron|minim|maxim|emphas|custom)is(e|es|ed|ing|ation)`, "American spelling: -ize"),
	words(`cent(re|red)|cancell(ed|ing)|labell(ed|ing)|travell(ed|ing)|modell(ed|ing)|licences?|catalogues?|analyse[sd]?|grey|whilst|acknowledgements?|judgements?|artefacts?|dialogues?|fulfil|encyclopaedia`, "American spelling"),
	{regexp.MustCompile(`^Of [^.?]*,`), "do not begin with Of …, say whose it is"},
	{regexp.MustCompile(`^(What|Who|Whoever|Whom) [^?]*\.$`), "do not use a clause as the subject, name the thing"},
	{regexp.MustCompile(`(?i)\b(of|by|with|to|from|than|as|and|but|only|for|beyond) (what|who|whom|whoever)\b`), "do not use a clause as the object, name the thing"},
}

// checkPage checks the blocks of a page.
func checkPage(file string, p page) []finding {
	var out []finding
	for _, line := range p.long {
		out = append(out, finding{file, line, fmt.Sprintf("the line has more than %d columns", maxColumns)})
	}
	guide := strings.HasPrefix(file, "docs/start/") || strings.HasPrefix(file, "docs/how-to/")
	for _, b := range p.blocks {
		if guide && b.kind == paragraph && len(b.lines) > maxLines {
			out = append(out, finding{file, b.line, fmt.Sprintf("the paragraph has more than %d lines", maxLines)})
		}
		for _, sentence := range sentences(plain(strings.Join(b.lines, " "))) {
			if n := len(strings.Fields(sentence)); n > maxWords && (b.kind == paragraph || b.kind == item) {
				out = append(out, finding{file, b.line, fmt.Sprintf("the sentence has %d words, at most %d: %.60s…", n, maxWords, sentence)})
			}
			out = append(out, checkWording(file, b.line, sentence)...)
		}
	}
	return out
}

// checkWording applies the rules to a sentence.
func checkWording(file string, line int, sentence string) []finding {
	var out []finding
	for _, r := range rules {
		if found := r.pattern.FindString(sentence); found != "" {
			out = append(out, finding{file, line, r.message(found)})
		}
	}
	return out
}

// literal is a string literal of TypeScript.
var literal = regexp.MustCompile("'((?:[^'\\\\]|\\\\.)*)'|\"((?:[^\"\\\\]|\\\\.)*)\"|`((?:[^`\\\\]|\\\\.)*)`")

// checkStrings checks the string literals of a TypeScript file, except those of
// imports.
func checkStrings(file, text string) []finding {
	var out []finding
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "import ") || strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		for _, m := range literal.FindAllStringSubmatch(line, -1) {
			for _, sentence := range sentences(m[1] + m[2] + m[3]) {
				if n := len(strings.Fields(sentence)); n > maxWords {
					out = append(out, finding{file, i + 1, fmt.Sprintf("the sentence has %d words, at most %d: %.60s…", n, maxWords, sentence)})
				}
				out = append(out, checkWording(file, i+1, sentence)...)
			}
		}
	}
	return out
}

// checkLinks checks that relative links lead to files and headings.
func checkLinks(root fs.FS, file string, p page) []finding {
	var out []finding
	for _, b := range p.blocks {
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(strings.Join(b.lines, " "), ""), -1) {
			target, anchor, _ := strings.Cut(m[2], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			to := path.Join(path.Dir(file), target)
			if target == "" {
				to = file
			}
			if _, err := fs.Stat(root, to); err != nil {
				out = append(out, finding{file, b.line, "broken link: " + m[2]})
				continue
			}
			if anchor == "" {
				continue
			}
			raw, err := fs.ReadFile(root, to)
			if err != nil || !hasAnchor(parse(string(raw)), anchor) {
				out = append(out, finding{file, b.line, "broken link: " + m[2]})
			}
		}
	}
	return out
}

var unanchored = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// hasAnchor reports whether a page has a heading with an anchor, as GitHub makes
// them.
func hasAnchor(p page, anchor string) bool {
	for _, b := range p.blocks {
		if b.kind != heading {
			continue
		}
		title := strings.TrimSpace(strings.TrimLeft(link.ReplaceAllString(b.lines[0], "$1"), "#"))
		if strings.ReplaceAll(unanchored.ReplaceAllString(strings.ToLower(title), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}
