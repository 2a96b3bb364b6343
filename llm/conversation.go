package llm

import "strings"

// conversationBefore is the first message of the user if the conversation that a model
// gets begins with one of its own answers. Many chat templates want the user to begin.
const conversationBefore = "(The conversation began earlier.)"

// orderly returns a conversation in the form that chat templates expect: one system
// message, then the user, and no two neighboring messages of the same role. Neighbors are
// joined, and messages without content are left out.
func orderly(list []Message) []Message {
	var system []string
	var out []Message
	for _, m := range list {
		empty := strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 && len(m.Calls) == 0
		switch {
		case m.Role == System:
			system = append(system, m.Text)
			continue
		case m.Role == Assistant && empty:
			continue
		case m.Role == Assistant && len(out) == 0:
			out = append(out, Text(User, conversationBefore))
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role && m.Role != ToolResult {
			out[n-1] = joined(out[n-1], m)
			continue
		}
		out = append(out, m)
	}
	if len(system) > 0 {
		out = append([]Message{Text(System, strings.Join(system, "\n\n"))}, out...)
	}
	return out
}

// joined returns two messages of one role as one.
func joined(a, b Message) Message {
	switch {
	case a.Text == "":
		a.Text = b.Text
	case b.Text != "":
		a.Text += "\n\n" + b.Text
	}
	a.Images = append(append([]Image(nil), a.Images...), b.Images...)
	a.Calls = append(append([]Call(nil), a.Calls...), b.Calls...)
	return a
}
