package docent_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"

	"docent"
	"docent/agent/definition"
	"docent/client"
	"docent/payload"
)

// brought is an agent that answers from the files of its user alone.
const brought = `
name: brought
states:
  hear:
    initial: true
    on:
      - {file: any, to: keep}
      - {matches: ^forget, to: forget}
      - {matches: ^note, to: note}
      - {matches: ^library, to: publish}
      - {message: any, to: answer}
  keep: {body: [session_documents: add, reply: "I have read {{.message}} it."], then: hear}
  publish:
    body: [reply: "Send it."]
    on: [{file: any, to: add}, {event: other, to: hear}]
  add: {body: [add_document: {collection: fleet}, reply: Added.], then: ask}
  ask: {on: [{matches: ^back, to: hear}, {message: any, to: all}]}
  all: {body: [rag], then: hear}
  note: {body: [session_documents: {title: A note, text: "The anchor of the Zephyr weighs 7 tonnes. {{.message}}"}, reply: Noted.], then: hear}
  forget: {body: [session_documents: clear, reply: Forgotten.], then: hear}
  answer: {body: [session_rag], then: hear}
`

// visitor is a client of the agent.
type visitor struct {
	t      *testing.T
	ctx    context.Context
	conn   *client.Conn
	frames func() (payload.Frame, error, bool)
}

func visit(ctx context.Context, t *testing.T, url string) *visitor {
	t.Helper()
	conn, err := client.Dial(ctx, client.Config{URL: "ws" + strings.TrimPrefix(url, "http")})
	if err != nil {
		t.Fatal(err)
	}
	frames, stop := iter.Pull2(conn.Frames())
	t.Cleanup(func() { stop(); _ = conn.Close() })
	return &visitor{t: t, ctx: ctx, conn: conn, frames: frames}
}

// send sends a message, and returns the first reply.
func (v *visitor) send(action payload.Action, message any) string {
	v.t.Helper()
	raw, err := json.Marshal(message)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := v.conn.Send(v.ctx, payload.Frame{Action: action, Message: raw}); err != nil {
		v.t.Fatal(err)
	}
	f, err, ok := v.frames()
	if err != nil || !ok {
		v.t.Fatal(err)
	}
	return string(f.Message)
}

// TestSessionDocuments checks that a session has documents of its own: answers come
// from them alone, no other session finds them, and they can be forgotten.
func TestSessionDocuments(t *testing.T) {
	t.Parallel()
	d, err := docent.New(t.Context(), docent.Options{Args: []string{"--data=" + t.TempDir()}, Output: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	if err := d.Ingest(t.Context(), "examples/research/notes"); err != nil {
		t.Fatal(err)
	}
	def, err := definition.Parse(t.Context(), "brought.yaml", []byte(brought), definition.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := d.Start(t.Context(), def.Agent)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	ada, bob := visit(ctx, t, server.URL), visit(ctx, t, server.URL)
	page := "<html><title>Fleet</title><h1>Sails</h1><p>The mainsail of the Zephyr is 310 square metres.</p></html>"
	sent := payload.File{Name: "fleet.html", Type: "text/html", Base64: base64.StdEncoding.EncodeToString([]byte(page))}
	for _, step := range []struct {
		by       *visitor
		action   payload.Action
		message  any
		has, not string
	}{
		{ada, payload.UserMessage, "How large is the mainsail of the Zephyr?", "this conversation has no documents of its own yet", "310"},
		{ada, payload.UserFile, sent, "I have read", ""},
		{ada, payload.UserMessage, "How large is the mainsail of the Zephyr?", "310 square metres", ""},
		{ada, payload.UserMessage, "How large is the mainsail of the Zephyr?", `"title":"Fleet","heading":"Sails"`, `"document_id":1`},
		{ada, payload.UserMessage, "How long is the Borealis?", "I don't know", "88 metres"},
		{bob, payload.UserMessage, "How large is the mainsail of the Zephyr?", "this conversation has no documents of its own yet", "310"},
		{ada, payload.UserMessage, "note that it is heavy", "Noted.", ""},
		{ada, payload.UserMessage, "How much does the anchor of the Zephyr weigh?", "7 tonnes", ""},
		{ada, payload.UserFile, payload.File{Name: "a.exe", Type: "application/octet-stream", Base64: "TVqQAAMAAAAEAAAA"}, "have no text", "I have read"},
		{bob, payload.UserMessage, "library", "Send it.", ""},
		{bob, payload.UserFile, payload.NewFile("a.exe", "application/octet-stream", []byte("MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00")), "cannot be added", "Added"},
		{bob, payload.UserMessage, "How large is the mainsail of the Zephyr?", "I don't know", "310"},
		{bob, payload.UserMessage, "library", "Send it.", ""},
		{bob, payload.UserFile, sent, "Added.", ""},
		{bob, payload.UserMessage, "How large is the mainsail of the Zephyr?", "310 square metres", ""},
		{ada, payload.UserMessage, "forget them", "Forgotten.", ""},
		{ada, payload.UserMessage, "How large is the mainsail of the Zephyr?", "this conversation has no documents of its own yet", "310"},
	} {
		got := step.by.send(step.action, step.message)
		if !strings.Contains(got, step.has) || step.not != "" && strings.Contains(got, step.not) {
			t.Errorf("%v is answered with %s, want %s", step.message, got, step.has)
		}
	}
}
