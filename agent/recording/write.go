package recording

import (
	"strings"

	"docent/agent/chat"
	"docent/payload"
)

// FromMessages returns the recording of stored messages, oldest first. It has the messages and files of the user, and the
// replies of the agent.
func FromMessages(name string, messages []chat.Message) Recording {
	out := Recording{Name: name}
	for _, m := range messages {
		if !m.IsUser {
			out.Lines = append(out.Lines, lineOf(m))
			continue
		}
		line := Line{Kind: User, Text: plain(m.Content)}
		switch {
		case m.Type == payload.TypeFile:
			file, err := payload.DecodeFile(m.Content)
			if err != nil { // its content is gone
				continue
			}
			content, err := file.Bytes()
			if err != nil {
				continue
			}
			line = Line{Kind: UploadedFile, Text: strings.ReplaceAll(file.Name, " ", "_") + " " + file.Type + " " + string(content)}
		case m.Sender != "":
			line.Kind = Peer
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// String returns the recording as a file.
func (r Recording) String() string {
	var b strings.Builder
	for _, l := range r.Lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// Answered returns the recording with the replies of each part as the answers of a chat model, for an agent that asks one
// for each reply. Recordings with lines Model are left as they are.
func (r Recording) Answered() Recording {
	if r.Has(Model) {
		return r
	}
	out := Recording{Name: r.Name}
	for _, p := range r.parts() {
		if p.input.Kind != "" {
			out.Lines = append(out.Lines, p.input)
		}
		for _, l := range p.want {
			if l.Kind == Agent {
				out.Lines = append(out.Lines, Line{Kind: Model, Text: l.Text})
			}
			out.Lines = append(out.Lines, l)
		}
	}
	return out
}
