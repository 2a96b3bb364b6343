package plain

import (
	"bytes"
	"html"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"docent/ingest/extract/flavors"
	"docent/ingest/outline"
	"docent/rag/corpus"
)

// maxMarkdown is the size in bytes above which Markdown is read as plain text,
// because the parser takes many times that size in memory.
const maxMarkdown = 16 << 20

// maxMarkdownMarks bounds the marks that can become nodes of the syntax tree:
// lines, cells, quotes, and list items.
const maxMarkdownMarks = 500_000

// maxNesting bounds the quotes and lists that one line may open inside each
// other. Text above it is not treated as Markdown.
const maxNesting = 64

// blockParser parses only blocks and leaves the text inside lines unparsed.
// This keeps the parsing time linear for any input. inlineParser is for
// headings.
var (
	blockParser = parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	)
	inlineParser = goldmark.DefaultParser()
)

// Markdown reads Markdown. The text is plain Markdown, without front matter and without the
// extensions that package flavors knows. The syntax tree only determines the blocks. A block
// consists of whole lines. Lines outside of the tree become paragraphs.
func Markdown(name, source string) *outline.Document {
	fields, text := flavors.CutFrontMatter(source)
	doc := readMarkdown(name, flavors.Plain(name, text)).WithoutStruck()
	if fields.Title != "" {
		doc.Title = fields.Title
	}
	if doc.Title == "" && name != "" {
		doc.Title = noteTitle(name)
	}
	doc.SetDate(fields.Date, corpus.FrontMatter)
	doc.Version, doc.Tags = fields.Version, corpus.CleanTags(fields.Tags)
	return doc
}

// readMarkdown reads plain Markdown.
func readMarkdown(name, source string) *outline.Document {
	if len(source) > maxMarkdown || isLaden(source) {
		return Text(name, source)
	}
	doc := &outline.Document{Text: source}
	m := &markdown{doc: doc, src: []byte(source)}
	m.walk(blockParser.Parse(text.NewReader(m.src)), outline.Paragraph)
	m.gap(len(source))
	if doc.Title = m.title; doc.Title == "" && len(doc.Blocks) > 0 && doc.Blocks[0].Kind == outline.Heading {
		doc.Title = doc.HeadingName(doc.Blocks[0])
	}
	return doc
}

// noteTitle returns the title of a note without one: its file name without the ending, or the name of
// its folder.
func noteTitle(name string) string {
	base := outline.NameTitle(name)
	title := base
	for _, ending := range markdownEndings {
		if n := len(base) - len(ending); n > 0 && strings.EqualFold(base[n:], ending) {
			title = base[:n]
		}
	}
	switch strings.ToLower(title) {
	case "index", "_index", "readme":
		if folder := path.Base(path.Dir(strings.ReplaceAll(name, "\\", "/"))); folder != "." && folder != "/" {
			return folder
		}
	}
	return title
}

// markdown is the state of reading a syntax tree.
type markdown struct {
	doc   *outline.Document
	src   []byte
	at    int // end of the last block
	title string
}

// walk adds the blocks of a container.
func (m *markdown) walk(n ast.Node, kind outline.Kind) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			m.heading(c)
		case *ast.List:
			m.walk(c, outline.Item)
		case *ast.FencedCodeBlock:
			m.fenced(c)
		case *ast.CodeBlock:
			m.lines(c, outline.Code)
		case *extast.Table:
			m.table(c)
		default:
			if c.Lines().Len() > 0 && !c.HasChildren() || isLeaf(c) {
				m.lines(c, kind)
			} else {
				m.walk(c, kind)
			}
		}
	}
}

// isLeaf reports whether a block contains lines of text and no other blocks.
func isLeaf(n ast.Node) bool {
	c := n.FirstChild()
	return c != nil && c.Type() == ast.TypeInline
}

// lines adds a block that consists of its lines.
func (m *markdown) lines(n ast.Node, kind outline.Kind) {
	if l := n.Lines(); l.Len() > 0 {
		m.add(kind, 0, l.At(0).Start, l.At(l.Len()-1).Stop, "")
	}
}

// add adds the whole lines of text[start:end]. Before them it adds the lines
// between the previous block and this one.
func (m *markdown) add(kind outline.Kind, level, start, end int, name string) {
	start = max(m.at, bytes.LastIndexByte(m.src[:start], '\n')+1)
	if end > start && m.src[end-1] == '\n' {
		end--
	}
	if i := bytes.IndexByte(m.src[end:], '\n'); i >= 0 {
		end += i
	} else {
		end = len(m.src)
	}
	if start >= end {
		return
	}
	m.gap(start)
	m.at = end
	if s, e := trimmed(m.doc.Text, start, end, kind == outline.Code); s < e {
		m.doc.Blocks = outline.Append(m.doc.Blocks, outline.Block{Kind: kind, Level: level, Page: -1, Start: s, End: e, Name: name})
	}
}

// gap adds the lines up to end that belong to no block. It skips rules.
func (m *markdown) gap(end int) {
	for _, b := range paragraphs(nil, m.doc.Text, min(m.at, end), end, outline.Paragraph) {
		if s := m.doc.Text[b.Start:b.End]; strings.Trim(s, "-=*_>#~` \t\n") == "" {
			continue
		}
		b.Start, b.End = trimmed(m.doc.Text, b.Start, b.End, false)
		m.doc.Blocks = outline.Append(m.doc.Blocks, b)
	}
	m.at = max(m.at, end)
}

