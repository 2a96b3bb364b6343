// Package mail reads electronic mail: single messages (EML), Outlook messages
// (MSG), mailboxes (MBOX), and saved web pages (MHT). It reads as much as
// possible of broken messages.
package mail

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"docent/ingest/extract/calendar"
	"docent/ingest/extract/charset"
	"docent/ingest/extract/html"
	"docent/ingest/extract/join"
	"docent/ingest/extract/metadata"
	"docent/ingest/extract/plain"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/text"
)

// maxField bounds a displayed field, such as a long list of recipients.
const maxField = 2000

// errEncrypted is the error for a message with an encrypted body.
var errEncrypted = fault.New(fault.Invalid, "mail_encrypted", "encrypted: only its recipient can open it; decrypt it and add it again")

// errNested is the error for a message whose text is nested too deeply.
var errNested = fault.New(fault.Invalid,
	"mail_nested_too_deeply", "nested too deeply: its text is in parts more than %d levels deep; save the innermost message and add that", maxDepth)

// Read reads one message: its fields, its best body, and its nested messages.
// The title is the subject.
func Read(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	e := parse(data)
	w := &writer{ctx: ctx}
	w.message(e)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.encrypted && !w.body {
		return nil, errEncrypted
	}
	if e.cut && !w.body {
		return nil, errNested
	}
	doc := w.b.Document(e.field("subject"))
	doc.SetDate(metadata.ParseDate(e.field("date")), corpus.MailHeader)
	if e.cut {
		doc.Note = fmt.Sprintf("only its outer %d levels were read: parts below are nested too deeply", maxDepth)
	}
	return doc, nil
}

// field returns a decoded header field on one line.
func (e *entity) field(name string) string {
	return decodeWords(e.header[name], e.typeParams["charset"])
}

// writer builds the document of a message.
type writer struct {
	ctx       context.Context
	b         join.Builder
	depth     int  // number of messages around the current one
	body      bool // there is text besides the fields
	encrypted bool // a part is encrypted
}

// message adds the fields of a message and its body.
func (w *writer) message(e *entity) {
	var lines []string
	for _, f := range []struct{ key, label string }{
		{"from", "From"},
		{"sender", "From"},
		{"to", "To"},
		{"cc", "Cc"},
		{"bcc", "Bcc"},
		{"newsgroups", "Newsgroups"},
		{"date", "Date"},
	} {
		value := e.field(f.key)
		if value == "" || f.key == "sender" && e.header["from"] != "" {
			continue
		}
		lines = append(lines, f.label+": "+text.Cut(value, maxField))
	}
	if names := attachmentNames(e); len(names) > 0 {
		lines = append(lines, "Attachments: "+text.Cut(strings.Join(names, ", "), maxField))
	}
	w.b.Add(outline.Paragraph, 0, strings.Join(lines, "\n"))
	w.part(e, &state{})
}

// nested adds a nested message as a section.
func (w *writer) nested(e *entity) {
	w.depth++
	subject := e.field("subject")
	if subject == "" {
		subject = "Message"
	}
	w.b.Add(outline.Heading, min(w.depth, 6), subject)
	w.message(e)
	w.depth--
}

// state is the state of reading one message.
type state struct{ hasBody, invited bool }

// part adds the text of a part.
func (w *writer) part(e *entity, s *state) {
	if w.ctx.Err() != nil || w.b.Truncated() {
		return
	}
	switch {
	case e.isMessage():
		for _, c := range e.children {
			w.nested(c)
		}
	case e.isEncrypted():
		w.encrypted = true
	case e.media == "multipart/alternative":
		w.alternative(e, s)
	case len(e.children) > 0:
		for _, c := range e.bodies() {
			w.part(c, s)
		}
	case e.isTNEF():
		if t := readTNEF(e.content()); t != nil && !s.hasBody {
			w.add(t.document(w.ctx), s)
		}
	case e.isInvitation():
		w.invitation(e, s)
	case !e.isAttachment(s):
		w.add(e.document(w.ctx), s)
	}
}

// add adds the document of a body.
func (w *writer) add(doc *outline.Document, s *state) {
	if doc == nil || strings.TrimSpace(doc.Text) == "" {
		return
	}
	s.hasBody, w.body = true, true
	w.b.Append(doc, w.depth)
}

