package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"docent/agent/tool"
	words "docent/rag/text"
)

// maxResult is the maximum size of a result, in bytes.
const maxResult = 256 << 10

// render returns a result for the model: its texts, and a line for each other part. If there are none, it returns the
// structured content.
func render(r *sdk.CallToolResult) (any, error) {
	if r.NeedsInput() {
		return nil, &tool.Error{Class: "ToolError", Text: "the tool asks its user something, which is not possible here"}
	}
	var parts []string
	for _, c := range r.Content {
		if part := describe(c); part != "" {
			parts = append(parts, part)
		}
	}
	text := strings.Join(parts, "\n")
	if text == "" && r.StructuredContent != nil {
		data, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return nil, fmt.Errorf("read a result: %w", err)
		}
		text = string(data)
	}
	text = bound(text)
	switch {
	case r.IsError && text == "":
		return nil, &tool.Error{Text: "the tool failed and does not say why"}
	case r.IsError:
		return nil, &tool.Error{Text: text}
	case text == "":
		return nil, nil
	}
	return text, nil
}

// describe returns one part of a result. Text resources are shown, because file servers return them.
func describe(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return note("image", c.MIMEType, len(c.Data), "")
	case *sdk.AudioContent:
		return note("audio", c.MIMEType, len(c.Data), "")
	case *sdk.ResourceLink:
		size := -1
		if c.Size != nil {
			size = int(*c.Size)
		}
		return note("link", c.MIMEType, size, strings.TrimSpace(c.Name+" "+c.URI))
	case *sdk.EmbeddedResource:
		switch r := c.Resource; {
		case r == nil:
			return ""
		case r.Text != "":
			return note("resource", r.MIMEType, -1, r.URI) + "\n" + r.Text
		default:
			return note("resource", r.MIMEType, len(r.Blob), r.URI)
		}
	}
	return ""
}

// note describes an omitted part. size is in bytes, or -1 if unknown.
func note(what, kind string, size int, name string) string {
	words := []string{what}
	for _, w := range []string{kind, name} {
		if w != "" {
			words = append(words, strings.Join(strings.Fields(w), " "))
		}
	}
	if size >= 0 {
		words = append(words, fmt.Sprintf("%d bytes", size))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// bound cuts a text that is too long and adds a note.
func bound(text string) string {
	if len(text) <= maxResult {
		return text
	}
	head := words.Head(text, maxResult)
	return fmt.Sprintf("%s\n[cut after %d of %d bytes]", head, len(head), len(text))
}
