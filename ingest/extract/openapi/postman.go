package openapi

import "strings"

// maxFolders bounds the levels of folders in a collection.
const maxFolders = 20

// collection writes a collection of Postman. Each folder and each request becomes a section.
func (r *reader) collection(title string) {
	if title != "" {
		r.heading(1, title)
	}
	r.paragraph(1, about(r.root.get("info")))
	r.requests(2, r.root.get("item"))
	first := true
	for variable := range r.root.get("variable").items() {
		if first {
			r.heading(2, "Variables")
			first = false
		}
		value := variable.get("value").text()
		if variable.get("type").text() == "secret" {
			value = ""
		}
		r.item(0, code(variable.get("key").text()), nil, value)
	}
}

// about returns the description of an item, which may be an object.
func about(n node) string {
	if text := n.get("description").text(); text != "" {
		return text
	}
	return n.get("description", "content").text()
}

// requests writes the items of a folder.
func (r *reader) requests(level int, items node) {
	for item := range items.items() {
		if r.done() || level > maxFolders {
			return
		}
		if request := item.get("request"); request.kind() != 0 {
			r.request(min(level, 6), item, request)
			continue
		}
		r.heading(min(level, 6), item.get("name").text())
		r.paragraph(level, about(item))
		r.requests(level+1, item.get("item"))
	}
}

// request writes a request. Its authorization is a secret.
func (r *reader) request(level int, item, request node) {
	r.heading(level, item.get("name").text())
	address := request.get("url", "raw").text()
	if address == "" {
		address = request.get("url").text()
	}
	if address == "" {
		address = request.text()
	}
	r.paragraph(level, code(strings.TrimSpace(request.get("method").text()+" "+oneLine(address))))
	r.paragraph(level, about(request))
	r.paragraph(level, about(item))
	r.values("Parameters", request.get("url", "variable"), request.get("url", "query"))
	r.values("Headers", request.get("header"))
	body := request.get("body")
	r.values("Form", body.get("formdata"), body.get("urlencoded"))
	raw := body.get("raw").text()
	if raw == "" {
		raw = body.get("graphql", "query").text()
	}
	if raw != "" && !strings.Contains(raw, "```") {
		r.label("Body")
		r.out.WriteString("```" + body.get("options", "raw", "language").text() + "\n" + raw + "\n```\n\n")
	}
	first := true
	for response := range item.get("response").items() {
		if first {
			r.label("Responses")
			first = false
		}
		r.item(0, strings.TrimSpace(response.get("code").text()+" "+response.get("status").text()), nil, response.get("name").text())
	}
	if !first {
		r.end()
	}
}

// secretNames are names of headers and parameters whose values are secrets.
var secretNames = []string{"authorization", "cookie", "token", "key", "secret", "password"}

// values writes the names and values of parameters.
func (r *reader) values(label string, lists ...node) {
	first := true
	for _, list := range lists {
		for one := range list.items() {
			name := one.get("key").text()
			if name == "" || one.get("disabled").isTrue() {
				continue
			}
			if first {
				r.label(label)
				first = false
			}
			value := one.get("value").text()
			for _, secret := range secretNames {
				if strings.Contains(strings.ToLower(name), secret) {
					value = ""
				}
			}
			if value != "" {
				value = code(value)
			}
			r.item(0, code(name), []string{value}, about(one))
		}
	}
	if !first {
		r.end()
	}
}
