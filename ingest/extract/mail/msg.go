package mail

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"docent/ingest/extract/metadata"
	"docent/ingest/extract/part"
	"docent/ingest/extract/plain"
	"docent/ingest/outline"
	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/text"
)

// Properties of a message of Outlook.
const (
	propSubject      = 0x0037
	propClass        = 0x001a
	propSubmitted    = 0x0039
	propSentForName  = 0x0042
	propSentForMail  = 0x0065
	propHeaders      = 0x007d
	propRecipient    = 0x0c15
	propSenderName   = 0x0c1a
	propSenderMail   = 0x0c1f
	propBcc          = 0x0e02
	propCc           = 0x0e03
	propTo           = 0x0e04
	propDelivered    = 0x0e06
	propBody         = 0x1000
	propRTF          = 0x1009
	propHTML         = 0x1013
	propName         = 0x3001
	propMail         = 0x3003
	propAttachment   = 0x3701
	propShortName    = 0x3704
	propLongName     = 0x3707
	propMedia        = 0x370e
	propContentID    = 0x3712
	propSMTP         = 0x39fe
	propCodePageWeb  = 0x3fde
	propCodePage     = 0x3ffd
	propSenderSMTP   = 0x5d01
	propSentForSMTP  = 0x5d02
	propHidden       = 0x7ffe
	propertiesStream = "__properties_version1.0"
)

// codePages are the character sets of code pages whose name does not follow
// from their number.
var codePages = map[uint32]string{
	874: "windows-874", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 20127: "us-ascii", 20866: "koi8-r", 21866: "koi8-u",
	50220: "iso-2022-jp", 50221: "iso-2022-jp",
	50222: "iso-2022-jp", 51932: "euc-jp", 51949: "euc-kr", 54936: "gb18030", 65000: "utf-7", 65001: "utf-8", 10000: "macintosh",
}

// codePage returns the character set of a code page.
func codePage(n uint32) string {
	switch {
	case n >= 1250 && n <= 1258:
		return "windows-" + strconv.Itoa(int(n))
	case n >= 28591 && n <= 28605:
		return "iso-8859-" + strconv.Itoa(int(n)-28590)
	case codePages[n] != "":
		return codePages[n]
	}
	return ""
}

// item is a message, a recipient, or an attachment in an Outlook message.
type item struct {
	*storage
	label   string             // character set of its 8-bit text
	numbers map[uint32][8]byte // its properties of fixed size
}

// newItem reads the properties of a storage. head is the number of bytes before
// them.
func newItem(s *storage, head int, label string) *item {
	it := &item{storage: s, label: label, numbers: map[uint32][8]byte{}}
	props := s.stream(propertiesStream)
	for i := head; i+16 <= len(props); i += 16 {
		it.numbers[uint32(binary.LittleEndian.Uint16(props[i+2:]))] = [8]byte(props[i+8 : i+16])
	}
	for _, id := range []uint32{propCodePage, propCodePageWeb} {
		if l := codePage(it.number(id)); l != "" {
			it.label = l
			break
		}
	}
	return it
}

// number returns a 32-bit property, or 0.
func (it *item) number(id uint32) uint32 {
	v := it.numbers[id]
	return binary.LittleEndian.Uint32(v[:])
}

// time returns a date property, or the zero time.
func (it *item) time(id uint32) time.Time {
	v := it.numbers[id]
	n := binary.LittleEndian.Uint64(v[:])
	const epoch = 116444736000000000 // 1970 in units of 100 ns since 1601
	if n <= epoch || n > epoch+1e18 {
		return time.Time{}
	}
	n -= epoch
	return time.Unix(int64(n/1e7), int64(n%1e7)*100).UTC()
}

// sent returns the time when a message was sent. If that is unknown, it returns the time of its delivery.
func (it *item) sent() time.Time { return cmp.Or(it.time(propSubmitted), it.time(propDelivered)) }

// binary returns a property with bytes, or nil.
func (it *item) binary(id uint32) []byte { return it.stream(fmt.Sprintf("__substg1.0_%04X0102", id)) }

// text returns a text property, or "".
func (it *item) text(id uint32) string {
	if raw := it.stream(fmt.Sprintf("__substg1.0_%04X001F", id)); len(raw) > 1 {
		units := make([]uint16, len(raw)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(raw[2*i:])
		}
		return outline.Clean(string(utf16.Decode(units)))
	}
	if raw := it.stream(fmt.Sprintf("__substg1.0_%04X001E", id)); len(raw) > 0 {
		return decodeText(bytes.TrimRight(raw, "\x00"), it.label)
	}
	return ""
}