// trimmed removes the space around a range. With indent it keeps the
// indentation of the first line.
func trimmed(s string, start, end int, indent bool) (int, int) {
	part := s[start:end]
	end = start + len(strings.TrimRight(part, " \t\n\f\v"))
	lead := len(part) - len(strings.TrimLeft(part, " \t\n\f\v"))
	if indent {
		lead = strings.LastIndexByte(part[:lead], '\n') + 1
	}
	return start + lead, max(end, start+lead)
}

// heading adds a heading with its underline, if it has one.
func (m *markdown) heading(n *ast.Heading) {
	l := n.Lines()
	if l.Len() == 0 {
		return
	}
	name := headingName(string(l.Value(m.src)))
	if name == "" {
		return
	}
	if m.title == "" && n.Level == 1 {
		m.title = name
	}
	end := l.At(l.Len() - 1).Stop
	next := end
	if next > 0 && m.src[next-1] != '\n' {
		next += bytes.IndexByte(m.src[next:], '\n') + 1
	}
	line, _, _ := bytes.Cut(m.src[next:], []byte("\n"))
	if u := bytes.TrimSpace(line); len(u) > 0 && (len(bytes.Trim(u, "=")) == 0 || len(bytes.Trim(u, "-")) == 0) &&
		m.src[l.At(0).Start] != '#' && !m.atx(l.At(0).Start) {
		end = next + len(line)
	}
	m.add(outline.Heading, n.Level, l.At(0).Start, end, name)
}

// atx reports whether # marks precede the heading whose text starts at i.
func (m *markdown) atx(i int) bool {
	line := m.src[bytes.LastIndexByte(m.src[:i], '\n')+1 : i]
	return bytes.HasPrefix(bytes.TrimLeft(line, " >\t"), []byte("#"))
}

// fenced adds a code block with its fences.
func (m *markdown) fenced(n *ast.FencedCodeBlock) {
	l := n.Lines()
	if l.Len() == 0 {
		return // its fences belong to no block
	}
	start, end := l.At(0).Start, l.At(l.Len()-1).Stop
	if i := bytes.LastIndexByte(m.src[:start], '\n'); i > 0 && i >= m.at {
		start = i // includes the line of the opening fence
	}
	if line, _, _ := bytes.Cut(m.src[end:], []byte("\n")); isFence(line) {
		end += len(line)
	}
	m.add(outline.Code, 0, start, end, "")
}

func isFence(line []byte) bool {
	line = bytes.TrimLeft(line, " \t>")
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
}

// table adds a table row by row. The delimiter line is part of the header.
func (m *markdown) table(n *extast.Table) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		start, end := span(c)
		if start < 0 {
			continue
		}
		kind := outline.Row
		if c.Kind() == extast.KindTableHeader {
			kind = outline.Header
			if i := bytes.IndexByte(m.src[end:], '\n'); i >= 0 {
				end = min(end+i+2, len(m.src)) // up to the delimiter line
			}
		}
		m.add(kind, 0, start, end, "")
	}
}

// span returns the range of the text below a node, or -1 without text.
func span(n ast.Node) (start, end int) {
	start, end = -1, -1
	note := func(s text.Segment) {
		if start < 0 || s.Start < start {
			start = s.Start
		}
		end = max(end, s.Stop)
	}
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if t, ok := c.(*ast.Text); ok {
			note(t.Segment)
		}
		if c.Type() == ast.TypeBlock {
			for i := range c.Lines().Len() {
				note(c.Lines().At(i))
			}
		}
		return ast.WalkContinue, nil
	})
	return start, end
}

// headingName returns a heading on one line without its inline markup.
func headingName(s string) string {
	src := []byte(strings.Join(strings.Fields(s), " "))
	if len(src) > 1<<10 || !bytes.ContainsAny(src, "*_`[<\\&!") {
		return string(src)
	}
	var b strings.Builder
	_ = ast.Walk(inlineParser.Parse(text.NewReader(src)), func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch c := c.(type) {
			case *ast.Text:
				b.Write(util.UnescapePunctuations(c.Value(src)))
			case *ast.String:
				b.Write(c.Value)
			case *ast.AutoLink:
				b.Write(c.Label(src))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

// isLaden reports whether the syntax tree of a text would be too large. A line
// may open more quotes and lists than people write, or the text may have too
// many parts.
func isLaden(s string) bool {
	marks := strings.Count(s, "|")
	columns := 0 // of the table that may be open
	for line := range strings.Lines(s) {
		// The parser fills each row to the width of the header. So a row counts
		// as many cells as the delimiter line has.
		switch n := delimiterColumns(line); {
		case n > 0:
			columns = n
		case strings.TrimSpace(line) == "":
			columns = 0
		}
		marks += columns
		depth := 0
		for i := 0; i+1 < len(line) && depth <= maxNesting; i++ {
			switch c := line[i]; {
			case c == '>', (c == '-' || c == '*' || c == '+' || c == '.' || c == ')') && line[i+1] == ' ':
				depth++
			case c == ' ' || c == '\t' || c >= '0' && c <= '9':
			default:
				i = len(line)
			}
		}
		if marks += 1 + depth; depth > maxNesting || marks > maxMarkdownMarks {
			return true
		}
	}
	return false
}

// delimiterColumns returns the number of columns in a delimiter line, which is
// the line below a table's header. It returns 0 for other lines. Marks of
// quotes and lists may precede the delimiters.
func delimiterColumns(line string) int {
	line = strings.TrimSpace(line)
	if !strings.Contains(line, "-") || strings.Trim(line, "|-: \t>*+.)0123456789") != "" {
		return 0
	}
	return strings.Count(line, "|") + 1
}
