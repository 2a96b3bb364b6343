package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docent/auth/rights"
	"docent/ingest/intake"
	"docent/ingest/source"
	"docent/ingest/work"
	"docent/internal/fault"
	"docent/internal/servertest"
	"docent/rag/corpus"
)

// asked is the answer to a wish to read documents again.
type asked struct {
	Queued, Syncs int
	LeftOut       int `json:"left_out"`
	Reason        *struct{ ID string }
}

func (s *site) askAgain(t *testing.T, w who, path, body string) asked {
	t.Helper()
	resp, got := w.Request(t, http.MethodPost, s.URL+path, body, asJSON...)
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("%s: %d %s", path, resp.StatusCode, got)
	}
	var a asked
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// status returns the status of a document.
func (s *site) status(t *testing.T, w who, id int64) string {
	t.Helper()
	var d struct{ Status string }
	_, body := w.Request(t, http.MethodGet, fmt.Sprintf("%s/api/documents/%d", s.URL, id), "")
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	return d.Status
}

// ended returns the ended work as KIND STATE NAME.
func (s *site) ended(t *testing.T, w who) (out []string) {
	t.Helper()
	var list struct {
		Items []struct{ Kind, State, Name string }
	}
	_, body := w.Request(t, http.MethodGet, s.URL+"/api/work", "")
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	for _, it := range list.Items {
		if it.State != "running" && it.State != "queued" {
			out = append(out, it.Kind+" "+it.State+" "+it.Name)
		}
	}
	return out
}

// putFailed stores a document whose reading failed, with its original.
func (s *site) putFailed(t *testing.T, collection, from string, original string) int64 {
	t.Helper()
	put := intake.Put{Document: corpus.Document{
		Collection: collection, Source: from, Title: strings.TrimPrefix(from, "upload:"), Status: corpus.Failed,
		Error: fault.NewText("document_failed", "docent failed to read it; the log has the details"),
	}}
	if original != "" {
		put.Original = []byte(original)
	}
	ids, err := s.DB.Documents.PutDocuments(t.Context(), []intake.Put{put})
	if err != nil {
		t.Fatal(err)
	}
	return ids[0]
}

// TestRetry: failed uploads are read from their originals, failed documents of a source from the source, and other ones
// with a reason not at all. Managers see only the work in their collections.
func TestRetry(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		root, manager := s.Person("user root"), s.Person("user both")
		for collection, level := range map[string]rights.Level{"default": rights.Manage, "vault": rights.None} {
			for subject, l := range map[string]rights.Level{"user:both": level, "user:root": rights.Manage} {
				if err := s.DB.Rights.SetRight(t.Context(), collection, rights.Grant{Subject: subject, Level: l}); err != nil {
					t.Fatal(err)
				}
			}
		}
		upload := s.putFailed(t, "default", "upload:pump.md", "# Pump\n\nThe pump stops at noon.")
		secret := s.putFailed(t, "vault", "upload:plan.md", "# Plan")
		file := s.putFailed(t, "default", "/srv/lost.md", "")
		page := s.putFailed(t, "default", "https://x.test/page", "")
		of, err := s.DB.Sources.AddSource(t.Context(), source.Record{
			Name: "site", Kind: "web", Location: "http://127.0.0.1:1/", Collection: "default", Schedule: source.Manual,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.DB.Items.PutSourceItems(t.Context(), of, []source.ItemRecord{
			{Key: "page", Document: "https://x.test/page", Status: source.Failed},
		}); err != nil {
			t.Fatal(err)
		}

		got := s.askAgain(t, manager, "/api/documents/retry", fmt.Sprintf(`{"ids":[%d,%d,%d,%d]}`, upload, secret, file, page))
		if got.Queued != 1 || got.Syncs != 1 || got.LeftOut != 1 || got.Reason == nil || got.Reason.ID != "retry_on_server" {
			t.Errorf("the manager's wish: %+v", got)
		}
		eventually(t, "the upload is read", func() bool { return s.status(t, root, upload) == "ready" })
		eventually(t, "its work and that of the source end", func() bool { return len(s.ended(t, manager)) >= 2 })
		all := strings.Join(s.ended(t, manager), "\n")
		if !strings.Contains(all, "retry done pump.md") || !strings.Contains(all, "sync failed site") {
			t.Errorf("the manager sees the work %s", all)
		}
		if s.status(t, root, secret) != "failed" {
			t.Error("a manager reads a document of another collection again")
		}
		// An administrator reads all that failed.
		got = s.askAgain(t, root, "/api/documents/retry", `{"reason":"document_failed"}`)
		if got.Queued != 1 || got.LeftOut != 1 {
			t.Errorf("the administrator's wish: %+v", got)
		}
		eventually(t, "the document of the vault is read", func() bool { return s.status(t, root, secret) == "ready" })
		for _, line := range s.ended(t, manager) {
			if strings.Contains(line, "plan.md") {
				t.Errorf("the manager sees %s", line)
			}
		}
		if got := s.askAgain(t, root, "/api/documents/read-again", fmt.Sprintf(`{"ids":[%d]}`, upload)); got.Queued != 1 {
			t.Errorf("read again: %+v", got)
		}
		eventually(t, "it is read again", func() bool {
			return strings.Contains(strings.Join(s.ended(t, root), "\n"), "read_again done")
		})
		_, log := root.Request(t, http.MethodGet, s.URL+"/api/admin/log", "")
		for _, action := range []string{"documents.retried", "documents.read_again"} {
			if !strings.Contains(log, action) {
				t.Errorf("the log lacks %s", action)
			}
		}
	})
}

