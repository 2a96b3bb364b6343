package servertest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docent/agent"
	"docent/internal/servertest"
)

// attach attaches a text file to a conversation.
func (s *site) attach(t *testing.T, by who, session, name, content string) (*http.Response, string) {
	t.Helper()
	return by.Request(t, http.MethodPost, s.URL+"/api/sessions/"+session+"/files",
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\""+name+"\"\r\n\r\n"+content+"\r\n--x--\r\n",
		"Content-Type", "multipart/form-data; boundary=x")
}

// attached returns the response that lists the files of a conversation.
func (s *site) files(t *testing.T, by who, session string) string {
	t.Helper()
	_, body := by.Request(t, http.MethodGet, s.URL+"/api/sessions/"+session+"/files", "")
	return body
}

// TestFileLimits checks the number of files of a conversation and the size of their texts. A removed file makes room.
func TestFileLimits(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		owner := s.Person("user owner")
		for i := range agent.MaxDocuments {
			if resp, body := s.attach(t, owner, "many", fmt.Sprintf("note%d.md", i), "The pump stops."); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"passages":1`) {
				t.Fatalf("file %d: %d %s", i+1, resp.StatusCode, body)
			}
		}
		_, body := s.attach(t, owner, "many", "last.md", "The pump stops.")
		if list := s.files(t, owner, "many"); strings.Contains(list, "last.md") || strings.Count(list, `"name"`) != agent.MaxDocuments {
			t.Errorf("one file too many: %s, then %s", body, list)
		}
		_, stored := owner.Request(t, http.MethodGet, s.URL+"/api/sessions/many/messages", "")
		if want := fmt.Sprintf("already has %d files", agent.MaxDocuments); !strings.Contains(stored, want) {
			t.Errorf("the conversation does not say %q: %.2000s", want, stored)
		}
		if resp, body := owner.Request(t, http.MethodDelete, s.URL+"/api/sessions/many/files/1", ""); resp.StatusCode != http.StatusNoContent {
			t.Fatalf("removing: %d %s", resp.StatusCode, body)
		}
		if _, body := s.attach(t, owner, "many", "last.md", "The pump stops."); !strings.Contains(body, `"passages":1`) {
			t.Errorf("after the removal: %s", body)
		}

		text := strings.Repeat("The feed pump stops at noon, and starts again at one.\n\n", (agent.MaxDocumentBytes>>1)/54)
		for i, name := range []string{"first.md", "second.md"} {
			_, body := s.attach(t, owner, "large", name, text)
			if there := strings.Contains(s.files(t, owner, "large"), name); there != (i == 0) {
				t.Errorf("%s is stored: %v, %.300s", name, there, body)
			}
		}
		if _, stored := owner.Request(t, http.MethodGet, s.URL+"/api/sessions/large/messages", ""); !strings.Contains(stored, "there is no room for second.md") {
			t.Errorf("the conversation does not say that there is no room: %.500s", stored)
		}
	})
}

// TestFileQuota checks that the bytes of attached files count for their owner.
func TestFileQuota(t *testing.T) {
	t.Parallel()
	notAtMidnight(t)
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Settings: map[string]string{"quota.bytes": "4KiB"}})
		owner, other := s.Person("user owner"), s.Person("user other")
		text := strings.Repeat("The pump stops at noon. ", 100)
		if resp, body := s.attach(t, owner, "mine", "one.md", text); resp.StatusCode != http.StatusOK {
			t.Fatalf("below the limit: %d %s", resp.StatusCode, body)
		}
		resp, body := s.attach(t, owner, "mine", "two.md", text)
		wantExceeded(t, resp, body, "quota_bytes")
		if list := s.files(t, owner, "mine"); strings.Contains(list, "two.md") {
			t.Errorf("the refused file is stored: %s", list)
		}
		if resp, body := s.attach(t, other, "other", "one.md", text); resp.StatusCode != http.StatusOK {
			t.Errorf("another user: %d %s", resp.StatusCode, body)
		}
	})
}
