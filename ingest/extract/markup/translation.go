package markup

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"regexp"
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/extract/charset"
	"docent/ingest/format"
	"docent/ingest/outline"
)

// TranslationFormat is the texts of a program with their translations.
var TranslationFormat = format.Format{
	Info: format.Info{
		Name: "Translations", Short: "Translation",
		Group:     format.Markup,
		Endings:   []string{".po", ".pot", ".xliff", ".xlf"},
		Media:     "text/x-gettext-translation",
		Version:   2,
		NeverMail: true,
		Reads:     "a table of the texts of a program with their translations; gettext and XLIFF",
		Leaves:    "uncertain and obsolete translations, comments, the header",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		if !f.IsText() {
			return format.Match{}
		}
		return format.If(f.HasInnerEnding(".po", ".pot", ".xliff", ".xlf") &&
			(xliffMark.Match(f.Head()) || bytes.Contains(f.Head(), []byte("msgid"))), format.Sure)
	},
	Read: format.Bytes(Translation),
}

var (
	xliffMark = regexp.MustCompile(`<xliff[\s>]`)
	// poCharset matches the character set in the header of gettext.
	poCharset = regexp.MustCompile(`(?i)charset=([\w.:-]{2,40})`)
	// poLanguage matches the language in the header of gettext.
	poLanguage = regexp.MustCompile(`(?m)^Language:[ \t]*([\w@.-]{2,40})`)
)

// Translation reads the texts of a program with their translations.
func Translation(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	declared := ""
	if m := poCharset.FindSubmatch(data[:min(len(data), 8<<10)]); m != nil && !bytes.EqualFold(m[1], []byte("CHARSET")) {
		declared = string(m[1])
	}
	if m := xmlEncoding.FindSubmatch(data[:min(len(data), 200)]); m != nil {
		declared = string(m[1])
	}
	text, _, err := charset.Decode(data, declared)
	if err != nil {
		return nil, err
	}
	t := &translation{Writer: blocks.NewWriter(ctx, len(text)), grid: blocks.Grid{Headers: 1}}
	if xliffMark.MatchString(text[:min(len(text), 8<<10)]) {
		t.xliff(text)
	} else {
		t.gettext(text)
	}
	t.finish()
	return t.Document()
}

// translation is the state of reading translations.
type translation struct {
	*blocks.Writer
	language string
	grid     blocks.Grid
}

// maxTexts bounds the texts of a table.
const maxTexts = 500_000

// entry is a text with its translations. Texts in the plural have several.
type entry struct {
	context, id, plural string
	texts               []string
	uncertain           bool
}

func (t *translation) add(e entry) {
	if e.id == "" || len(t.grid.Rows) > maxTexts {
		return
	}
	source := blocks.OneLine(e.id)
	if e.plural != "" {
		source += " / " + blocks.OneLine(e.plural)
	}
	if e.context != "" {
		source += " (" + blocks.OneLine(e.context) + ")"
	}
	var texts []string
	for _, text := range e.texts {
		if text = blocks.OneLine(text); text != "" && !e.uncertain {
			texts = append(texts, text)
		}
	}
	t.grid.Rows = append(t.grid.Rows, []string{source, strings.Join(texts, " / ")})
}

// finish adds the table. One without translations has one column.
func (t *translation) finish() {
	translated := false
	for _, row := range t.grid.Rows {
		translated = translated || row[1] != ""
	}
	if len(t.grid.Rows) == 0 {
		return
	}
	names := []string{"Text", "Translation"}
	if t.language != "" {
		names[1] += " (" + t.language + ")"
	}
	if !translated {
		names = names[:1]
		for i := range t.grid.Rows {
			t.grid.Rows[i] = t.grid.Rows[i][:1]
		}
	}
	t.grid.Rows = append([][]string{names}, t.grid.Rows...)
	t.Table(t.grid)
}

// gettext reads a file of gettext.
func (t *translation) gettext(text string) {
	var e entry
	var to *string
	begun := false
	end := func() {
		if e.id == "" && len(e.texts) > 0 {
			if m := poLanguage.FindStringSubmatch(e.texts[0]); m != nil {
				t.language = m[1]
			}
		}
		t.add(e)
		e, to, begun = entry{}, nil, false
	}
	open := false // a string goes on in the next line, which gettext refuses
	for line := range strings.Lines(text) {
		if t.Done() {
			return
		}
		line = strings.TrimSpace(line)
		if open && to != nil && line != "" && line[0] != '#' && !strings.HasPrefix(line, "msg") {
			open = !strings.HasSuffix(line, `"`)
			*to += "\n" + unquote(line)
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		open = strings.Count(line, `"`) == 1 && strings.HasPrefix(key, "msg")
		switch {
		case line == "":
			end()
		case strings.HasPrefix(line, "#"):
			if begun {
				end()
			}
			e.uncertain = e.uncertain || strings.HasPrefix(line, "#,") && strings.Contains(line, "fuzzy")
		case strings.HasPrefix(line, `"`):
			if to != nil {
				*to += unquote(line)
			}
		case key == "msgctxt" || key == "msgid" && (to == nil || to != &e.context):
			if begun {
				end()
			}
			begun = true
			if to = &e.id; key == "msgctxt" {
				to = &e.context
			}
			*to = unquote(value)
		case key == "msgid":
			to = &e.id
			*to = unquote(value)
		case key == "msgid_plural":
			to = &e.plural
			*to = unquote(value)
		case strings.HasPrefix(key, "msgstr") && len(e.texts) < 10:
			e.texts = append(e.texts, unquote(value))
			to = &e.texts[len(e.texts)-1]
		}
	}
	end()
}

// unquote returns the text of a string in quotes.
func unquote(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), `"`), `"`)
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "", `\"`, `"`, `\\`, `\`).Replace(s)
}

// xliff reads a file of XLIFF 1 or 2.
func (t *translation) xliff(text string) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var e entry
	var part strings.Builder
	open := ""
	for !t.Done() {
		token, err := d.RawToken()
		if err != nil {
			return // the rest is damaged
		}
		switch tok := token.(type) {
		case xml.StartElement:
			switch name := tok.Name.Local; name {
			case "xliff", "file":
				for _, key := range []string{"target-language", "trgLang"} {
					if language := attribute(tok, key); language != "" {
						t.language = language
					}
				}
			case "trans-unit", "segment":
				e = entry{}
			case "source", "target":
				open = name
				part.Reset()
				state := attribute(tok, "state")
				e.uncertain = e.uncertain || name == "target" && strings.HasPrefix(state, "needs-")
			}
		case xml.EndElement:
			switch tok.Name.Local {
			case "source":
				if open == "source" {
					e.id = part.String()
				}
				open = ""
			case "target":
				if open == "target" {
					e.texts = []string{part.String()}
				}
				open = ""
			case "trans-unit", "segment":
				t.add(e)
				e = entry{}
			}
		case xml.CharData:
			if open != "" {
				part.Write(tok)
			}
		}
	}
}
