package typed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/payload"
)

// tooLongToShow replaces a message that is too long for the response to history.
const tooLongToShow = "(too long to show)"

// shownHistory bounds the messages in the response to history.
const shownHistory = 50

// command is a command that a client may send.
type command struct {
	// name is the content of the client's message.
	name string
	// help describes the command to people.
	help string
	// run returns the response.
	run func(t *Talk, ctx context.Context) (answer, error)
}

// answer is the response to a command.
type answer struct {
	// words and data are the content and the data of the message.
	words string
	data  any
	// then runs after the response, so that the client receives its effects later;
	// nil if there is nothing to do.
	then func() error
}

// commands returns all commands in the order of the documentation.
func commands() []command {
	return []command{
		{"reset", "stop the running answer, forget the conversation, and begin again", (*Talk).reset},
		{"history", "show the newest messages of the conversation, at most 50", (*Talk).history},
		{"status", "show whether an answer is running and how many queries wait", (*Talk).status},
		{"stop", "stop the running answer; without one, drop the query that has waited longest", (*Talk).stop},
		{"help", "list these commands", (*Talk).help},
	}
}

// command runs a command before all waiting queries.
func (t *Talk) command(ctx context.Context, name string) error {
	names := []string{}
	for _, known := range commands() {
		if known.name != name {
			names = append(names, known.name)
			continue
		}
		a, err := known.run(t, ctx)
		if err != nil {
			return err
		}
		m := payload.NewTyped(payload.TypedResponse, a.words, time.Now())
		m.Kind, m.Data = name, a.data
		t.send(m)
		if a.then != nil {
			return a.then()
		}
		return nil
	}
	return fault.New(fault.Invalid, "commands_known", "the commands are %s", strings.Join(names, ", "))
}

type resetData struct {
	SessionID string `json:"session_id"`
}

func (t *Talk) reset(ctx context.Context) (answer, error) {
	return answer{"Beginning again.", resetData{t.sessionID()}, func() error { return t.c.Session().Reset(ctx) }}, nil
}

// historyData is one message of a conversation.
type historyData struct {
	Role      string `json:"role"` // user or assistant
	Content   string `json:"content"`
	Timestamp string `json:"timestamp"`
}

type historyList struct {
	Messages []historyData `json:"messages"`
}

func (t *Talk) history(ctx context.Context) (answer, error) {
	messages, err := t.c.Session().Recent(ctx, shownHistory)
	if err != nil {
		return answer{}, err
	}
	var lines []string
	list := historyList{Messages: []historyData{}}
	for _, stored := range messages {
		frame, ok := journal.Replay(stored)
		if !ok {
			continue
		}
		role := "assistant"
		if stored.IsUser {
			role = "user"
		}
		m := payload.NewTyped("", tooLongToShow, frame.Time)
		if len(stored.Content) > 0 {
			m.Content = reply(frame).Content
		}
		list.Messages = append(list.Messages, historyData{role, m.Content, m.Timestamp})
		lines = append(lines, role+": "+m.Content)
	}
	if len(lines) == 0 {
		return answer{"Nothing has been said yet.", list, nil}, nil
	}
	return answer{strings.Join(lines, "\n"), list, nil}, nil
}

type statusData struct {
	SessionID string `json:"session_id"`
	Busy      bool   `json:"busy"`
	Waiting   int    `json:"waiting"`
}

func (t *Talk) status(context.Context) (answer, error) {
	p := t.c.Session().Progress()
	data := statusData{t.sessionID(), p.Running != 0, len(p.Waiting)}
	words := "No answer is being made"
	if data.Busy {
		words = "An answer is being made"
	}
	return answer{fmt.Sprintf("%s; %d waiting.", words, data.Waiting), data, nil}, nil
}

type stopData struct {
	Turn *int64 `json:"turn"` // null if there was nothing to stop
}

func (t *Talk) stop(ctx context.Context) (answer, error) {
	p := t.c.Session().Progress()
	turn := p.Running
	if turn == 0 && len(p.Waiting) > 0 {
		turn = p.Waiting[0]
	}
	if turn == 0 {
		return answer{"There is nothing to stop.", stopData{}, nil}, nil
	}
	return answer{"Stopping.", stopData{&turn}, func() error { return t.c.Session().Stop(ctx, turn) }}, nil
}

type helpData struct {
	Commands []helpLine `json:"commands"`
}

type helpLine struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (t *Talk) help(context.Context) (answer, error) {
	var data helpData
	var lines []string
	for _, known := range commands() {
		data.Commands = append(data.Commands, helpLine{known.name, known.help})
		lines = append(lines, known.name+": "+known.help)
	}
	return answer{strings.Join(lines, "\n"), data, nil}, nil
}
