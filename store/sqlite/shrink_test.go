package sqlite_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"docent/agent/chat"
	"docent/agent/session/journal"
	"docent/payload"
	"docent/store/sqlite"
)

// TestDeletedSessionsFreeTheDisk checks that the file gets smaller when a
// conversation with large files is deleted.
func TestDeletedSessionsFreeTheDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "docent.db")
	s := open(t, sqlite.Config{Path: path})
	key := journal.SessionKey{Agent: "a", ID: "s"}
	record, _, err := s.OpenSession(t.Context(), journal.SessionRecord{Key: key, Platform: "p"})
	if err != nil {
		t.Fatal(err)
	}
	content := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("docent"), 1<<18))
	for range 8 {
		file, err := json.Marshal(payload.File{Name: "a", Type: "text/plain", Base64: content})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Receive(t.Context(), journal.Incoming{
			Session: record.RowID, Event: journal.NewEvent(&chat.Event{Name: chat.EventMessage, Human: true}),
			Type: payload.TypeStr, Content: file,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeleteSession(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // writes the log into the file
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 2<<20 {
		t.Errorf("the file has %d bytes after 16 MiB were deleted", info.Size())
	}
}
