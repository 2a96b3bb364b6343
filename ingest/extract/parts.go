package extract

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"docent/ingest/extract/archive"
	"docent/ingest/extract/chat"
	"docent/ingest/extract/export"
	"docent/ingest/extract/mail"
	"docent/ingest/extract/part"
	"docent/ingest/extract/pdf"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// Part is a document inside another one: a file in an archive, an attachment of
// a mail or a PDF, or a message in a mailbox.
type Part = part.Part

// container is a kind of source that contains documents.
type container uint8

const (
	single    container = iota // contains no documents
	message                    // a mail with attachments
	outlook                    // an Outlook message with attachments
	mailbox                    // a mailbox of messages
	archived                   // an archive of files
	portfolio                  // a PDF with attachments
	exported                   // an export of a wiki or a notebook
	maxLevels = 4              // depth of nested containers
	maxStores = 2              // depth of mailboxes and archives among them
)

// containerOf detects the kind of container from the name and the first bytes.
func containerOf(name string, head []byte) container {
	switch ending := strings.ToLower(path.Ext(name)); {
	case mail.IsOLE(head):
		if ending == ".msg" || ending == ".oft" || ending == "" {
			return outlook
		}
		return single
	case archive.Detect(head) == archive.Zip && isPacked(name, head):
		return single
	case archive.Detect(head) != archive.None:
		return archived
	case pdf.MayHold(head):
		return portfolio
	case export.Is(head):
		return exported
	case newFile(name, nil).NeverMail:
		return single
	case mail.IsMbox(head):
		return mailbox
	case mail.IsMessage(name, head) && !mail.IsPage(name, head):
		return message
	}
	return single
}

// isPacked reports whether a ZIP file is a single document in a packed format, such as an office document. It checks the name
// and the first bytes.
func isPacked(name string, head []byte) bool {
	f, _ := Formats.ByName(name)
	return f.Packed || archive.IsDocument(name, head)
}

// sniffLen is the number of bytes from which a container is detected.
const sniffLen = 8 << 10

// contentOf detects the kind of container from the whole content.
func contentOf(name string, data []byte) container {
	head := data[:min(len(data), sniffLen)]
	c := containerOf(name, head)
	switch {
	case c == archived && archive.Detect(head) == archive.Zip && archive.HoldsDocument(data), c == outlook && !mail.IsOutlook(data),
		c == portfolio && !pdf.Holds(data):
		return single
	}
	return c
}

// whole reports whether a container is also a document itself.
func (c container) whole() bool { return c == single || c == message || c == outlook || c == portfolio }

// MayHaveParts reports whether a source may contain other documents. It checks
// only the name and the signature at the beginning, so it is fast.
func MayHaveParts(name string, head []byte) bool {
	return containerOf(name, head[:min(len(head), sniffLen)]) != single
}

// Parts yields the documents inside a source. whole reports whether the source is
// also a document itself. A mail or a PDF with attachments is also a document; an
// archive is not. If a source contains no documents, whole is true and Parts yields
// nothing. An error is yielded once and last.
//
// Parts also opens a container inside the source. The names of its documents
// begin with its own name and a slash. An archive or mailbox at a deeper level is
// not opened; it is yielded with a Reason.
func (e *Extractor) Parts(ctx context.Context, src intake.Source) (whole bool, parts iter.Seq2[Part, error]) {
	c := contentOf(src.Name, src.Data)
	return c.whole(), func(yield func(Part, error) bool) {
		x := &expander{ctx: ctx, pdf: e.pdf, budget: archive.NewBudget(len(src.Data)), yield: yield}
		defer x.recovered()
		if err := x.open(c, src.Name, src.Data, "", 1, 0); err != nil && !x.stopped {
			yield(Part{}, err)
		}
	}
}

// expander opens a source and the containers inside it.
type expander struct {
	ctx     context.Context
	pdf     *pdf.Reader
	budget  *archive.Budget
	names   part.Names
	yield   func(Part, error) bool
	inYield bool // the caller's code is running
	stopped bool // the caller broke the loop
}

// recovered turns a panic of a reader into an error. It lets a panic of the
// caller pass.
func (x *expander) recovered() {
	if x.inYield {
		return
	}
	if p := recover(); p != nil && !x.stopped {
		x.yield(Part{}, fault.Wrap(fault.Invalid, fmt.Errorf("parts: panic: %v", p),
			"parts_unreadable", "damaged: the documents in it cannot be read"))
	}
}

// emit yields a part and reports whether the caller wants more.
func (x *expander) emit(p Part) bool {
	p.Name = x.names.Unique(p.Name)
	if !p.Reason.IsZero() {
		p.Data = nil
	}
	x.inYield = true
	x.stopped = !x.yield(p, nil)
	x.inYield = false
	return !x.stopped
}

// open yields the documents of one container. levels counts the open
// containers, and stores counts the archives and mailboxes among them.
func (x *expander) open(c container, name string, data []byte, prefix string, levels, stores int) error {
	var parts iter.Seq2[Part, error]
	var workspace chat.Workspace
	var isWorkspace bool
	switch c {
	case message:
		parts = mail.Attachments(x.ctx, data, endingOf)
	case portfolio:
		parts = x.pdf.Attachments(x.ctx, data)
	case outlook:
		parts = mail.OutlookAttachments(x.ctx, data, endingOf)
	case mailbox:
		parts, stores = mail.Messages(x.ctx, data), stores+1
	case exported:
		parts = export.Pages(x.ctx, data)
	case archived:
		parts, stores = archive.Entries(x.ctx, name, data, x.budget), stores+1
		workspace, isWorkspace = chat.OpenWorkspace(data)
	default:
		return nil
	}
	for p, err := range parts {
		if err != nil {
			return err
		}
		if c != archived {
			if err := x.budget.Entry(); err != nil {
				return err
			}
		}
		if isWorkspace {
			if workspace.Leaves(p.Name) {
				continue
			}
			p.Data = workspace.Named(p.Name, p.Data)
		}
		p.Name = prefix + p.Name
		if err := x.add(p, levels, stores); err != nil || x.stopped {
			return err
		}
	}
	return nil
}

// endingOf returns the usual ending of file names in the format with a media type, or "".
func endingOf(media string) string {
	if f, ok := Formats.ByMedia(media); ok && f.Media == media {
		return f.Endings[0]
	}
	return ""
}

// add yields a part and the documents inside it.
func (x *expander) add(p Part, levels, stores int) error {
	c := contentOf(p.Name, p.Data)
	if c == single || !p.Reason.IsZero() {
		x.emit(p)
		return nil
	}
	if !c.whole() && (stores >= maxStores || levels >= maxLevels) {
		x.emit(Part{Name: p.Name, Modified: p.Modified, Reason: fault.NewText("archive_nested",
			"nested: it is an archive inside too many archives; unpack it and add it alone")})
		return nil
	}
	if c.whole() {
		if !x.emit(p) || levels >= maxLevels {
			return nil
		}
	}
	err := x.open(c, p.Name, p.Data, p.Name+"/", levels+1, stores)
	if err != nil && fault.KindOf(err) == fault.Invalid && !x.budget.Spent() && !x.stopped {
		// The error concerns only this container.
		if !c.whole() {
			x.emit(Part{Name: p.Name, Modified: p.Modified, Reason: fault.TextOf(err)})
		}
		return nil
	}
	return err
}
