package api

import (
	"context"
	"errors"
	"strings"
	"testing"

	"docent/agent"
	"docent/agent/session/journal"
	"docent/auth/audit"
	"docent/internal/fault"
)

// memoryLog is an AuditLog in memory. It fails if broken is set.
type memoryLog struct {
	records []string
	broken  error
}

func (l *memoryLog) Add(_ context.Context, r audit.Record) error {
	if l.broken == nil {
		l.records = append(l.records, r.Actor+" "+string(r.Action)+" "+r.Object)
	}
	return l.broken
}

func (l *memoryLog) Records(context.Context, audit.Query) ([]audit.Record, error) {
	return nil, l.broken
}

// TestReadings checks that each reading is recorded before it is answered, and that
// nobody reads without a record or without the setting.
func TestReadings(t *testing.T) {
	t.Parallel()
	w, log := newWorld(), &memoryLog{}
	w.sessions = []journal.SessionRecord{{RowID: 7, Key: journal.SessionKey{Agent: "docent", ID: "s"}, Owner: "user:ada", Seq: 1, Name: "Pumps"}}
	w.messages[7] = []agent.ChatMessage{{Seq: 1, Turn: 1, Type: "str", Content: []byte(`"secret"`), IsUser: true}}
	c := w.serve(t, func(cfg *Config) { cfg.ReadConversations, cfg.Audit = true, log })
	const all, root = "/api/admin/conversations", "user:root admin"
	paths := []string{all + "?owner=user:ada", all + "/s/messages", all + "/s/export"}
	for _, path := range paths {
		if resp, body := c.do("GET", path, "", "As", root); resp.StatusCode != 200 || !strings.Contains(body, "secret") && !strings.Contains(body, "Pumps") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
		c.wantError(403, fault.Forbidden, "scope admin", "GET", path, "", "As", "user:ada ask ingest")
	}
	want := "user:root conversations.listed user:ada, user:root conversation.read s, user:root conversation.exported s"
	if got := strings.Join(log.records, ", "); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
	c.wantError(404, fault.NotFound, "there is no such session", "GET", all+"/none/messages", "", "As", root)

	log.broken = fault.Wrap(fault.Unavailable, errors.New("full"), "test_sentence", "the disk is full")
	for _, path := range paths {
		c.wantError(503, fault.Unavailable, "the disk is full", "GET", path, "", "As", root)
	}
	off := w.serve(t)
	for _, path := range append(paths, all+"/none/messages") {
		off.wantError(403, fault.Forbidden, "--read-conversations", "GET", path, "", "As", root)
	}
}