// TestFailedUpload: an upload that cannot be read keeps its file, and its work says why it failed.
func TestFailedUpload(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		root := s.Person("user root")
		const broken = "%PDF-1.7 cut off"
		body := strings.Replace(strings.Replace(form, "note.txt", "half.pdf", 1), "The pump stops at noon.", broken, 1)
		_, got := root.Request(t, http.MethodPost, s.URL+"/api/documents", body, "Content-Type", "multipart/form-data; boundary=x")
		var uploaded struct {
			Results []struct {
				Status     string
				DocumentID int64 `json:"document_id"`
			}
		}
		if err := json.Unmarshal([]byte(got), &uploaded); err != nil || len(uploaded.Results) != 1 || uploaded.Results[0].Status != "failed" {
			t.Fatalf("upload: %s", got)
		}
		id := uploaded.Results[0].DocumentID
		if _, kept := root.Request(t, http.MethodGet, fmt.Sprintf("%s/api/documents/%d/file", s.URL, id), ""); kept != broken {
			t.Errorf("the kept file is %q", kept)
		}
		if all := s.ended(t, root); len(all) != 1 || all[0] != "upload failed half.pdf" {
			t.Errorf("work: %v", all)
		}
		if got := s.askAgain(t, root, "/api/documents/retry", `{"collection":"default"}`); got.Queued != 1 {
			t.Errorf("retry: %+v", got)
		}
		eventually(t, "the retry fails too", func() bool {
			all := s.ended(t, root)
			return len(all) == 2 && strings.HasPrefix(all[0], "retry failed ")
		})
		resp, _ := root.Request(t, http.MethodDelete, fmt.Sprintf("%s/api/documents/%d", s.URL, id), "")
		if resp.StatusCode != http.StatusNoContent {
			t.Errorf("delete: %d", resp.StatusCode)
		}
		if _, err := s.DB.Library.Original(t.Context(), id); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the file of a deleted document: %v", err)
		}
	})
}

// TestWorkSurvives: readings whose process was killed are done by the next one, and its other work ends.
func TestWorkSurvives(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		root := s.Person("user root")
		id := s.putFailed(t, "default", "upload:pump.md", "# Pump\n\nThe pump stops at noon.")
		s.Stop()
		if _, err := s.DB.Work.QueueWork(t.Context(), work.Retry, []int64{id}, ""); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		killed := work.Lease{Owner: "killed", Now: now, Until: now} // it has expired
		if _, ok, err := s.DB.Work.ClaimWork(t.Context(), killed); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if _, err := s.DB.Work.BeginWork(t.Context(), work.Item{Kind: work.Upload, Collection: "default", Name: "half.pdf"}, killed); err != nil {
			t.Fatal(err)
		}
		s.Restart()
		eventually(t, "the document is read", func() bool { return s.status(t, root, id) == "ready" })
		eventually(t, "nothing stays running", func() bool {
			all := strings.Join(s.ended(t, root), "\n")
			return strings.Contains(all, "retry done pump.md") && strings.Contains(all, "upload failed half.pdf")
		})
	})
}