// bodies returns the children that may be shown: the first one of a signed
// message and the root of a related one.
func (e *entity) bodies() []*entity {
	switch e.media {
	case "multipart/signed":
		return e.children[:1]
	case "multipart/related":
		return []*entity{e.root()}
	}
	return e.children
}

// root returns the part of a multipart/related that refers to the others.
func (e *entity) root() *entity {
	if start := strings.Trim(e.typeParams["start"], "<> "); start != "" {
		for _, c := range e.children {
			if strings.Trim(c.header["content-id"], "<> ") == start {
				return c
			}
		}
	}
	for _, c := range e.children {
		if c.media == "text/html" || strings.HasPrefix(c.media, "multipart/") {
			return c
		}
	}
	return e.children[0]
}

// isEncrypted reports whether a part is an encrypted message.
func (e *entity) isEncrypted() bool {
	switch e.media {
	case "multipart/encrypted":
		return true
	case "application/pkcs7-mime", "application/x-pkcs7-mime":
		return e.typeParams["smime-type"] != "signed-data" && e.typeParams["smime-type"] != "certs-only"
	}
	return false
}

// alternative adds the best version of a body with several versions. A version can have
// several parts itself.
func (w *writer) alternative(e *entity, s *state) {
	var text, page *outline.Document
	for _, c := range e.children {
		switch {
		case c.media == "text/html" && page == nil:
			page = c.document(w.ctx)
		case c.isText() && text == nil && c.media != "text/html":
			text = c.document(w.ctx)
		case strings.HasPrefix(c.media, "multipart/"), c.isEncrypted():
			if doc := w.version(c, s); doc != nil {
				page = better(page, doc)
			}
		}
	}
	w.add(better(text, page), s)
	for _, c := range e.children {
		if c.media == calendar.Format.Media {
			w.invitation(c, s)
		}
	}
}

// version reads a version with several parts; nil without text.
func (w *writer) version(e *entity, s *state) *outline.Document {
	sub, inner := &writer{ctx: w.ctx, depth: w.depth}, &state{invited: s.invited}
	sub.part(e, inner)
	w.encrypted = w.encrypted || sub.encrypted
	s.invited = inner.invited
	if !inner.hasBody {
		return nil
	}
	return sub.b.Document("")
}

// isInvitation reports whether a part is a calendar in the body, such as an invitation or
// its cancellation.
func (e *entity) isInvitation() bool {
	return e.media == calendar.Format.Media && e.disposition != "attachment"
}

// invitation adds the events of a calendar to the body, once for each message.
func (w *writer) invitation(e *entity, s *state) {
	if s.invited {
		return
	}
	text := decodeText(e.content(), e.typeParams["charset"])
	doc, err := calendar.Read(w.ctx, "", text)
	if err != nil || strings.TrimSpace(doc.Text) == "" {
		return
	}
	s.invited = true
	w.add(doc, s)
}

// better returns the better of a plain text and a page with the same content.
// The page wins if it has structure, or if the text lacks much of its content.
func better(text, page *outline.Document) *outline.Document {
	if text == nil || page == nil {
		if text == nil {
			return page
		}
		return text
	}
	inText, inPage := letters(text.Text), letters(page.Text)
	if inText*10 < inPage*6 {
		return page
	}
	if inPage*10 < inText*9 {
		return text
	}
	for _, b := range page.Blocks {
		if b.Kind == outline.Heading || b.Kind == outline.Header || b.Kind == outline.Row {
			return page
		}
	}
	return text
}

// letters counts the letters and digits of a text.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// readPage reads a body in HTML.
func readPage(ctx context.Context, data []byte) (*outline.Document, error) {
	text, _, err := charset.DecodePage(data)
	if err != nil {
		return nil, err
	}
	return html.Read(ctx, text)
}

// document reads a text part. It returns nil if the part cannot be read.
func (e *entity) document(ctx context.Context) *outline.Document {
	data := e.content()
	label := e.typeParams["charset"]
	if e.media == "text/html" || e.media == "application/xhtml+xml" {
		if label != "" {
			data = []byte(decodeText(data, label))
		}
		doc, err := readPage(ctx, data)
		if err != nil {
			return plain.Text("", decodeText(data, label))
		}
		return doc
	}
	data, _ = splitUU(data)
	text := decodeText(data, label)
	if strings.EqualFold(e.typeParams["format"], "flowed") {
		text = unflow(text, strings.EqualFold(e.typeParams["delsp"], "yes"))
	}
	return plain.Text("", text)
}
