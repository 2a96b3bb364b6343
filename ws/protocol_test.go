package ws

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/assistant"
	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/internal/fault"
	"docent/internal/wstest"
)

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func TestDocumentedErrorCodes(t *testing.T) {
	t.Parallel()
	rows := wstest.Table(t, filepath.Join("..", "docs", "reference", "websocket.md"), "### Error codes")
	if len(rows) != len(fault.Kinds()) {
		t.Fatalf("%d codes are documented, there are %d", len(rows), len(fault.Kinds()))
	}
	for i, kind := range fault.Kinds() {
		want := []string{string(kind), yes(kind.Retryable()), fmt.Sprint(kind.HTTPStatus())}
		if !slices.Equal(rows[i][:3], want) || rows[i][3] == "" {
			t.Errorf("row %v, want %v", rows[i], want)
		}
	}
}

func TestDocumentedCloseCodes(t *testing.T) {
	t.Parallel()
	rows := wstest.Table(t, filepath.Join("..", "docs", "reference", "websocket.md"), "## Close codes")
	if len(rows) != len(CloseCodes()) {
		t.Fatalf("%d codes are documented, there are %d", len(rows), len(CloseCodes()))
	}
	for i, c := range CloseCodes() {
		want := []string{fmt.Sprint(c.Code), yes(c.Reconnect()), c.Reason, c.Meaning}
		if !slices.Equal(rows[i], want) {
			t.Errorf("row  %q\nwant %q", rows[i], want)
		}
		if ours := c.Code >= 4000; ours && (c.Reconnect() != (c.Code < 4500) || c.Code > 4599) {
			t.Errorf("%d is in the range of another meaning", c.Code)
		}
		if len(c.Reason) > 123 {
			t.Errorf("%d: the reason does not fit a close frame", c.Code)
		}
	}
}

// The numbers in docs/reference/websocket.md are the defaults.
func TestDocumentedLimits(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "docs", "reference", "websocket.md"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := assistant.New(assistant.Config{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := session.NewRuntime(session.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Runtime: rt}
	if err := c.defaults(); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, want := range []string{
		fmt.Sprintf("text of a user message (`message_bytes` in `welcome`) | %d KiB |", agent.MaxTextBytes>>10),
		fmt.Sprintf(`"message_bytes":%d,"frame_bytes":%d`, agent.MaxTextBytes, c.FrameBytes),
		fmt.Sprintf("other messages, as JSON | %d KiB |", c.MessageBytes>>10),
		fmt.Sprintf("frame (`frame_bytes` in `welcome`) | %d MiB |", c.FrameBytes>>20),
		fmt.Sprintf("frames per second of a client | %g, and %d at once |", c.Rate, c.Burst),
		fmt.Sprintf("pings every %g seconds", c.PingEvery.Seconds()),
		fmt.Sprintf("sent no frame for %g seconds", c.Silence.Seconds()),
		fmt.Sprintf("within %g seconds and in a frame of at most %d KiB", c.fixed.HelloTimeout.Seconds(), helloBytes>>10),
		fmt.Sprintf("from %d to %d, `comment`", -journal.MaxRating, journal.MaxRating),
		fmt.Sprintf("a text of at most %d KiB, as a notification", agent.MaxTextBytes>>10),
		fmt.Sprintf("the first %d MiB of the text and the newest %d steps", journal.MaxStreamed>>20, journal.MaxSnapshotSteps),
		fmt.Sprintf("file or recording, in base64 | %d MiB |", c.FileBytes>>20),
		fmt.Sprintf("memory of all messages over %d KiB that are being received | %d MiB |", longMessage>>10, c.fixed.UploadBytes>>20),
		fmt.Sprintf("transfer rate of a message | %d KiB per second, measured over %g seconds |", minUpload>>10, stallAfter.Seconds()),
		fmt.Sprintf("the outbox (%d MiB, or %d MiB of frames over %d KiB)", c.OutboxBytes>>20, c.fixed.LongOutboxBytes>>20, longMessage>>10),
		fmt.Sprintf("at most %d bytes and no control", journal.MaxNameBytes),
		fmt.Sprintf("At most %d,000 variables, %d MiB", agent.MaxVariables/1000, agent.MaxVariableBytes>>20),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/reference/websocket.md does not say %q", want)
		}
	}
}
