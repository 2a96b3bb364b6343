// Package jsonl reads JSONL files. Each line of such a file holds one document.
package jsonl

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// Line is a document that is one line of a JSONL file.
type Line struct {
	// ID is the line's id; "" if it has none.
	ID string
	// Title is the line's title; "" if it has none.
	Title string
	// Text is the document.
	Text string
}

var errNoText = fault.New(fault.Invalid, "jsonl_line_empty", "it has no text")

// Parse reads a line of a JSONL file.
func Parse(line []byte) (Line, error) {
	var raw struct {
		ID    json.RawMessage `json:"id"`
		Title any             `json:"title"`
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), &raw); err != nil {
		return Line{}, fault.Wrap(fault.Invalid, err, "jsonl_line_invalid", "damaged: the line is not a JSON object with a text")
	}
	if raw.Text == nil {
		title, text := dialog(line)
		if text == "" {
			return Line{}, errNoText
		}
		raw.Text = &text
		if raw.Title == nil {
			raw.Title = title
		}
	}
	rec := Line{Text: outline.Clean(*raw.Text)}
	rec.Title, _ = raw.Title.(string)
	if len(raw.ID) > 0 && string(raw.ID) != "null" {
		if json.Unmarshal(raw.ID, &rec.ID) != nil {
			rec.ID = string(raw.ID) // a number
		}
	}
	rec.ID = outline.Clean(rec.ID)
	return rec, nil
}

// Is reports whether a file with this beginning is a JSONL file. The first line
// must be a JSON object with a text.
func Is(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	_, err := Parse(line)
	return err == nil
}

// MayBe reports whether a file with these first bytes may be a JSONL file.
func MayBe(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) < 2 || head[0] != '{' {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t")
	return len(head) > 0 && head[0] == '"'
}

// HasName reports whether a file name has an ending of JSONL files.
func HasName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".jsonl", ".ndjson", ".json":
		return true
	}
	return false
}
