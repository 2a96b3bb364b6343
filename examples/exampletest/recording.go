package exampletest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"docent/payload"
)

// Line is a line of a recorded conversation.
type Line struct {
	// Kind says what happens, such as user or agent. See User.Plays.
	Kind string
	// Text is the rest of the line.
	Text string
}

// Lines reads a recorded conversation: lines with a kind, a colon, and a text.
func Lines(recording string) []Line {
	var out []Line
	for line := range strings.Lines(recording) {
		if kind, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			out = append(out, Line{Kind: kind, Text: text})
		}
	}
	return out
}

// Plays plays a line of a recorded conversation, and reports whether it knows its
// kind:
//
//	user: TEXT            the user writes
//	file: NAME TYPE TEXT  the user uploads a file
//	voice: TEXT           the user sends a recording with these bytes
//	peer: TEXT            another agent writes
//	event: NAME JSON      a program sends an event over the HTTP API
//	agent: TEXT           the agent replies
//	heard: TEXT           the server shows the text of a recording
//	sound: TEXT           the agent speaks; the sound of the tests is the text
//	step: KIND            the agent shows a step of its reasoning
func (u *User) Plays(line Line) bool {
	u.t.Helper()
	switch line.Kind {
	case "user":
		u.Says(line.Text)
	case "file":
		name, rest, _ := strings.Cut(line.Text, " ")
		mediaType, content, _ := strings.Cut(rest, " ")
		u.sends(payload.UserFile, payload.NewFile(name, mediaType, []byte(content)))
	case "voice":
		u.sends(payload.UserVoice, []byte(line.Text))
	case "peer":
		u.sends(payload.ReplyStr, line.Text)
	case "event":
		name, data, _ := strings.Cut(line.Text, " ")
		u.dispatch(name, data)
	case "agent", "heard", "sound", "step":
		if got := u.nextLine(); got != line {
			u.t.Fatalf("the conversation has %s: %s, want %s: %s", got.Kind, got.Text, line.Kind, line.Text)
		}
	default:
		return false
	}
	return true
}

// nextLine returns the next frame as a line.
func (u *User) nextLine() Line {
	u.t.Helper()
	f := u.Frame()
	switch f.Action {
	case payload.UserMessage:
		return Line{"heard", text(f)}
	case payload.ReplyAudio:
		var sound payload.Audio
		if err := json.Unmarshal(f.Message, &sound); err != nil {
			u.t.Fatal(err)
		}
		samples, err := base64.StdEncoding.DecodeString(sound.Base64)
		if err != nil {
			u.t.Fatal(err)
		}
		return Line{"sound", strings.TrimRight(string(samples), "\x00")}
	case payload.ReplyReasoningStep:
		var step payload.ReasoningStep
		if err := json.Unmarshal(f.Message, &step); err != nil {
			u.t.Fatal(err)
		}
		return Line{"step", string(step.Kind)}
	case payload.ReplyRAG:
		var answer payload.RAGMessage
		if err := json.Unmarshal(f.Message, &answer); err != nil {
			u.t.Fatal(err)
		}
		return Line{"agent", cited(answer)}
	}
	return Line{"agent", text(f)}
}

// cited returns an answer with the titles of its cited passages.
func cited(a payload.RAGMessage) string {
	var titles []string
	seen := map[int]bool{}
	for _, s := range a.Sentences {
		for _, n := range s.Docs {
			if n >= 1 && n <= len(a.Docs) && !seen[n] {
				seen[n] = true
				titles = append(titles, a.Docs[n-1].Metadata.Title)
			}
		}
	}
	return fmt.Sprintf("%s (%s)", strings.TrimSpace(a.Answer), strings.Join(titles, ", "))
}

// sends sends a frame.
func (u *User) sends(action payload.Action, message any) {
	u.t.Helper()
	content, err := json.Marshal(message)
	if err != nil {
		u.t.Fatal(err)
	}
	if err := u.conn.Send(u.ctx, payload.Frame{Action: action, Message: content}); err != nil {
		u.t.Fatal(err)
	}
}

// dispatch sends an event of a program to the session.
func (u *User) dispatch(name, data string) {
	u.t.Helper()
	body, err := json.Marshal(map[string]any{"name": name, "data": json.RawMessage(data)})
	if err != nil {
		u.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(u.ctx, http.MethodPost, u.url+"/api/sessions/"+session+"/events", bytes.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		u.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		u.t.Fatalf("the event %s got status %d", name, res.StatusCode)
	}
}
