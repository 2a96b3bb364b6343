// Package openapi reads descriptions of HTTP APIs (OpenAPI 2 and 3, https://spec.openapis.org/oas, and
// collections of Postman), of events (AsyncAPI 2 and 3, https://www.asyncapi.com), and of JSON values
// (JSON Schema, https://json-schema.org): each operation and each type becomes a section.
package openapi

import (
	"context"
	"slices"
	"strings"

	"docent/ingest/extract/plain"
	"docent/ingest/outline"
)

// maxLines bounds the lines about parameters, responses, and properties. Aliases of YAML can
// stand for very many.
const maxLines = 200_000

// methods are the methods that a path can have.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// Read reads a description in JSON or YAML. It reports whether the text is one.
func Read(ctx context.Context, name, text string) (*outline.Document, bool) {
	root, err := parse(text)
	if err != nil {
		return nil, false
	}
	r := &reader{ctx: ctx, root: root}
	title := root.get("info", "title").text()
	switch {
	case root.get("openapi").text() != "" || root.get("swagger").text() != "":
		r.api(title)
	case root.get("asyncapi").text() != "":
		r.events(title)
	case strings.Contains(root.get("info", "schema").text(), "postman.com/"):
		title = root.get("info", "name").text()
		r.collection(title)
	case root.get("$schema").text() != "":
		title = root.get("title").text()
		r.schema(title)
	default:
		return nil, false
	}
	doc := plain.Markdown(name, r.out.String())
	if title != "" {
		doc.Title = title
	}
	doc.Version = root.get("info", "version").text()
	return doc, true
}

// reader writes a description as Markdown.
type reader struct {
	ctx   context.Context
	root  node
	out   strings.Builder
	lines int
}

// done reports whether the rest is left out.
func (r *reader) done() bool {
	return r.ctx.Err() != nil || r.lines > maxLines || r.out.Len() > outline.MaxText
}

// heading starts a section.
func (r *reader) heading(level int, text string) {
	r.out.WriteString("\n" + strings.Repeat("#", level) + " " + oneLine(text) + "\n\n")
}

// paragraph writes a text of the description, which is Markdown. Its headings are moved below
// the present one.
func (r *reader) paragraph(level int, text string) {
	if text == "" {
		return
	}
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if rest := strings.TrimLeft(line, " "); !fenced && len(line)-len(rest) < 4 && strings.HasPrefix(rest, "#") {
			marks := len(rest) - len(strings.TrimLeft(rest, "#"))
			line = strings.Repeat("#", min(marks+level, 6)) + rest[marks:]
		}
		r.out.WriteString(line)
	}
	if fenced {
		r.out.WriteString("\n```")
	}
	r.out.WriteString("\n\n")
}

// item writes an item of a list: a name, facts about it, and a text.
func (r *reader) item(indent int, name string, facts []string, text string) {
	if r.done() {
		return
	}
	r.lines++
	r.out.WriteString(strings.Repeat("  ", indent) + "- " + name)
	if facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" }); len(facts) > 0 {
		r.out.WriteString(" (" + strings.Join(facts, ", ") + ")")
	}
	if text = oneLine(text); text != "" {
		r.out.WriteString(": " + text)
	}
	r.out.WriteString("\n")
}

// label introduces a list.
func (r *reader) label(text string) { r.out.WriteString(text + ":\n\n") }

// end ends a list.
func (r *reader) end() { r.out.WriteString("\n") }

// api writes the description of an API.
func (r *reader) api(title string) {
	if title != "" {
		r.heading(1, title)
	}
	r.servers()
	r.paragraph(1, r.root.get("info", "description").text())
	for _, part := range []string{"paths", "webhooks"} {
		for path, item := range r.root.get(part).members() {
			item = r.resolve(item)
			for method, operation := range item.members() {
				if slices.Contains(methods, method) && !r.done() {
					r.operation(strings.ToUpper(method)+" "+path, item, operation)
				}
			}
		}
	}
	for _, types := range []node{r.root.get("components", "schemas"), r.root.get("definitions")} {
		r.types(types)
	}
	r.security()
}

