// Package notes reads what programs for notes and plans write in JSON: notes of Google Keep, boards of
// Trello, and canvases of Obsidian.
package notes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/plain"
	"docent/ingest/format"
	"docent/ingest/outline"
	"docent/rag/corpus"
)

// maxNotes is the largest file that is read as notes, in bytes. Larger ones are read as JSON, because
// their records take several times their size.
const maxNotes = 32 << 20

// Format is notes, boards, and canvases.
var Format = format.Format{
	Info: format.Info{
		Name: "Notes and boards", Short: "Notes",
		Group:     format.Texts,
		Endings:   []string{".canvas"},
		Media:     "application/x-notes",
		NeverMail: true,
		Reads: "notes of Google Keep with their lists, labels, and links; boards of Trello with their lists, cards, checklists, due dates, and comments; " +
			"canvases of Obsidian with their groups, cards, and connections",
		Leaves: "notes in the trash, archived lists and cards, pictures, history",
		Limits: "32 MiB; larger files are read as JSON",
	},
	Match: match,
	Read:  read,
}

// kind is a kind of notes. All marks occur in its files.
type kind struct {
	marks [][]byte
	read  func(ctx context.Context, data []byte) (*page, bool)
}

func marks(names ...string) (out [][]byte) {
	for _, name := range names {
		out = append(out, []byte(`"`+name+`"`))
	}
	return out
}

var kinds = []kind{
	{marks("isTrashed", "isArchived", "userEditedTimestampUsec"), readKeep},
	{marks("idList", "lists", "cards", "checklists", "closed"), readTrello},
	{marks("nodes", "width", "height"), readCanvas},
	{marks("nodes", "edges"), readCanvas},
}

// kindOf returns the kind of a file; nil if it has none.
func kindOf(f *format.File) *kind {
	if !f.IsText() || len(f.Data) > maxNotes || !f.HasEnding(".json", ".canvas") || !bytes.HasPrefix(f.Trimmed(), []byte("{")) {
		return nil
	}
	for i, k := range kinds {
		all := true
		for _, mark := range k.marks {
			all = all && bytes.Contains(f.Data, mark)
		}
		if all && (i < 2 || f.HasEnding(".canvas")) {
			return &kinds[i]
		}
	}
	return nil
}

func match(_ context.Context, f *format.File) format.Match {
	return format.If(kindOf(f) != nil, format.Named)
}

// read reads a file. One that turns out to be something else is read as JSON.
func read(ctx context.Context, f *format.File) (*outline.Document, error) {
	text, set, err := charset.Decode(f.Data, "")
	if err != nil {
		return nil, err
	}
	var doc *outline.Document
	if k := kindOf(f); k != nil {
		if p, ok := k.read(ctx, []byte(text)); ok {
			doc = p.document(f.Name)
		}
	}
	if doc == nil {
		doc = plain.JSON(f.Name, text)
	}
	doc.Charset = set
	return doc, ctx.Err()
}

// page is a document in Markdown.
type page struct {
	title   string
	tags    []string
	changed time.Time
	out     strings.Builder
}

func (p *page) document(name string) *outline.Document {
	doc := plain.Markdown(name, p.out.String())
	doc.Title = cmp.Or(p.title, outline.NameTitle(name))
	doc.Tags = corpus.CleanTags(p.tags)
	doc.SetDate(p.changed, corpus.Properties)
	return doc
}

// oneLine joins the words of a text with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// heading starts a section.
func (p *page) heading(level int, text string) {
	if text = oneLine(text); text != "" {
		p.out.WriteString("\n" + strings.Repeat("#", level) + " " + text + "\n\n")
	}
}

// paragraph adds a text of a person. Each of its lines stays one, and its headings become bold.
func (p *page) paragraph(text string) {
	p.out.WriteByte('\n')
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\r\n")
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			line = "**" + strings.TrimSpace(title) + "**"
		}
		p.out.WriteString(line + "  \n")
	}
	p.out.WriteByte('\n')
}

// item adds an item of a list.
func (p *page) item(text string) {
	if text = oneLine(text); text != "" {
		p.out.WriteString("- " + text + "\n")
	}
}

// task adds an item that is done or not.
func (p *page) task(done bool, text string) {
	box := "☐ "
	if done {
		box = "☑ "
	}
	if text = oneLine(text); text != "" {
		p.item(box + text)
	}
}

// decode reads a value, and returns false for a damaged one.
func decode(data []byte, out any) bool { return json.Unmarshal(data, out) == nil }
