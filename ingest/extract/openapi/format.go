package openapi

import (
	"context"
	"regexp"

	"docent/ingest/extract/charset"
	"docent/ingest/extract/plain"
	"docent/ingest/format"
	"docent/ingest/outline"
)

// maxDescription is the largest description that is read by operation, in bytes. Larger ones are
// read as code, because their nodes take many times their size.
const maxDescription = 16 << 20

// Format is descriptions of APIs and of JSON values.
var Format = format.Format{
	Info: format.Info{
		Name: "OpenAPI, AsyncAPI, Postman, and JSON Schema", Short: "OpenAPI",
		Group:     format.Texts,
		Version:   2,
		Endings:   []string{".openapi"},
		Media:     "application/vnd.oai.openapi",
		NeverMail: true,
		Reads:     "a section for each operation, with its parameters, body, and responses, and for each type, with its properties; OpenAPI and AsyncAPI 2 and 3, in JSON and YAML; collections of Postman with their folders and requests",
		Leaves:    "examples of values, extensions; tests, scripts, and secrets of Postman",
		Limits:    "16 MiB; larger descriptions are read as JSON or YAML",
	},
	Match: match,
	Read:  readDescription,
}

var (
	// jsonMark and yamlMark match the version of a description, which is required.
	jsonMark = regexp.MustCompile(`"(?:openapi|swagger|asyncapi)"\s*:\s*"[23]\.`)
	yamlMark = regexp.MustCompile(`(?m)^(?:openapi|swagger|asyncapi)\s*:\s*["']?[23]\.`)
	// postmanMark matches the schema of a collection, and schemaMark the dialect of a JSON Schema.
	postmanMark = regexp.MustCompile(`"schema"\s*:\s*"https?://schema\.(?:get)?postman\.com/`)
	schemaMark  = regexp.MustCompile(`"?\$schema"?\s*:\s*["']?https?://json-schema\.org/(?:draft|schema)`)
)

func match(_ context.Context, f *format.File) format.Match {
	if !f.IsText() || len(f.Data) > maxDescription || !f.HasEnding(".json", ".yaml", ".yml", ".openapi", ".txt", "") {
		return format.Match{}
	}
	head := f.Trimmed()
	if len(head) > 0 && head[0] == '{' {
		return format.If(schemaMark.Match(f.Head()) || jsonMark.Match(f.Data) || postmanMark.Match(f.Data), format.Sure)
	}
	return format.If(yamlMark.Match(f.Data) || schemaMark.Match(f.Head()), format.Sure)
}

// readDescription reads a description. A text that turns out to be something else is read as JSON
// or as code.
func readDescription(ctx context.Context, f *format.File) (*outline.Document, error) {
	text, set, err := charset.Decode(f.Data, "")
	if err != nil {
		return nil, err
	}
	doc, ok := Read(ctx, f.Name, text)
	if !ok {
		doc = plain.Code(f.Name, text)
		if head := f.Trimmed(); len(head) > 0 && head[0] == '{' {
			doc = plain.JSON(f.Name, text)
		}
	}
	doc.Charset = set
	return doc, ctx.Err()
}