// servers writes the addresses of an API.
func (r *reader) servers() {
	var addresses []string
	for server := range r.root.get("servers").items() {
		address := server.get("url").text()
		if text := oneLine(server.get("description").text()); text != "" {
			address += " (" + text + ")"
		}
		addresses = append(addresses, address)
	}
	if host := r.root.get("host").text(); host != "" {
		schemes := append(r.root.get("schemes").texts(), "https")
		addresses = append(addresses, schemes[0]+"://"+host+r.root.get("basePath").text())
	}
	if len(addresses) > 0 {
		r.paragraph(1, "Servers: "+strings.Join(addresses, ", "))
	}
}

// operation writes an operation. item is its path, which has parameters of all its operations.
func (r *reader) operation(name string, item, operation node) {
	if summary := operation.get("summary").text(); summary != "" {
		name += ": " + summary
	}
	r.heading(2, name)
	r.paragraph(2, operation.get("description").text())
	var facts []string
	if id := operation.get("operationId").text(); id != "" {
		facts = append(facts, "Operation: "+id)
	}
	if tags := operation.get("tags").texts(); len(tags) > 0 {
		facts = append(facts, "Tags: "+strings.Join(tags, ", "))
	}
	if operation.get("deprecated").isTrue() {
		facts = append(facts, "Deprecated")
	}
	var schemes []string
	for one := range operation.get("security").items() {
		for scheme := range one.members() {
			schemes = append(schemes, scheme)
		}
	}
	if len(schemes) > 0 {
		facts = append(facts, "Authorization: "+strings.Join(schemes, ", "))
	}
	if len(facts) > 0 {
		r.paragraph(2, strings.Join(facts, ". ")+".")
	}
	r.parameters(item, operation)
	r.body(operation)
	r.responses(operation)
}

// parameters writes the parameters of an operation.
func (r *reader) parameters(item, operation node) {
	first := true
	for _, list := range []node{item.get("parameters"), operation.get("parameters")} {
		for p := range list.items() {
			p = r.resolve(p)
			if first {
				r.label("Parameters")
				first = false
			}
			schema := p.get("schema")
			if schema.kind() == 0 {
				schema = p // version 2
			}
			facts := append([]string{p.get("in").text(), r.typeOf(schema), required(p.get("required").isTrue())}, limits(schema)...)
			r.item(0, code(p.get("name").text()), facts, p.get("description").text())
			if p.get("in").text() == "body" {
				r.properties(1, schema)
			}
		}
	}
	if !first {
		r.end()
	}
}

// body writes the body of a request.
func (r *reader) body(operation node) {
	body := r.resolve(operation.get("requestBody"))
	if body.kind() == 0 {
		return
	}
	text := "Request body"
	if body.get("required").isTrue() {
		text += ", required"
	}
	if about := oneLine(body.get("description").text()); about != "" {
		text += ". " + strings.TrimSuffix(about, ".")
	}
	r.label(text)
	for media, content := range body.get("content").members() {
		r.item(0, media, []string{r.typeOf(content.get("schema"))}, "")
		r.properties(1, content.get("schema"))
	}
	r.end()
}

// responses writes the responses of an operation.
func (r *reader) responses(operation node) {
	first := true
	for status, response := range operation.get("responses").members() {
		if strings.HasPrefix(status, "x-") {
			continue
		}
		if first {
			r.label("Responses")
			first = false
		}
		response = r.resolve(response)
		var facts []string
		schema := response.get("schema") // version 2
		facts = append(facts, r.typeOf(schema))
		for media, content := range response.get("content").members() {
			if kind := r.typeOf(content.get("schema")); kind != "" {
				facts = append(facts, media+": "+kind)
			}
			schema = content.get("schema")
		}
		r.item(0, status, facts, response.get("description").text())
		r.properties(1, schema)
	}
	if !first {
		r.end()
	}
}

// security writes the ways to sign in.
func (r *reader) security() {
	first := true
	for _, list := range []node{r.root.get("components", "securitySchemes"), r.root.get("securityDefinitions")} {
		for name, scheme := range list.members() {
			if first {
				r.heading(2, "Authorization")
				first = false
			}
			scheme = r.resolve(scheme)
			facts := []string{scheme.get("type").text(), scheme.get("scheme").text(), scheme.get("in").text()}
			if parameter := scheme.get("name").text(); parameter != "" {
				facts = append(facts, code(parameter))
			}
			r.item(0, code(name), facts, scheme.get("description").text())
		}
	}
	r.end()
}
