package dialog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/session"
	"docent/cmd/docent/dialog"
	"docent/payload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run holds a conversation with an agent and returns its text.
func run(t *testing.T, a *agent.Agent, patience time.Duration, in string) string {
	t.Helper()
	var out bytes.Buffer
	k := dialog.New(dialog.Config{Agent: "a", Out: &out, Patience: patience})
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: k.Watch(agenttest.NewStore()), RAG: &agenttest.Answers{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(t.Context(), rt, strings.NewReader(in)); err != nil {
		t.Error(err)
	}
	if err := rt.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	return out.String()
}

// TestLongLine refuses a line that is too long, and goes on.
func TestLongLine(t *testing.T) {
	t.Parallel()
	a := agent.New("a")
	start, echo := a.State("start", agent.Initial), a.State("echo")
	start.OnMessage().GoTo(echo)
	echo.Body(func(ctx context.Context, s *agent.Session) error {
		return s.Reply(ctx, fmt.Sprint(len(s.Message()), " bytes"))
	})
	echo.GoTo(start)
	limit := strings.Repeat("x", agent.MaxTextBytes)
	got := run(t, a, time.Minute, limit+"y\r\n"+limit+"\nhi")
	for _, want := range []string{
		fmt.Sprintf("> error: a message may have %d bytes\n> ", agent.MaxTextBytes), fmt.Sprintf("a: %d bytes\n", agent.MaxTextBytes), "a: 2 bytes\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestReplies shows all kinds of replies.
func TestReplies(t *testing.T) {
	t.Parallel()
	table, err := payload.NewDataFrameRows([]string{"n"}, []any{1})
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New("a")
	start, all := a.State("start", agent.Initial), a.State("all")
	start.OnMessage().GoTo(all)
	all.Body(func(ctx context.Context, s *agent.Session) error {
		return errors.Join(
			s.Reply(ctx, "two\nlines"), s.ReplyOptions(ctx, "Yes", "No"), s.ReplyDataFrame(ctx, table),
			s.ReplyFile(ctx, payload.NewFile("a.txt", "text/plain", nil)), s.ReplyImage(ctx, payload.Image("\xff\xd8\xff")),
			s.ReplyLocation(ctx, 1, 2), s.ReplyUI(ctx, strings.Repeat("é", 2000)), s.Set("n", 1),
		)
	})
	all.WhenVariable("n", agent.Equal, 1).GoTo(start)
	got := run(t, a, time.Minute, "hello\n")
	for _, want := range []string{
		"  state start\n> ", "state start → all (receive_message)\n", "a: two\n  lines\n", "a: options: Yes | No\n",
		"a: | n |\n  | --- |\n  | 1 |\n", "a: [file a.txt, text/plain]\n", "a: [image]\n", `a: [location] {"latitude":1,"longitude":2}` + "\n",
		"é…\n", "> \n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestNoAnswer goes on if a state takes no messages, and shows errors of bodies.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	a := agent.New("a")
	a.State("start", agent.Initial)
	if got := run(t, a, time.Millisecond, "hello\nand again\n"); strings.Count(got, "no answer yet") != 2 {
		t.Errorf("shown is\n%s", got)
	}
	a = agent.New("a")
	start, bad := a.State("start", agent.Initial), a.State("bad")
	start.OnMessage().GoTo(bad)
	bad.Body(func(context.Context, *agent.Session) error { return io.ErrUnexpectedEOF })
	if got := run(t, a, time.Minute, "hello\n"); !strings.Contains(got, "error: something went wrong here") {
		t.Errorf("shown is\n%s", got)
	}
}
