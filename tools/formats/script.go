package main

import (
	"encoding/json"
	"strings"

	"docent/ingest/extract"
	"docent/ingest/extract/plain"
)

// script returns the TypeScript module with the formats for the page.
func script() string {
	var b strings.Builder
	b.WriteString(`// Code generated from the formats in ingest/extract by "go generate ./ingest/extract"; DO NOT EDIT.

/** Format is a document format that docent reads. */
export interface Format {
  /** Its short name. */
  name: string;
  /** Its media type; one that ends with … stands for all that begin so. */
  media: string;
  endings: string[];
  /** What the page numbers of a document count; '' for pages. */
  unit: '' | 'slide' | 'sheet' | 'image';
  /** Whether it holds documents of any format. */
  archive?: true;
}

export const formats: Format[] = [
`)
	for _, f := range extract.Formats.All() {
		b.WriteString("  { name: " + quoted(f.ShortName()) + ", media: " + quoted(f.Media) + ", endings: [" + list(f.Endings) + "], unit: " +
			quoted(string(f.Unit)))
		if f.Archive() {
			b.WriteString(", archive: true")
		}
		b.WriteString(" },\n")
	}
	b.WriteString("];\n\n/** The endings of source code. */\nexport const sourceEndings = [" + list(plain.CodeEndings()) + "];\n")
	return b.String()
}

// list returns quoted strings with commas.
func list(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = quoted(v)
	}
	return strings.Join(out, ", ")
}

// quoted returns a string of JavaScript.
func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be written
	}
	return "'" + strings.ReplaceAll(strings.Trim(string(out), `"`), "'", `\'`) + "'"
}
