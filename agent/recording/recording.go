// Package recording tests agents with recorded conversations. A recording is a text file
// with one line for each thing that happens:
//
//	# A comment.
//	user: What is the weather in Rome?
//	intent: weather
//	state: tell
//	agent: It is sunny in Rome.
//
// Some lines are sent to the agent, some must be what the agent does, and some script the
// models and tools. docs/how-to/test-agents.md lists all. A Player plays a recording.
package recording

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"docent/internal/fault"
)

// Limits of a recording.
const (
	// MaxBytes limits a recording.
	MaxBytes = 4 << 20
	// MaxLines limits its lines.
	MaxLines = 10_000
)

// The kinds of lines that are sent to the agent.
const (
	// User is a message of the user.
	User = "user"
	// Voice is a recording of the user. The next Transcript is its text.
	Voice = "voice"
	// UploadedFile is a file: its name, its media type, and its text.
	UploadedFile = "file"
	// Event is an event of a program: its name and its data as JSON.
	Event = "event"
	// Action is an action of the user in a user interface, as JSON.
	Action = "action"
	// Peer is a message of another agent.
	Peer = "peer"
	// Answer is a message of the agent that was asked last.
	Answer = "answer"
	// Variable is a variable that the client sets: its name and its value as JSON.
	Variable = "variable"
	// Wait is a time that passes on the clock of the agent, such as 5m.
	Wait = "wait"
)

// The kinds of lines that the agent must do.
const (
	// Agent is a reply.
	Agent = "agent"
	// Sound is a spoken reply.
	Sound = "sound"
	// Heard is the text of a Voice.
	Heard = "heard"
	// Step is the kind of a step of reasoning.
	Step = "step"
	// Sent is a message to another agent: its URL and the message.
	Sent = "sent"
	// Called is a call of a function or of an MCP tool: its name and its arguments as JSON.
	Called = "call"
	// Intent is the recognized intent, or none.
	Intent = "intent"
	// State is the state after the turn.
	State = "state"
	// Failure is the message of a failed turn.
	Failure = "error"
	// Prompt is a part of a request to the model, so far.
	Prompt = "prompt"
	// Goal is a part of a reply. Case does not matter. After an input with goals and without replies, all replies are right.
	Goal = "goal"
)

// The kinds of lines that prepare what the agent uses.
const (
	// Model is the next answer of the chat model, or "call NAME JSON" for a call of a tool.
	Model = "model"
	// Tool is the next result of a function or of an MCP tool: its name and the result.
	Tool = "tool"
	// Transcript is the text of the next Voice.
	Transcript = "transcript"
	// Document is a document of the library: its file name and its text.
	Document = "document"
)

var (
	inputs   = []string{User, Voice, UploadedFile, Event, Action, Peer, Answer, Variable, Wait}
	expected = []string{Agent, Sound, Heard, Step, Sent, Called, Intent, State, Failure, Prompt, Goal}
	scripted = []string{Model, Tool, Transcript, Document}
)

// Line is a line of a recording.
type Line struct {
	// Kind says what happens.
	Kind string
	// Text is the rest of the line. Further lines of a text begin with two spaces in the file.
	Text string
	// Number is the number of the line in the file, from 1; 0 outside of a file.
	Number int
}

// String returns the line as in a file.
func (l Line) String() string {
	return l.Kind + ": " + strings.ReplaceAll(l.Text, "\n", "\n  ")
}

// Recording is a recorded conversation.
type Recording struct {
	// Name is the name of the file.
	Name string
	// Lines are its lines without comments.
	Lines []Line

	apart bool // the answers of a part are only for this part
}

