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
	rows := wstest.Table(t, filepath.Join("..", "docs", "protocol.md"), "### Error codes")
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
	rows := wstest.Table(t, filepath.Join("..", "docs", "protocol.md"), "## Close codes")
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

// The numbers in docs/protocol.md are the defaults.
func TestDocumentedLimits(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.NewAssistant(agent.AssistantConfig{})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := agent.NewRuntime(agent.RuntimeConfig{Agent: a, Store: agenttest.NewStore()})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Runtime: rt}
	if err := c.defaults(); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, want := range []string{
		fmt.Sprintf("at most %d KiB as text", agent.MaxTextBytes>>10),
		fmt.Sprintf(`"message_bytes":%d,"frame_bytes":%d`, agent.MaxTextBytes, c.FrameBytes),
		fmt.Sprintf("at most %d KiB as JSON", c.MessageBytes>>10),
		fmt.Sprintf("a frame %d MiB", c.FrameBytes>>20),
		fmt.Sprintf("%g frames a second, and %d at once", c.Rate, c.Burst),
		fmt.Sprintf("pings every %g seconds", c.PingEvery.Seconds()),
		fmt.Sprintf("heard for %g seconds", c.Silence.Seconds()),
		fmt.Sprintf("within %g seconds and in a frame of at most %d KiB", c.HelloTimeout.Seconds(), helloBytes>>10),
		fmt.Sprintf("from %d to %d, `comment`", -agent.MaxRating, agent.MaxRating),
		fmt.Sprintf("of at most %d KiB, as a notification", agent.MaxTextBytes>>10),
		fmt.Sprintf("the first %d MiB of the text and the newest %d steps", agent.MaxSnapshotText>>20, agent.MaxSnapshotSteps),
		fmt.Sprintf("a file or a recording at most %d MiB", c.FileBytes>>20),
		fmt.Sprintf("over %d KiB that are being received may hold %d MiB of memory together", longMessage>>10, c.UploadBytes>>20),
		fmt.Sprintf("less than %d KiB a second come for %g seconds", minUpload>>10, c.Stall.Seconds()),
		fmt.Sprintf("the outbox (%d MiB, or %d MiB of frames over %d KiB)", c.OutboxBytes>>20, c.LongOutboxBytes>>20, longMessage>>10),
		fmt.Sprintf("at most %d bytes and no control", agent.MaxNameBytes),
		fmt.Sprintf("At most %d,000 variables, %d MiB", agent.MaxVariables/1000, agent.MaxVariableBytes>>20),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/protocol.md does not say %q", want)
		}
	}
}