// first returns the first non-empty text on one line.
func (it *item) first(ids ...uint32) string {
	for _, id := range ids {
		if s := oneLine(it.text(id)); s != "" {
			return s
		}
	}
	return ""
}

// inner returns the storages with a name prefix in order.
func (it *item) inner(prefix string) []*item {
	var names []string
	for _, n := range it.names {
		if strings.HasPrefix(n, prefix) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var out []*item
	for _, n := range names[:min(len(names), maxEntities)] {
		if s := it.storage.storage(n); s != nil {
			out = append(out, newItem(s, 8, it.label))
		}
	}
	return out
}

// embedded returns the message inside an attachment, or nil.
func (it *item) embedded() *item {
	if s := it.storage.storage(fmt.Sprintf("__substg1.0_%04X000D", propAttachment)); s != nil && s.items[propertiesStream] != nil {
		return newItem(s, 24, it.label)
	}
	return nil
}

// IsOutlook reports whether a compound file is an Outlook message.
func IsOutlook(data []byte) bool {
	mark := []byte("_\x00_\x00p\x00r\x00o\x00p\x00e\x00r\x00t\x00i\x00e\x00s\x00_\x00v\x00e\x00r\x00s\x00")
	if !IsOLE(data) || !bytes.Contains(data, mark) {
		return false
	}
	c, err := openCompound(data)
	return err == nil && c.root().items[propertiesStream] != nil
}

// openOutlook opens an Outlook message.
func openOutlook(data []byte) (*item, error) {
	c, err := openCompound(data)
	if err != nil {
		return nil, err
	}
	root := c.root()
	if root.items[propertiesStream] == nil {
		return nil, errCFB
	}
	return newItem(root, 32, ""), nil
}

// ReadOutlook reads an Outlook message: its fields, its best body, and its
// nested messages. The title is the subject.
func ReadOutlook(ctx context.Context, _ string, data []byte) (*outline.Document, error) {
	it, err := openOutlook(data)
	if err != nil {
		return nil, err
	}
	w := &writer{ctx: ctx}
	w.outlook(it)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if class := strings.ToUpper(it.first(propClass)); !w.body && class == "IPM.NOTE.SMIME" {
		return nil, errEncrypted
	}
	if w.b.Len() == 0 {
		return nil, fault.New(fault.Invalid, "document_empty", "empty: it contains no text")
	}
	doc := w.b.Document(it.first(propSubject))
	h, _ := parseHeader([]byte(it.text(propHeaders)))
	doc.SetDate(cmp.Or(metadata.ParseDate(oneLine(h["date"])), metadata.CheckDate(it.sent())), corpus.MailHeader)
	return doc, nil
}

// outlook adds an Outlook message.
func (w *writer) outlook(it *item) {
	var lines []string
	add := func(label, value string) {
		if value != "" {
			lines = append(lines, label+": "+text.Cut(value, maxField))
		}
	}
	h, _ := parseHeader([]byte(it.text(propHeaders)))
	sent := it.sent()
	add("From", it.sender(h))
	recipients := it.recipients()
	for i, f := range []struct {
		label string
		id    uint32
	}{{"To", propTo}, {"Cc", propCc}, {"Bcc", propBcc}} {
		if recipients[i] == "" {
			recipients[i] = it.first(f.id)
		}
		add(f.label, recipients[i])
	}
	if !sent.IsZero() {
		add("Date", sent.Format(time.RFC1123Z))
	} else {
		add("Date", oneLine(h["date"]))
	}
	attachments := it.inner("__attach_version1.0_")
	var names []string
	for _, a := range attachments {
		if name := a.fileName(); name != "" && !a.isPicture() && a.embedded() == nil {
			names = append(names, name)
		}
	}
	add("Attachments", strings.Join(names, ", "))
	w.b.Add(outline.Paragraph, 0, strings.Join(lines, "\n"))
	w.add(it.outlookBody(w.ctx), &state{})
	if w.depth >= maxDepth {
		return
	}
	for _, a := range attachments {
		if m := a.embedded(); m != nil && w.ctx.Err() == nil && !w.b.Truncated() {
			w.depth++
			subject := m.first(propSubject)
			if subject == "" {
				subject = "Message"
			}
			w.b.Add(outline.Heading, min(w.depth, 6), subject)
			w.outlook(m)
			w.depth--
		}
	}
}

// sender returns the author of a message with the address.
func (it *item) sender(h header) string {
	name := it.first(propSentForName, propSenderName)
	address := it.first(propSentForSMTP, propSenderSMTP)
	for _, id := range []uint32{propSentForMail, propSenderMail} {
		if s := it.first(id); address == "" && strings.Contains(s, "@") {
			address = s
		}
	}
	if name == "" && address == "" {
		return decodeWords(h["from"], "")
	}
	return person(name, address)
}

// person returns a name with an address.
func person(name, address string) string {
	switch {
	case name == "" || name == address:
		return address
	case address == "" || strings.Contains(name, address):
		return name
	}
	return name + " <" + address + ">"
}

// recipients returns the recipients by To, Cc, and Bcc.
func (it *item) recipients() (out [3]string) {
	for _, r := range it.inner("__recip_version1.0_") {
		kind := int(r.number(propRecipient)) & 0xf
		address := r.first(propSMTP)
		if mail := r.first(propMail); address == "" && strings.Contains(mail, "@") {
			address = mail
		}
		who := person(r.first(propName), address)
		if kind < 1 || kind > 3 || who == "" || len(out[kind-1]) > maxField {
			continue
		}
		if out[kind-1] != "" {
			out[kind-1] += ", "
		}
		out[kind-1] += who
	}
	return out
}

// outlookBody returns the best body of a message, or nil.
func (it *item) outlookBody(ctx context.Context) *outline.Document {
	var text, page *outline.Document
	if s := it.text(propBody); strings.TrimSpace(s) != "" {
		text = plain.Text("", s)
	}
	source := it.binary(propHTML)
	if s := it.text(propHTML); len(source) == 0 && s != "" {
		source = []byte(s)
	} else if l := codePage(it.number(propCodePageWeb)); l != "" && len(source) > 0 {
		source = []byte(decodeText(source, l))
	}
	if len(source) > 0 {
		if doc, err := readPage(ctx, source); err == nil {
			page = doc
		}
	}
	if doc := better(text, page); doc != nil && strings.TrimSpace(doc.Text) != "" {
		return doc
	}
	rtf, err := decompressRTF(it.binary(propRTF))
	if err != nil {
		return nil
	}
	return readRTF(ctx, rtf, it.label)
}

// fileName returns the file name of an attachment.
func (it *item) fileName() string {
	name := part.Clean(it.first(propLongName, propShortName, propName))
	if name == "" {
		return ""
	}
	return path.Base(name)
}

// isPicture reports whether an attachment is a picture in the body.
func (it *item) isPicture() bool {
	media := strings.ToLower(it.first(propMedia))
	switch strings.ToLower(path.Ext(it.fileName())) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emz", ".wmz":
		media = "image/"
	}
	return strings.HasPrefix(media, "image/") && (it.first(propContentID) != "" || it.number(propHidden)&1 != 0)
}

