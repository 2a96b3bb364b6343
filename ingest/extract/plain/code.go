package plain

import (
	"path"
	"slices"
	"strings"

	"docent/ingest/outline"
	"docent/internal/lazyregexp"
)

// codeMedia maps file name endings and whole file names to media types of
// source code.
var codeMedia = map[string]string{
	".go": "text/x-go", ".py": "text/x-python", ".pyi": "text/x-python", ".js": "text/javascript", ".mjs": "text/javascript",
	".cjs": "text/javascript",
	".jsx": "text/javascript", ".ts": "text/x-typescript", ".tsx": "text/x-typescript", ".svelte": "text/x-svelte", ".vue": "text/x-vue",
	".java": "text/x-java", ".kt": "text/x-kotlin", ".kts": "text/x-kotlin", ".scala": "text/x-scala", ".groovy": "text/x-groovy",
	".gradle": "text/x-groovy",
	".c":      "text/x-c", ".h": "text/x-c", ".cc": "text/x-c++", ".cpp": "text/x-c++", ".cxx": "text/x-c++", ".hh": "text/x-c++",
	".hpp": "text/x-c++",
	".cs":  "text/x-csharp", ".fs": "text/x-fsharp", ".swift": "text/x-swift", ".m": "text/x-objc", ".rs": "text/x-rust", ".zig": "text/x-zig",
	".rb": "text/x-ruby", ".php": "text/x-php", ".pl": "text/x-perl", ".pm": "text/x-perl", ".lua": "text/x-lua", ".r": "text/x-r",
	".jl": "text/x-julia",
	".sh": "text/x-shellscript", ".bash": "text/x-shellscript", ".zsh": "text/x-shellscript", ".fish": "text/x-shellscript",
	".ps1": "text/x-powershell", ".bat": "text/x-bat",
	".sql": "text/x-sql", ".ex": "text/x-elixir", ".exs": "text/x-elixir", ".erl": "text/x-erlang", ".hs": "text/x-haskell",
	".ml": "text/x-ocaml", ".mli": "text/x-ocaml",
	".clj": "text/x-clojure", ".el": "text/x-lisp", ".lisp": "text/x-lisp", ".scm": "text/x-scheme", ".dart": "text/x-dart",
	".proto":   "text/x-protobuf",
	".graphql": "text/x-graphql", ".tf": "text/x-terraform", ".nix": "text/x-nix", ".cmake": "text/x-cmake", ".mk": "text/x-makefile",
	".css":  "text/css",
	".scss": "text/x-scss", ".less": "text/x-less", ".yaml": "text/yaml", ".yml": "text/yaml", ".toml": "text/x-toml", ".ini": "text/x-ini",
	".cfg":  "text/x-ini",
	".conf": "text/x-ini", ".properties": "text/x-ini", ".xml": "text/xml", ".xsd": "text/xml", ".xsl": "text/xml", ".s": "text/x-asm",
	".asm":     "text/x-asm",
	".service": "text/x-ini", ".timer": "text/x-ini", ".socket": "text/x-ini", ".mount": "text/x-ini", ".target": "text/x-ini",
	".desktop": "text/x-ini", ".editorconfig": "text/x-ini",
	".f90": "text/x-fortran", ".vb": "text/x-vb", ".diff": "text/x-diff", ".patch": "text/x-diff", ".awk": "text/x-awk", ".vim": "text/x-vim",
	"makefile": "text/x-makefile", "gnumakefile": "text/x-makefile", "dockerfile": "text/x-dockerfile", "containerfile": "text/x-dockerfile",
	"go.mod": "text/x-go", "cmakelists.txt": "text/x-cmake", "rakefile": "text/x-ruby", "gemfile": "text/x-ruby",
	"jenkinsfile": "text/x-groovy",
}

// interpreters maps the programs that the first line of a script names to media
// types.
var interpreters = map[string]string{
	"sh": "text/x-shellscript", "bash": "text/x-shellscript", "zsh": "text/x-shellscript", "dash": "text/x-shellscript",
	"python": "text/x-python",
	"node":   "text/javascript", "perl": "text/x-perl", "ruby": "text/x-ruby", "php": "text/x-php", "lua": "text/x-lua", "awk": "text/x-awk",
	"make": "text/x-makefile",
}

