package plain

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// Record is one line of a JSONL file that holds a document to a line.
type Record struct {
	// ID is the line's id; "" if it has none.
	ID string
	// Title is the line's title; "" if it has none.
	Title string
	// Text is the document.
	Text string
}

// ParseRecord reads a line of a JSONL file.
func ParseRecord(line []byte) (Record, error) {
	var raw struct {
		ID    json.RawMessage `json:"id"`
		Title any             `json:"title"`
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), &raw); err != nil {
		return Record{}, fault.Wrap(fault.Invalid, err, "jsonl_line_invalid", "damaged: it is not a JSON object with a text")
	}
	if raw.Text == nil {
		return Record{}, fault.New(fault.Invalid, "jsonl_line_empty", "it has no text")
	}
	rec := Record{Text: outline.Clean(*raw.Text)}
	rec.Title, _ = raw.Title.(string)
	if len(raw.ID) > 0 && string(raw.ID) != "null" {
		if json.Unmarshal(raw.ID, &rec.ID) != nil {
			rec.ID = string(raw.ID) // a number
		}
	}
	rec.ID = outline.Clean(rec.ID)
	return rec, nil
}

// HoldsRecords reports whether the beginning of a file shows that it holds a
// document to a line: its first line is a JSON object with a text.
func HoldsRecords(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	_, err := ParseRecord(line)
	return err == nil
}

// MayHoldRecords reports whether a file's first bytes leave it possible that it
// holds a document to a line.
func MayHoldRecords(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) < 2 || head[0] != '{' {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t")
	return len(head) > 0 && head[0] == '"'
}

// RecordsName reports whether a name is that of a file with a record to a line.
func RecordsName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".jsonl", ".ndjson", ".json":
		return true
	}
	return false
}
