package openapi

import "strings"

// events writes the description of an API of events. Each channel becomes a section.
func (r *reader) events(title string) {
	if title != "" {
		r.heading(1, title)
	}
	var servers []string
	for name, server := range r.root.get("servers").members() {
		server = r.resolve(server)
		address := server.get("url").text() // version 2
		if address == "" {
			address = server.get("host").text() + server.get("pathname").text()
		}
		text := name + ": " + address
		if about := oneLine(server.get("description").text()); about != "" {
			text += " (" + about + ")"
		}
		servers = append(servers, text)
	}
	if len(servers) > 0 {
		r.paragraph(1, "Servers: "+strings.Join(servers, ", "))
	}
	r.paragraph(1, r.root.get("info", "description").text())
	operations := map[string][]eventOperation{} // of version 3, by channel
	for id, operation := range r.root.get("operations").members() {
		operation = r.resolve(operation)
		ref := operation.get("channel", "$ref").text()
		channel := strings.NewReplacer("~1", "/", "~0", "~").Replace(ref[strings.LastIndexByte(ref, '/')+1:])
		operations[channel] = append(operations[channel], eventOperation{id, operation})
	}
	for name, channel := range r.root.get("channels").members() {
		if !r.done() {
			r.channel(name, r.resolve(channel), operations[name])
		}
	}
	r.types(r.root.get("components", "schemas"))
	r.security()
}

// eventOperation is an operation on a channel.
type eventOperation struct {
	id   string
	node node
}

// channel writes a channel with its operations and messages.
func (r *reader) channel(name string, channel node, operations []eventOperation) {
	title := name
	if address := channel.get("address").text(); address != "" && address != name { // version 3
		title = address + ": " + name
	}
	if summary := channel.get("summary").text(); summary != "" {
		title += ": " + summary
	}
	r.heading(2, title)
	r.paragraph(2, channel.get("description").text())
	first := true
	for parameter, about := range channel.get("parameters").members() {
		if first {
			r.label("Parameters")
			first = false
		}
		about = r.resolve(about)
		schema := about.get("schema")
		r.item(0, code(parameter), append([]string{r.typeOf(schema)}, limits(schema)...), about.get("description").text())
	}
	if !first {
		r.end()
	}
	for _, action := range []string{"subscribe", "publish"} { // version 2
		if operation := channel.get(action); operation.kind() != 0 {
			r.eventOperation(action, operation.get("operationId").text(), operation)
			r.messages(operation.get("message"))
		}
	}
	for _, o := range operations {
		if r.done() {
			return
		}
		r.eventOperation(o.node.get("action").text(), o.id, o.node)
	}
	for _, message := range channel.get("messages").members() {
		r.messages(message)
	}
}

// eventOperation writes the facts about an operation.
func (r *reader) eventOperation(action, id string, operation node) {
	text := strings.ToUpper(action[:min(len(action), 1)]) + action[min(len(action), 1):]
	if id != "" {
		text += " (" + code(id) + ")"
	}
	if summary := operation.get("summary").text(); summary != "" {
		text += ": " + oneLine(summary)
	}
	r.paragraph(2, text)
	r.paragraph(2, operation.get("description").text())
}

// messages writes a message, or each of several ones.
func (r *reader) messages(message node) {
	message = r.resolve(r.resolve(message))
	for one := range message.get("oneOf").items() {
		if !r.done() {
			r.message(r.resolve(one))
		}
	}
	if message.get("oneOf").kind() == 0 && message.kind() != 0 {
		r.message(message)
	}
}

func (r *reader) message(message node) {
	name := message.get("title").text()
	if name == "" {
		name = message.get("name").text()
	}
	payload := message.get("payload")
	if wrapped := payload.get("schema"); wrapped.kind() != 0 && payload.get("schemaFormat").kind() != 0 {
		payload = wrapped
	}
	r.label(strings.TrimSpace("Message " + oneLine(name)))
	about := message.get("summary").text()
	if about == "" {
		about = message.get("description").text()
	}
	r.item(0, "payload", []string{r.typeOf(payload), message.get("contentType").text()}, about)
	r.properties(1, payload)
	r.end()
}
