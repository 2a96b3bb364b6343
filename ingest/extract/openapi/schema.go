package openapi

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// maxIndent bounds the levels of properties that are listed below a type.
const maxIndent = 4

// maxValues bounds the listed values of an enumeration.
const maxValues = 100

// resolve returns the value that a reference within the description names. References are not
// followed further, because they can form a circle.
func (r *reader) resolve(n node) node {
	ref := n.get("$ref").text()
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return n
	}
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}").Replace(name)
	}
	return r.root.get(names...)
}

// schema writes a JSON Schema.
func (r *reader) schema(title string) {
	if title != "" {
		r.heading(1, title)
	}
	r.paragraph(1, r.root.get("description").text())
	r.properties(0, r.root)
	r.end()
	for _, types := range []node{r.root.get("$defs"), r.root.get("definitions")} {
		r.types(types)
	}
}

// types writes a section for each type.
func (r *reader) types(types node) {
	for name, schema := range types.members() {
		if r.done() {
			return
		}
		r.heading(2, "Type "+name)
		r.paragraph(2, schema.get("description").text())
		facts := append([]string{r.typeOf(schema)}, limits(schema)...)
		if facts[0] != "object" && facts[0] != "" {
			r.paragraph(2, "Type: "+strings.Join(facts, ", "))
		}
		r.properties(0, schema)
		r.end()
	}
}

// properties lists the properties of an object, also those of its parts.
func (r *reader) properties(indent int, schema node) { r.nested(indent, 0, schema) }

// nested lists the properties of a value at a depth of the description.
func (r *reader) nested(indent, depth int, schema node) {
	if schema.kind() != yaml.MappingNode || indent >= maxIndent || depth >= 2*maxIndent || r.done() {
		return
	}
	needed := map[string]bool{}
	for _, name := range schema.get("required").texts() {
		needed[name] = true
	}
	for name, property := range schema.get("properties").members() {
		facts := append([]string{r.typeOf(property), required(needed[name])}, limits(property)...)
		if property.get("deprecated").isTrue() {
			facts = append(facts, "deprecated")
		}
		text := property.get("description").text()
		if text == "" {
			text = property.get("title").text()
		}
		r.item(indent, code(name), facts, text)
		r.nested(indent+1, depth+1, property)
	}
	for _, part := range []string{"allOf", "oneOf", "anyOf"} {
		for one := range schema.get(part).items() {
			r.nested(indent, depth+1, one)
		}
	}
	r.nested(indent, depth+1, schema.get("items"))
}

// typeOf names the type of a value.
func (r *reader) typeOf(schema node) string { return typeName(schema, 0) }

func typeName(schema node, depth int) string {
	if ref := schema.get("$ref").text(); ref != "" {
		return code(ref[strings.LastIndexByte(ref, '/')+1:])
	}
	if depth > maxIndent {
		return ""
	}
	for _, part := range []struct{ key, and string }{{"allOf", " and "}, {"oneOf", " or "}, {"anyOf", " or "}} {
		var names []string
		for one := range schema.get(part.key).items() {
			if name := typeName(one, depth+1); name != "" && len(names) < maxValues {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			return strings.Join(names, part.and)
		}
	}
	name := strings.Join(schema.get("type").texts(), " or ")
	switch {
	case name == "array":
		if of := typeName(schema.get("items"), depth+1); of != "" {
			return "array of " + of
		}
	case name == "" && schema.get("properties").kind() == yaml.MappingNode:
		return "object"
	}
	if format := schema.get("format").text(); format != "" && name != "" {
		name += " (" + format + ")"
	}
	return name
}

// limits are the facts that a schema states about values.
func limits(schema node) []string {
	var out []string
	values := schema.get("enum").texts()
	if len(values) == 0 {
		values = schema.get("items", "enum").texts()
	}
	if len(values) > 0 {
		for i := range values {
			values[i] = code(values[i])
		}
		more := ""
		if len(values) > maxValues {
			values, more = values[:maxValues], ", …"
		}
		out = append(out, "one of "+strings.Join(values, ", ")+more)
	}
	for _, fact := range []struct{ key, label string }{
		{"const", "always"},
		{"default", "default"},
		{"minimum", "minimum"},
		{"exclusiveMinimum", "above"},
		{"maximum", "maximum"},
		{"exclusiveMaximum", "below"},
		{"minLength", "minimum length"},
		{"maxLength", "maximum length"},
		{"minItems", "minimum items"},
		{"maxItems", "maximum items"},
		{"pattern", "pattern"},
	} {
		value := schema.get(fact.key).text()
		truth := strings.HasPrefix(fact.key, "exclusive") && (value == "true" || value == "false")
		if value == "" || truth {
			continue // a truth value belongs to "minimum" or "maximum" in old dialects
		}
		if fact.key == "pattern" || fact.key == "const" {
			value = code(value)
		}
		out = append(out, fact.label+" "+value)
	}
	return out
}

// required is a fact about a value that must be given.
func required(is bool) string {
	if is {
		return "required"
	}
	return ""
}

// code marks a name as code.
func code(name string) string {
	if name == "" || strings.Contains(name, "`") {
		return oneLine(name)
	}
	return "`" + oneLine(name) + "`"
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
