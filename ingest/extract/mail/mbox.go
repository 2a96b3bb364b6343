package mail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"docent/ingest/extract/part"
)

// maxFromLine bounds the line that begins a message in a mailbox.
const maxFromLine = 512

// isFromLine reports whether a line begins a message in a mailbox. It must have
// "From ", a sender, and a date with a month, a time, and a year.
func isFromLine(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) || len(line) > maxFromLine {
		return false
	}
	clock, year, month := false, false, false
	for _, f := range bytes.Fields(line[len("From "):]) {
		if i := bytes.IndexByte(f, ':'); i > 0 && i <= 2 && len(f) >= i+3 && isDigits(f[:i]) && isDigits(f[i+1:i+3]) {
			clock = true
		}
		month = month || len(f) == 3 && months[string(f)]
		year = year || len(f) == 4 && isDigits(f) && (f[0] == '1' || f[0] == '2')
	}
	return clock && year && month
}

// months are the names of months in a From line.
var months = map[string]bool{
	"Jan": true, "Feb": true, "Mar": true, "Apr": true, "May": true, "Jun": true, "Jul": true, "Aug": true, "Sep": true, "Oct": true,
	"Nov": true, "Dec": true,
}

func isDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// startsMessage reports whether data begins with a mailbox message: a From line
// and a header field.
func startsMessage(data []byte) bool {
	line, rest := cutLine(data[:min(len(data), maxFromLine+maxFieldName)])
	if !isFromLine(line) {
		return false
	}
	return startsField(rest) || bytes.HasPrefix(rest, []byte(">From "))
}

// IsMbox reports whether a file is a mailbox. The argument is the beginning of
// the file.
func IsMbox(head []byte) bool { return startsMessage(trimFront(head)) }

// trimFront removes a byte order mark and empty lines.
func trimFront(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), "\r\n")
}

// Messages yields the messages of a mailbox, one at a time. The name of a message
// is a hash of its Message-ID. Without a Message-ID it is a hash of the content.
// Names therefore stay the same when other messages are added or removed.
func Messages(ctx context.Context, data []byte) iter.Seq2[part.Part, error] {
	return func(yield func(part.Part, error) bool) {
		data := trimFront(data)
		var names part.Names
		for len(data) > 0 {
			if err := ctx.Err(); err != nil {
				yield(part.Part{}, err)
				return
			}
			end := messageEnd(data)
			message := unquote(data[:end])
			data = data[end:]
			if len(bytes.TrimSpace(message)) == 0 {
				continue
			}
			h, body := parseHeader(message)
			key := []byte(h["message-id"])
			if len(key) == 0 {
				key = append([]byte(h["from"]+"\n"+h["date"]+"\n"+h["subject"]+"\n"), body...)
			}
			sum := sha256.Sum256(key)
			name := names.Unique(hex.EncodeToString(sum[:8]) + ".eml")
			if !yield(part.Part{Name: name, Data: message, Modified: parseDate(h["date"])}, nil) {
				return
			}
		}
	}
}

// messageEnd returns the end of the first message of a mailbox.
func messageEnd(data []byte) int {
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("\nFrom "))
		if i < 0 {
			return len(data)
		}
		at += i + 1
		if startsMessage(data[at:]) {
			return at
		}
		line, _ := cutLine(data[at:min(len(data), at+maxFromLine+1)])
		if isFromLine(line) && (bytes.HasSuffix(data[:at], []byte("\n\n")) || bytes.HasSuffix(data[:at], []byte("\n\r\n"))) {
			return at
		}
	}
}

// unquote removes the From line of a message and one ">" from its quoted From
// lines.
func unquote(message []byte) []byte {
	if line, rest := cutLine(message); isFromLine(line) {
		message = rest
	}
	if !bytes.Contains(message, []byte(">From ")) {
		return message
	}
	out := make([]byte, 0, len(message))
	for line := range bytes.Lines(message) {
		if t := bytes.TrimLeft(line, ">"); len(t) < len(line) && bytes.HasPrefix(t, []byte("From ")) {
			line = line[1:]
		}
		out = append(out, line...)
	}
	return out
}
