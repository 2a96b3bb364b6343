package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docent/auth/rights"
	"docent/internal/servertest"
)

// keptQuestion is a kept question as the API shows it.
type keptQuestion struct {
	ID                           int64
	Question, Collection, Expect string
	File, Quote                  string
	Changed                      bool
	Last                         *struct{ Outcome, Verdict string }
}

// qualityPage is the answer of GET /api/insight/quality.
type qualityPage struct {
	Questions []keptQuestion
	Run       *struct {
		State                   string
		Questions, Done, Failed int
	}
}

// quality returns the kept questions as somebody sees them, and their sorted texts.
func (s *site) quality(t *testing.T, w who) (page qualityPage, texts []string) {
	t.Helper()
	_, body := w.Request(t, http.MethodGet, s.URL+"/api/insight/quality", "")
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatalf("quality of %s: %s", w.Name, body)
	}
	for _, q := range page.Questions {
		texts = append(texts, q.Question)
	}
	slices.Sort(texts)
	return page, texts
}

// TestQualityOfManagers keeps questions of two collections. The manager of one of them sees, changes, and asks its
// questions only, and with no more rights than in a search.
func TestQualityOfManagers(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		for subject, level := range map[string]rights.Level{"user:root": rights.Manage, "user:other": rights.Read} {
			if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: subject, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.DB.Rights.SetRight(t.Context(), "default", rights.Grant{Subject: "user:both", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		root, manager := s.Person("user root"), s.Person("user both")
		var page qualityPage
		list := func(w who) (texts []string) {
			page, texts = s.quality(t, w)
			return texts
		}
		keep := func(w who, question, collection string) int {
			t.Helper()
			resp, _ := w.Request(t, http.MethodPost, s.URL+"/api/insight/kept",
				fmt.Sprintf(`{"question":%q,"collection":%q,"expect":"passage","file":"vault.md","quote":"pump stops at Zqmidnight"}`, question, collection), asJSON...)
			return resp.StatusCode
		}
		const secret, open = "Where does the vault pump stop at Zqmidnight?", "When does the feed pump stop?"
		if status := keep(root, secret, "vault"); status != http.StatusOK {
			t.Fatalf("keep: %d", status)
		}
		if status := keep(root, "Everywhere?", ""); status != http.StatusOK {
			t.Fatalf("keep in all collections: %d", status)
		}
		for _, collection := range []string{"vault", "", "nowhere"} {
			if status := keep(manager, "May I?", collection); status != http.StatusForbidden {
				t.Errorf("the manager kept a question of %q: %d", collection, status)
			}
		}

		// Keep as a test takes the cited passage as the expected one.
		root.Request(t, http.MethodPost, s.URL+"/api/ask", fmt.Sprintf(`{"question":%q,"collections":["default"]}`, open), asJSON...)
		var asked []askedQuestion
		eventually(t, "the manager sees the question", func() bool {
			asked = s.questions(t, manager, "")
			return len(asked) == 1
		})
		resp, body := manager.Request(t, http.MethodPatch, fmt.Sprint(s.URL, "/api/insight/questions/", asked[0].ID), `{"mark":"test"}`, asJSON...)
		if resp.StatusCode != http.StatusNoContent {
			t.Fatalf("keep as a test: %d %s", resp.StatusCode, body)
		}
		if got := list(manager); !slices.Equal(got, []string{open}) {
			t.Fatalf("the manager sees %q", got)
		}
		mine := page.Questions[0]
		if mine.Expect != "passage" || mine.File == "" || !strings.Contains(mine.Quote, "pump") {
			t.Errorf("the kept question is %+v", mine)
		}
		if got := list(root); len(got) != 3 {
			t.Errorf("the administrator sees %q", got)
		}
		for _, q := range page.Questions {
			if q.ID == mine.ID {
				continue
			}
			at := fmt.Sprint(s.URL, "/api/insight/kept/", q.ID)
			change, _ := manager.Request(t, http.MethodPut, at, `{"question":"Mine","collection":"default","expect":""}`, asJSON...)
			removed, _ := manager.Request(t, http.MethodDelete, at, "")
			if change.StatusCode != http.StatusNotFound || removed.StatusCode != http.StatusNotFound {
				t.Errorf("the manager changes and removes %q: %d, %d", q.Question, change.StatusCode, removed.StatusCode)
			}
		}

		// A run asks the questions of the person who starts it.
		if resp, body := manager.Request(t, http.MethodPost, s.URL+"/api/insight/quality/runs", ""); resp.StatusCode != http.StatusAccepted {
			t.Fatalf("run: %d %s", resp.StatusCode, body)
		}
		eventually(t, "the run is complete", func() bool {
			list(manager)
			return page.Run != nil && page.Run.State == "done"
		})
		if page.Run.Questions != 1 || page.Run.Done != 1 || page.Run.Failed != 0 || page.Questions[0].Last == nil || page.Questions[0].Last.Verdict != "passed" {
			t.Errorf("the run is %+v, and the question %+v", page.Run, page.Questions[0])
		}
		list(root)
		for _, q := range page.Questions {
			if q.ID != mine.ID && q.Last != nil {
				t.Errorf("the run of the manager asked %q", q.Question)
			}
		}

		s.checkThresholds(t, manager)
		resp, _ = manager.Request(t, http.MethodDelete, fmt.Sprint(s.URL, "/api/insight/kept/", mine.ID), "")
		if left := s.questions(t, manager, "?mark=test"); resp.StatusCode != http.StatusNoContent || len(left) != 0 {
			t.Errorf("remove: %d, and %q is marked", resp.StatusCode, texts(left))
		}
	})
}

// checkThresholds tries thresholds as somebody who sees one answer.
func (s *site) checkThresholds(t *testing.T, w who) {
	t.Helper()
	resp, body := w.Request(t, http.MethodGet, s.URL+"/api/insight/thresholds?min_evidence=1", "")
	var effect struct {
		Answers, Changed int
		Questions        []struct{ Question, From, To string }
	}
	if err := json.Unmarshal([]byte(body), &effect); err != nil || resp.StatusCode != http.StatusOK || effect.Answers != 1 ||
		effect.Changed != 1 || effect.Questions[0].To != "unsure" {
		t.Errorf("thresholds: %d %s", resp.StatusCode, body)
	}
}