// CodeType returns the media type of source code, or "" for other text. It
// checks the first line and then the name.
func CodeType(name string, head []byte) string {
	line, _, _ := strings.Cut(string(head), "\n")
	if cmd, ok := strings.CutPrefix(line, "#!"); ok {
		fields := strings.Fields(cmd)
		if len(fields) > 1 && path.Base(fields[0]) == "env" {
			fields = fields[1:]
		}
		if len(fields) > 0 {
			if t := interpreters[strings.TrimRight(path.Base(fields[0]), "0123456789.")]; t != "" {
				return t
			}
		}
	}
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, "\\", "/")))
	if t := codeMedia[base]; t != "" {
		return t
	}
	return codeMedia[path.Ext(base)]
}

// CodeEndings returns the endings of the names of source files, sorted.
func CodeEndings() []string {
	var out []string
	for name := range codeMedia {
		if strings.HasPrefix(name, ".") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Code reads source code without changing its text. Each unindented declaration
// becomes a section with its name. The section includes the comment above the
// declaration. The members of a large class become sections too.
func Code(name, text string) *outline.Document {
	doc := &outline.Document{Text: text, Title: codeTitle(name)}
	c := &code{doc: doc}
	c.units(0, len(text), 0, 1)
	return doc
}

// codeTitle returns the name of a file with its folder. The folder
// distinguishes the many files with the same name.
func codeTitle(name string) string {
	name = strings.ReplaceAll(name, "\\", "/")
	base := path.Base(name)
	if dir := path.Base(path.Dir(name)); dir != "." && dir != "/" {
		return dir + "/" + base
	}
	return base
}

// largeUnit is the length in bytes above which a class is divided into its
// members.
const largeUnit = 1500

// code is the state of dividing source code.
type code struct {
	doc *outline.Document
}

// units adds the declarations of text[from:to] with the given indentation.
func (c *code) units(from, to, indent, level int) {
	text := c.doc.Text
	start, body, blank := -1, false, true
	flush := func(end int) {
		if start >= 0 {
			c.unit(start, end, indent, level)
		}
		start, body = -1, false
	}
	for i := from; i < to; {
		end := to
		if j := strings.IndexByte(text[i:to], '\n'); j >= 0 {
			end = i + j + 1
		}
		line := strings.TrimRight(text[i:end], " \t\n")
		at := indentOf(line)
		switch {
		case line == "":
			blank = true
			i = end
			continue
		case at > indent:
			body = true
		case at == indent && isClosing(line[at:]):
			body = true
		case start >= 0 && (blank || body):
			flush(i)
		}
		if start < 0 {
			start = i
		}
		blank = false
		i = end
	}
	flush(to)
}

// unit adds one declaration. Its name becomes a heading that is not part of the
// text.
func (c *code) unit(start, end, indent, level int) {
	text := c.doc.Text
	name, container, line := declared(text[start:end], indent)
	c.doc.Blocks = outline.Append(c.doc.Blocks, outline.Block{
		Kind: outline.Heading, Level: level, Page: -1, Start: start, End: start, Name: name,
	})
	if container && end-start > largeUnit && level < 3 {
		head := start + line
		if inner := bodyIndent(text[head:end], indent); inner > indent {
			c.block(start, head)
			c.units(head, end, inner, level+1)
			return
		}
	}
	c.block(start, end)
}

// block adds the text of a range as code.
func (c *code) block(start, end int) {
	if s, e := trimmed(c.doc.Text, start, end, true); s < e && strings.TrimSpace(c.doc.Text[s:e]) != "" {
		c.doc.Blocks = outline.Append(c.doc.Blocks, outline.Block{Kind: outline.Code, Page: -1, Start: s, End: e})
	}
}

// indentOf returns the length of the indentation of a line, in bytes.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// bodyIndent returns the indentation of the first line that is indented further
// than the declaration.
func bodyIndent(text string, indent int) int {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if at := indentOf(line); line != "" && at > indent {
			return at
		}
	}
	return indent
}

// isClosing reports whether a line continues the declaration above it.
func isClosing(line string) bool {
	switch line[0] {
	case '}', ')', ']', '{':
		return true
	}
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "end", "end;", "else", "elif", "except", "finally", "catch", "fi", "done", "esac", "then", "do", "begin", "BEGIN", "END", "EOF", "$$":
		return true
	}
	return strings.HasPrefix(line, "else:") || strings.HasPrefix(line, "except:") || strings.HasPrefix(line, "finally:") ||
		strings.HasPrefix(line, "*/") || strings.HasPrefix(line, `"""`) || strings.HasPrefix(line, "'''")
}