// OutlookAttachments yields the files in an Outlook message and in its nested
// messages, one at a time. usual is that of Attachments.
func OutlookAttachments(ctx context.Context, data []byte, usual func(media string) string) iter.Seq2[part.Part, error] {
	return func(yield func(part.Part, error) bool) {
		it, err := openOutlook(data)
		if err != nil {
			return // Read reports the error
		}
		var names part.Names
		it.files(ctx, 0, func(a *item, sent time.Time) bool {
			content := a.binary(propAttachment)
			if len(content) == 0 {
				return true
			}
			name := a.fileName()
			if name == "" {
				name = "attachment" + endingOf(strings.ToLower(a.first(propMedia)), usual)
			}
			return yield(part.Part{Name: names.Unique(name), Data: content, Modified: sent}, nil)
		})
		if err := ctx.Err(); err != nil {
			yield(part.Part{}, err)
		}
	}
}

// files calls fn with each attached file until fn returns false.
func (it *item) files(ctx context.Context, depth int, fn func(a *item, sent time.Time) bool) bool {
	sent := it.time(propSubmitted)
	for _, a := range it.inner("__attach_version1.0_") {
		if ctx.Err() != nil {
			return true
		}
		m := a.embedded()
		switch {
		case m != nil && depth < maxDepth:
			if !m.files(ctx, depth+1, fn) {
				return false
			}
		case m == nil && !a.isPicture():
			if !fn(a, sent) {
				return false
			}
		}
	}
	return true
}
