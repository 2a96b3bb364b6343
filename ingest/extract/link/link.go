// Package link reads files that hold only a link: shortcuts of Windows, macOS, and Linux.
package link

import (
	"bytes"
	"context"
	"html"
	"path"
	"regexp"
	"strings"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/join"
	"docent/ingest/format"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// maxFile is the size of the largest shortcut, in bytes.
const maxFile = 64 << 10

// Format is files that hold only a link.
var Format = format.Format{
	Info: format.Info{
		Name: "Link", Group: format.Web,
		Endings:   []string{".url", ".webloc"},
		Media:     "application/x-mswinurl",
		NeverMail: true,
		Reads:     "the address, under the name of the file",
		Leaves:    "the content of the linked page",
	},
	Match: func(_ context.Context, f *format.File) format.Match {
		head := f.Trimmed()
		ok := len(f.Data) <= maxFile && f.HasEnding(".url", ".webloc", "") &&
			(bytes.HasPrefix(bytes.ToLower(head[:min(len(head), 24)]), []byte("[internetshortcut]")) ||
				f.HasEnding(".webloc") && (bytes.HasPrefix(head, []byte("bplist00")) || bytes.Contains(head, []byte("<plist"))))
		return format.If(ok, format.Sure)
	},
	Read: format.Bytes(Read),
}

var (
	// windows is the address in a shortcut of Windows, and property that in a property
	// list of macOS.
	windows  = regexp.MustCompile(`(?im)^\s*URL\s*=\s*(\S+)\s*$`)
	property = regexp.MustCompile(`(?s)<key>URL</key>\s*<string>(.*?)</string>`)
)

// Read reads a shortcut. The document has the name of the file and the address.
func Read(_ context.Context, name string, data []byte) (*outline.Document, error) {
	if len(data) > maxFile {
		return nil, notLink()
	}
	address := ""
	if bytes.HasPrefix(data, []byte("bplist00")) {
		address = binary(data)
	} else {
		text, _, err := charset.Decode(data, "")
		if err != nil {
			return nil, err
		}
		if m := property.FindStringSubmatch(text); m != nil {
			address = html.UnescapeString(m[1])
		} else if m := windows.FindStringSubmatch(text); m != nil {
			address = m[1]
		}
	}
	address = strings.Join(strings.Fields(strings.ToValidUTF8(address, "")), "")
	if !strings.Contains(address, ":") {
		return nil, notLink()
	}
	title := strings.TrimSuffix(path.Base(name), path.Ext(name))
	var b join.Builder
	b.Add(outline.Paragraph, 0, title+": "+address)
	return b.Document(title), nil
}

func notLink() error {
	return fault.New(fault.Invalid, "link_without_address", "damaged: there is no address in this shortcut")
}

// binary returns the address in a binary property list: the first string of ASCII that
// looks like one.
func binary(data []byte) string {
	for i := 8; i < len(data); i++ {
		size, at := 0, i+1
		switch {
		case data[i]>>4 != 5: // not a string of ASCII
			continue
		case data[i]&15 < 15:
			size = int(data[i] & 15)
		case i+2 < len(data) && data[i+1] == 0x10:
			size, at = int(data[i+2]), i+3
		case i+3 < len(data) && data[i+1] == 0x11:
			size, at = int(data[i+2])<<8|int(data[i+3]), i+4
		}
		if at+size > len(data) {
			continue
		}
		if text := string(data[at : at+size]); strings.Contains(text, "://") || strings.HasPrefix(text, "mailto:") {
			return text
		}
	}
	return ""
}
