package servertest_test

import (
	"net/http"
	"testing"
	"time"

	"docent/agent/session/journal"
	"docent/auth/audit"
	"docent/insight"
	"docent/internal/fault"
	"docent/internal/servertest"
)

// TestRetention: a server removes conversations, questions, and records of the log after the configured days, and
// records how many it removed.
func TestRetention(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		servertest.NotAtMidnight(t)
		s := guarded(t, servertest.Config{Store: store, Settings: map[string]string{"keep-questions": "60"}})
		c := changes{t, s.Server, s.Person("user root")}
		for id, age := range map[string]int{"old": 32, "pinned": 32, "young": 20} {
			key := journal.SessionKey{Agent: "another", ID: id} // this server removes its own unused sessions at its start
			at := time.Now().AddDate(0, 0, -age)
			if _, _, err := s.DB.Sessions.OpenSession(t.Context(), journal.SessionRecord{Key: key, Platform: "P", Owner: "user:root", UpdatedAt: at}); err != nil {
				t.Fatal(err)
			}
		}
		yes := true
		if err := s.DB.Directory.ChangeSession(t.Context(), journal.SessionKey{Agent: "another", ID: "pinned"}, journal.SessionChange{Pinned: &yes}); err != nil {
			t.Fatal(err)
		}
		for _, age := range []int{62, 62, 20} {
			entry := insight.Entry{Answer: insight.Answer{
				Time: time.Now().AddDate(0, 0, -age), Question: "When?", Outcome: "not_found", Channel: insight.API,
			}}
			if err := s.DB.Insights.AddAnswers(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
		}
		expired := func() map[audit.Action]string {
			records, err := s.DB.Audit.Records(t.Context(), audit.Query{Limit: 10, Actor: audit.Server})
			if err != nil {
				t.Fatal(err)
			}
			out := map[audit.Action]string{}
			for _, r := range records {
				out[r.Action] += r.Object
			}
			return out
		}
		if got := expired(); len(got) != 0 {
			t.Fatalf("the log has %v", got)
		}
		// The first server removes no conversations, so that it does not find them half made.
		c.do(http.MethodPut, "/api/settings/keep-conversations", `{"value":"30"}`, http.StatusOK)
		s.Restart()
		eventually(t, "the removals are recorded", func() bool { return len(expired()) == 2 })
		if got := expired(); got[audit.ConversationsExpired] != "1" || got[audit.QuestionsExpired] != "2" {
			t.Errorf("the log has %v", got)
		}
		for id, want := range map[string]bool{"old": false, "pinned": true, "young": true} {
			_, err := s.DB.Directory.Session(t.Context(), journal.SessionKey{Agent: "another", ID: id})
			if fault.KindOf(err) == fault.NotFound == want || err != nil && want {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}
