package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// commentRules are tried on the sentences of Go comments, after rules.
var commentRules = []rule{
	{
		regexp.MustCompile(`(?i)\b(is|are|does|do|has|have|was|were) (what|who|whom|whoever)\b`),
		"do not use a clause as the object, name the thing",
	},
	{regexp.MustCompile(`^(Not|Nor|Neither) [^.,]*\b(is|are|does|do|was|were|has) (it|they|there|the|a)\b`), "put the subject before the verb"},
}

// directive matches comments for tools, such as go:embed and nolint.
var directive = regexp.MustCompile(`^//(\w+:|nolint|export |line )`)

// documented matches the name that a doc comment begins with, and its verb.
var documented = regexp.MustCompile(`^(\w+) (is|are|reports|returns) `)

// clause matches a beginning that is not a name.
var clause = regexp.MustCompile(`^(What|Who|Whoever|Whom|Of|Not|Nor|Neither)\b`)

// quoted matches text in quotation marks, which is an example.
var quoted = regexp.MustCompile(`"[^"]*"|“[^”]*”|'[^' ]+'`)

// checkComments checks the comments of a Go file.
func checkComments(file, text string) ([]finding, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(parsed) {
		return nil, nil
	}
	var out []finding
	for _, group := range parsed.Comments {
		for _, p := range paragraphs(set, group) {
			text := strings.Join(p.lines, " ")
			if !clause.MatchString(text) {
				text = documented.ReplaceAllString(text, "Name $2 ")
			}
			for _, sentence := range sentences(quoted.ReplaceAllString(plain(text), "code")) {
				for _, r := range slices.Concat(rules, commentRules) {
					if found := r.pattern.FindString(sentence); found != "" {
						out = append(out, finding{file, p.line, r.message(found)})
					}
				}
			}
		}
	}
	return out, nil
}

// paragraphs divides a comment at blank and indented lines. It drops code
// examples and directives.
func paragraphs(set *token.FileSet, group *ast.CommentGroup) []block {
	var out []block
	open := false
	for _, c := range group.List {
		if directive.MatchString(c.Text) {
			continue
		}
		first := set.Position(c.Pos()).Line
		body, isLine := strings.CutPrefix(c.Text, "//")
		if !isLine {
			body = strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
		}
		for i, line := range strings.Split(body, "\n") {
			content := strings.TrimSpace(line)
			if content == "" || strings.HasPrefix(line, "\t") || isLine && strings.HasPrefix(line, "   ") && !open {
				open = false
				continue
			}
			if !open || strings.HasPrefix(content, "- ") {
				out = append(out, block{line: first + i})
			}
			open = true
			last := &out[len(out)-1]
			last.lines = append(last.lines, content)
		}
	}
	return out
}