// Parse reads a recording. name is the name of its file in errors.
func Parse(name string, raw []byte) (Recording, error) {
	out := Recording{Name: name}
	if len(raw) > MaxBytes {
		return out, fault.New(fault.Invalid, "recording_too_large", "%s: a recording may have %d bytes", name, MaxBytes)
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, MaxBytes+1)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimRight(lines.Text(), " \t\r")
		if more, ok := strings.CutPrefix(text, "  "); ok && len(out.Lines) > 0 {
			out.Lines[len(out.Lines)-1].Text += "\n" + more
			continue
		}
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		kind, rest, ok := strings.Cut(text, ":")
		if !ok || !slices.Contains(slices.Concat(inputs, expected, scripted), kind) {
			return out, fault.New(fault.Invalid, "recording_line", "%s:%d: a line begins with one of %s, and a colon", name, n,
				strings.Join(slices.Concat(inputs, expected, scripted), ", "))
		}
		if len(out.Lines) == MaxLines {
			return out, fault.New(fault.Invalid, "recording_too_long", "%s: a recording may have %d lines", name, MaxLines)
		}
		out.Lines = append(out.Lines, Line{kind, strings.TrimPrefix(rest, " "), n})
	}
	if err := lines.Err(); err != nil {
		return out, fmt.Errorf("read %s: %w", name, err)
	}
	return out, nil
}

// Has reports whether the recording has lines of a kind.
func (r Recording) Has(kind string) bool {
	return slices.ContainsFunc(r.Lines, func(l Line) bool { return l.Kind == kind })
}

// Of returns the texts of the lines of a kind.
func (r Recording) Of(kind string) []string {
	var out []string
	for _, l := range r.Lines {
		if l.Kind == kind {
			out = append(out, l.Text)
		}
	}
	return out
}

// part is a line that is sent to the agent, and the lines that must follow.
type part struct {
	input      Line // the zero line at the beginning
	transcript string
	want       []Line
	script     []Line // the lines Model and Tool
}

// parts divides the lines into parts.
func (r Recording) parts() []part {
	out := []part{{}}
	transcript := ""
	for _, l := range r.Lines {
		switch {
		case l.Kind == Transcript:
			transcript = l.Text
		case slices.Contains(inputs, l.Kind):
			out = append(out, part{input: l, transcript: transcript})
		case slices.Contains(expected, l.Kind):
			last := &out[len(out)-1]
			last.want = append(last.want, l)
		case l.Kind == Model || l.Kind == Tool:
			last := &out[len(out)-1]
			last.script = append(last.script, l)
		}
	}
	return out
}

// Difference is a part of a recording that the agent did otherwise.
type Difference struct {
	// Name and Line are the file and the line of the input.
	Name string
	Line int
	// Input is the sent line; the zero Line for the greeting.
	Input Line
	// Want are the lines of the recording, and Got the lines of the agent.
	Want, Got []Line
}

// String shows the difference: the lines that are missing with "-", and new ones with "+".
func (d Difference) String() string {
	var b strings.Builder
	where := d.Name
	if d.Line > 0 {
		where = fmt.Sprintf("%s:%d", d.Name, d.Line)
	}
	if d.Input.Kind == "" {
		fmt.Fprintf(&b, "%s: the greeting\n", where)
	} else {
		fmt.Fprintf(&b, "%s: %s\n", where, d.Input)
	}
	same := common(d.Want, d.Got)
	i, j := 0, 0
	write := func(mark string, l Line) {
		b.WriteString("  " + mark + " " + strings.ReplaceAll(l.String(), "\n", "\n    ") + "\n")
	}
	for _, pair := range append(same, [2]int{len(d.Want), len(d.Got)}) {
		for ; i < pair[0]; i++ {
			write("-", d.Want[i])
		}
		for ; j < pair[1]; j++ {
			write("+", d.Got[j])
		}
		if i < len(d.Want) {
			write(" ", d.Want[i])
		}
		i, j = i+1, j+1
	}
	return b.String()
}

// maxCompared limits the lines of a part whose common lines are sought.
const maxCompared = 500

// common returns the positions of the longest common sequence of two lists of lines.
func common(a, b []Line) [][2]int {
	if len(a) > maxCompared || len(b) > maxCompared {
		return nil
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same(a[i], b[j]) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case same(a[i], b[j]):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// none reports that the agent did what the recording expects.
func (d Difference) none() bool { return slices.EqualFunc(d.Want, d.Got, same) }

func same(a, b Line) bool { return a.Kind == b.Kind && a.Text == b.Text }
