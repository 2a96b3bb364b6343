package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestSourceThatEndsDocent kills a server twice while it reads a source. The third
// server pauses the source and says why. A person resumes it.
func TestSourceThatEndsDocent(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}))
	t.Cleanup(site.Close)
	reading := func() {
		t.Helper()
		select {
		case <-asked:
		case <-time.After(patience):
			t.Fatal("docent does not read the source")
		}
	}
	env := []string{"DOCENT_DATA=" + dataFolder(t)}
	docent(t, env, 0, "source", "add", "web", site.URL+"/page", "--name", "site", "--every", "1h", "--sources-private")
	for range 2 {
		server, _ := serve(t, env, "--sources-private")
		reading()
		server.kill(t)
	}
	_, at := serve(t, env, "--sources-private")
	var list struct {
		Sources []struct {
			ID       int64  `json:"id"`
			Status   string `json:"status"`
			Paused   bool   `json:"paused"`
			LastSync *struct {
				Error    string `json:"error"`
				Sentence struct {
					ID string `json:"id"`
				} `json:"sentence"`
			} `json:"last_sync"`
		} `json:"sources"`
	}
	eventually(t, "the source is shown as failed", func() bool {
		getJSON(t, at+"/api/sources", &list)
		return list.Sources[0].Status == "failed"
	})
	if s := list.Sources[0]; !s.Paused || s.LastSync == nil || s.LastSync.Sentence.ID != "source_stopped" {
		t.Errorf("the source is %+v", s)
	}
	select {
	case <-asked:
		t.Error("docent read the source a third time")
	default:
	}
	if out := docent(t, env, 0, "source", "ls"); !strings.Contains(out, "failed: site: docent ended twice") {
		t.Errorf("the list is %s", out)
	}
	docent(t, env, 1, "source", "sync", "site", "--sources-private")
	docent(t, env, 0, "source", "resume", "site")
	reading()
}