// modifiers may precede the keyword of a declaration.
const modifiers = `(?:(?:export|default|declare|async|pub(?:\([^)]*\))?|static|public|private|protected|internal|abstract|final|sealed|unsafe|inline|virtual|override|partial|open|data|extern(?: "C")?|local|readonly)\s+)*`

var (
	methodPattern    = lazyregexp.New(`^func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)(?:\[[^\]]*\])?\s*\)\s*(\w+)`)
	implPattern      = lazyregexp.New(`^` + modifiers + `impl(?:<[^>]*>)?\s+(?:[\w:<>, ]+\s+for\s+)?(\w+)`)
	containerPattern = lazyregexp.New(`^` + modifiers + `(?:class|interface|trait|struct|module|namespace|object|protocol|extension|enum|record|mod|service)\s+([A-Za-z_][\w.:]*)`)
	declPattern      = lazyregexp.New(`^` + modifiers + `(?:func|fn|def|defp|defmodule|type|function\*?|sub|var|let|const|val|message|macro_rules!|package|proc|union|typedef struct|task)\s+([A-Za-z_$][\w$.:!?]*)`)
	createPattern    = lazyregexp.New(`(?i)^create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)*(?:table|view|index|function|procedure|trigger|type|schema|sequence)\s+(?:if\s+not\s+exists\s+)?([\w."]+)`)
	callPattern      = lazyregexp.New(`^[A-Za-z_][\w\s*&:<>,\[\]]*?([A-Za-z_~][\w:~]*)\s*\([^;={]*\)?[^;=]*\{?$`)
	keyPattern       = lazyregexp.New(`^(?:\[+([^\]]+)\]+|"?([A-Za-z_][\w.\-/ ]*)"?\s*:)`)
)

// maxNameLine bounds the length of a line that is searched for a name.
const maxNameLine = 400

// declared returns the name that a piece of code declares, or "" if it is
// unknown. It also reports whether the declaration has members. end is the
// length of the piece up to the end of the line with the name.
func declared(text string, indent int) (name string, container bool, line int) {
	for l := range strings.Lines(text) {
		line += len(l)
		s := strings.TrimRight(l, " \t\n")
		if indentOf(s) != indent || len(s) > maxNameLine {
			continue
		}
		s = s[indent:]
		if s == "" || isComment(s) {
			continue
		}
		if m := methodPattern.FindStringSubmatch(s); m != nil {
			return m[1] + "." + m[2], false, line
		}
		for _, p := range []*lazyregexp.Regexp{implPattern, containerPattern} {
			if m := p.FindStringSubmatch(s); m != nil {
				return strings.TrimRight(m[1], ":."), true, line
			}
		}
		for _, p := range []*lazyregexp.Regexp{declPattern, createPattern} {
			if m := p.FindStringSubmatch(s); m != nil {
				return m[1], false, line
			}
		}
		if m := callPattern.FindStringSubmatch(s); m != nil && !isStatement(s) {
			return m[1], false, line
		}
		if m := keyPattern.FindStringSubmatch(s); m != nil {
			return m[1] + m[2], true, line
		}
		return "", false, line
	}
	return "", false, 0
}

// isComment reports whether a line is a comment, an attribute or a decorator.
func isComment(s string) bool {
	for _, p := range []string{"//", "#", "/*", "*", "--", ";", "%", "@", `"""`, "'''", "<!--"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// isStatement reports whether a line with parentheses is a statement and not a
// declaration.
func isStatement(s string) bool {
	word := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '(' })
	if len(word) == 0 {
		return true
	}
	switch word[0] {
	case "if", "for", "while", "switch", "return", "import", "from", "use", "using", "include", "require", "assert", "print", "echo", "with",
		"try", "match", "case", "package":
		return true
	}
	return false
}
