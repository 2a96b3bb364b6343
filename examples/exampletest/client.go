// Package exampletest tests the agents of the examples as a user.
package exampletest

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"docent"
	"docent/client"
	"docent/payload"
)

// patience bounds each wait of a test.
const patience = time.Minute

// session is the id of the conversation of a User.
const session = "example"

// User is a client of an example's agent.
type User struct {
	t    *testing.T
	url  string
	ctx  context.Context
	conn *client.Conn
	next func() (payload.Frame, error, bool)
}

// Serve runs an example for the length of a test and connects to it. run gets options
// with a free port and an empty data folder.
func Serve(t *testing.T, run func(context.Context, docent.Options) error, flags ...string) *User {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	at, ended := make(chan string, 1), make(chan error, 1)
	opts := docent.Options{
		Args:   append([]string{"--addr=127.0.0.1:0", "--data=" + t.TempDir()}, flags...),
		Output: io.Discard,
		Ready:  func(url string) { at <- url },
	}
	go func() { ended <- run(ctx, opts) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the example ended: %v", err)
		}
	})
	select {
	case url := <-at:
		return Dial(t, url)
	case err := <-ended:
		ended <- nil
		t.Fatalf("the example did not start: %v", err)
		return nil
	}
}

// Dial connects to an agent for the length of a test.
func Dial(t *testing.T, url string) *User {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	conn, err := client.Dial(ctx, client.Config{URL: "ws" + strings.TrimPrefix(url, "http"), SessionID: session})
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(conn.Frames())
	t.Cleanup(func() {
		stop()
		conn.Close()
	})
	u := &User{t: t, url: url, ctx: ctx, conn: conn}
	u.next = func() (payload.Frame, error, bool) { return next() }
	return u
}

// Hears checks the next message of the agent. Text is compared as it is, other
// messages as JSON.
func (u *User) Hears(want ...string) {
	u.t.Helper()
	for _, w := range want {
		if got := text(u.Frame()); got != w {
			u.t.Fatalf("the agent says %q, want %q", got, w)
		}
	}
}

// Frame returns the next frame.
func (u *User) Frame() payload.Frame {
	u.t.Helper()
	f, err, ok := u.next()
	if !ok || err != nil {
		u.t.Fatalf("the agent is gone: %v", err)
	}
	return f
}

// Says sends a message.
func (u *User) Says(message string) {
	u.t.Helper()
	u.sends(payload.UserMessage, message)
}

func text(f payload.Frame) string {
	var s string
	if err := json.Unmarshal(f.Message, &s); err != nil {
		return string(f.Message)
	}
	return s
}

// URL returns the address of the agent's server.
func (u *User) URL() string { return u.url }
