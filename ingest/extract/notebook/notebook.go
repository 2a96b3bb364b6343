// Package notebook reads Jupyter notebooks (IPYNB).
package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/join"
	"docent/ingest/extract/plain"
	"docent/ingest/outline"
	"docent/internal/fault"
	words "docent/rag/text"
)

// maxOutput bounds the text kept of one output.
const maxOutput = 8 << 10

// file is a notebook in format version 3 or 4.
type file struct {
	Metadata struct {
		Title  string `json:"title"`
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
	Cells      []cell `json:"cells"`
	Worksheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"`
}

// cell is a cell of a notebook.
type cell struct {
	Type     string   `json:"cell_type"`
	Source   lines    `json:"source"`
	Input    lines    `json:"input"`    // of code in version 3
	Language string   `json:"language"` // of code in version 3
	Level    int      `json:"level"`    // of headings in version 3
	Outputs  []output `json:"outputs"`
}

// output is an output of a cell.
type output struct {
	Type  string `json:"output_type"`
	Text  lines  `json:"text"`
	Name  string `json:"ename"`
	Value string `json:"evalue"`
	Data  struct {
		Plain    lines           `json:"text/plain"`
		Markdown lines           `json:"text/markdown"`
		Latex    lines           `json:"text/latex"`
		JSON     json.RawMessage `json:"application/json"`
	} `json:"data"`
}

// lines is a text. A notebook stores it as a string or as a list of lines.
type lines string

// UnmarshalJSON reads a string or a list of strings. It ignores other values.
func (l *lines) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = lines(one)
		return nil
	}
	var many []string
	if json.Unmarshal(data, &many) == nil {
		*l = lines(strings.Join(many, ""))
	}
	return nil
}

// Is reports whether a JSON text is a notebook. It checks the beginning and
// then the fields of the whole text.
func Is(name string, data []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), 64)], []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' || strings.HasSuffix(strings.ToLower(name), ".jsonl") {
		return false
	}
	return bytes.Contains(data, []byte(`"nbformat"`)) &&
		(bytes.Contains(data, []byte(`"cells"`)) || bytes.Contains(data, []byte(`"worksheets"`)))
}

// Read reads a notebook: its Markdown cells, its code with the language, and
// the text of its outputs. It omits pictures. The title is the first heading.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	text, _, err := charset.Decode(data, "")
	if err != nil {
		return nil, err
	}
	var f file
	var mistyped *json.UnmarshalTypeError // only that field is wrong
	if err := json.Unmarshal([]byte(text), &f); err != nil && !errors.As(err, &mistyped) {
		return nil, fault.Wrap(fault.Invalid, err,
			"notebook_damaged", "damaged: the notebook cannot be opened, or a part of it is missing; add an undamaged copy")
	}
	language := strings.ToLower(f.Metadata.Language.Name)
	if language == "" {
		language = strings.ToLower(f.Metadata.Kernel.Language)
	}
	cells := f.Cells
	for _, w := range f.Worksheets {
		cells = append(cells, w.Cells...)
	}
	r := &reader{language: language, title: f.Metadata.Title}
	for i := range cells {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.b.Truncated() {
			break
		}
		r.cell(&cells[i])
	}
	return r.b.Document(r.title), nil
}

// reader is the state of reading a notebook.
type reader struct {
	b        join.Builder
	language string
	title    string
}

// cell adds a cell.
func (r *reader) cell(c *cell) {
	switch c.Type {
	case "markdown":
		r.markdown(string(c.Source))
	case "heading":
		level := min(max(c.Level, 1), 6)
		r.markdown(strings.Repeat("#", level) + " " + strings.Join(strings.Fields(string(c.Source)), " "))
	case "code":
		language := r.language
		if language == "" {
			language = strings.ToLower(c.Language)
		}
		r.code(language, string(c.Source)+string(c.Input))
		for _, o := range c.Outputs {
			r.output(&o)
		}
	case "raw", "html":
		r.b.Append(plain.Text("", outline.Clean(string(c.Source))), 0)
	}
}

// pictures matches images that Markdown contains as data.
var pictures = regexp.MustCompile(`!\[([^\]\n]{0,200})\]\((?:data:|attachment:)[^)\s]*\)`)

// markdown adds Markdown text.
func (r *reader) markdown(text string) {
	text = outline.Clean(text)
	if strings.Contains(text, "](data:") || strings.Contains(text, "](attachment:") {
		text = pictures.ReplaceAllString(text, "$1")
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	doc := plain.Markdown("", text)
	for _, b := range doc.Blocks {
		if r.title == "" && b.Kind == outline.Heading && b.End > b.Start {
			r.title = headingText(doc, b)
		}
	}
	r.b.Append(doc, 0)
}

// headingText returns the text of a heading without its marks.
func headingText(doc *outline.Document, b outline.Block) string {
	if doc.Title != "" {
		return doc.Title
	}
	name := doc.HeadingName(b)
	return strings.TrimSpace(strings.Trim(name, "#=- "))
}

// code adds code in a fence that names the language.
func (r *reader) code(language, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	language, _, _ = strings.Cut(strings.TrimSpace(language), "\n")
	fence := "```"
	for strings.Contains(text, fence) && len(fence) < 16 {
		fence += "`"
	}
	r.b.Add(outline.Code, 0, fence+language+"\n"+strings.Trim(text, "\n")+"\n"+fence)
}

// escapes matches terminal colors.
var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// output adds the text of an output.
func (r *reader) output(o *output) {
	text := string(o.Data.Plain)
	switch {
	case o.Type == "error" || o.Type == "pyerr":
		text = strings.TrimSpace(o.Name + ": " + o.Value)
	case o.Data.Markdown != "":
		r.markdown(cut(string(o.Data.Markdown)))
		return
	case text == "":
		text = string(o.Text)
	case isPicture(text) && o.Data.Latex != "":
		text = string(o.Data.Latex)
	case isPicture(text) && len(o.Data.JSON) > 0:
		text = string(o.Data.JSON)
	}
	text = overwritten(text)
	text = escapes.ReplaceAllString(cut(text), "")
	if isPicture(text) {
		return
	}
	r.b.Add(outline.Code, 0, text)
}

// overwritten returns a text as a terminal shows it: a carriage return begins its line again, as progress
// bars do.
func overwritten(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}

// objects matches the names of objects in a list, such as those of the lines in a plot.
var objects = regexp.MustCompile(`^[\[(]?<[^<>\n]{1,200} at 0x[0-9a-f]+>(?:,\s*<[^<>\n]{1,200} at 0x[0-9a-f]+>)*,?[\])]?$`)

// isPicture reports whether an output only names objects that are displayed as
// a picture.
func isPicture(text string) bool {
	text = strings.TrimSpace(text)
	return objects.MatchString(text[:min(len(text), maxOutput)]) ||
		strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && !strings.Contains(text, "\n") && len(text) < 200
}

// cut truncates a long output.
func cut(text string) string {
	if len(text) <= maxOutput {
		return text
	}
	return words.Head(text, maxOutput) + "\n…"
}
