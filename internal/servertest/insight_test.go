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
	"docent/internal/wstest"
	"docent/payload"
)

// askedQuestion is a question in the lists of administrators and managers.
type askedQuestion struct {
	ID                       int64
	Question, Outcome, Asker string
	Channel, Withheld        string
	Collections              []string
	Message                  *payload.RAGMessage
}

// questions returns the list of questions, newest first.
func (s *site) questions(t *testing.T, w who, query string) []askedQuestion {
	t.Helper()
	resp, body := w.Request(t, http.MethodGet, s.URL+"/api/insight/questions"+query, "")
	var page struct{ Questions []askedQuestion }
	if err := json.Unmarshal([]byte(body), &page); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("questions of %s: %d %s", w.Name, resp.StatusCode, body)
	}
	return page.Questions
}

// texts returns the texts of questions.
func texts(all []askedQuestion) (out []string) {
	for _, q := range all {
		out = append(out, q.Question)
	}
	slices.Sort(out)
	return out
}

// TestQuestionsOfManagers asks in two collections. The manager of one of them sees its questions
// only, without names, and no answer from documents that the manager may not read.
func TestQuestionsOfManagers(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		for subject, level := range map[string]rights.Level{"user:root": rights.Read, "user:other": rights.Read} {
			if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: subject, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.DB.Rights.SetRight(t.Context(), "default", rights.Grant{Subject: "user:both", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		root, manager := s.Person("user root"), s.Person("user both")
		ask := func(question string, header ...string) {
			t.Helper()
			resp, body := root.Request(t, http.MethodPost, s.URL+"/api/ask", fmt.Sprintf(`{"question":%q}`, question), append(header, asJSON...)...)
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("ask: %d %s", resp.StatusCode, body)
			}
		}
		ask("When does the feed pump stop?")
		ask("Where does the vault pump stop at Zqmidnight?")
		ask("What is suggested by the page about the pump?", "Sec-Fetch-Site", "same-origin")
		c := root.Dial(t, s.URL+"/ws?session_id=learn")
		hear(t, c)
		say(t, c, wstest.MessageText, frame(payload.UserMessage, `"Does the feed pump stop at noon?"`))
		until(t, c, "agent_reply_rag")

		want := []string{"Does the feed pump stop at noon?", "When does the feed pump stop?", "Where does the vault pump stop at Zqmidnight?"}
		var all []askedQuestion
		eventually(t, "the list has all questions", func() bool {
			all = s.questions(t, root, "")
			return slices.Equal(texts(all), want)
		})
		for _, q := range all {
			if q.Asker != "" {
				t.Errorf("the list names %s", q.Asker)
			}
			if channel := map[bool]string{true: "websocket", false: "api"}[strings.HasPrefix(q.Question, "Does")]; q.Channel != channel {
				t.Errorf("%s has the channel %s, want %s", q.Question, q.Channel, channel)
			}
		}
		secret := all[slices.IndexFunc(all, func(q askedQuestion) bool { return strings.Contains(q.Question, "vault") })]
		seen := s.questions(t, manager, "")
		for _, q := range seen {
			if len(q.Collections) != 1 || q.Collections[0] != "default" {
				t.Errorf("the manager sees %q of %q", q.Question, q.Collections)
			}
			_, body := manager.Request(t, http.MethodGet, fmt.Sprint(s.URL, "/api/insight/questions/", q.ID), "")
			none(t, "the answer to "+q.Question, body, []string{"Zqmidnight."})
			if strings.HasPrefix(q.Question, "When") && !strings.Contains(body, "noon") && !strings.Contains(body, `"withheld":"rights"`) {
				t.Errorf("the answer is %s", body)
			}
		}
		if len(seen) < 2 {
			t.Errorf("the manager sees %q", texts(seen))
		}
		only := s.questions(t, root, "?collection=vault")
		if !slices.Contains(texts(only), secret.Question) {
			t.Errorf("questions of the vault: %q", texts(only))
		}
		if got := s.questions(t, manager, "?collection=vault"); len(got) > 0 {
			t.Errorf("the manager of another collection sees %q of the vault", texts(got))
		}
		resp, body := root.Request(t, http.MethodPatch, fmt.Sprint(s.URL, "/api/insight/questions/", secret.ID), `{"mark":"off_topic"}`, asJSON...)
		if got := s.questions(t, root, "?mark=off_topic"); resp.StatusCode != http.StatusNoContent || len(got) != 1 {
			t.Errorf("mark: %d %s, then %q", resp.StatusCode, body, texts(got))
		}
		var days []struct{ Questions int }
		_, body = root.Request(t, http.MethodGet, s.URL+"/api/insight/days", "")
		if err := json.Unmarshal([]byte(body), &days); err != nil || len(days) != 30 || days[28].Questions+days[29].Questions != 3 {
			t.Errorf("days: %s (%v)", body, err)
		}
		_, body = root.Request(t, http.MethodGet, s.URL+"/api/admin/log", "")
		if !strings.Contains(body, `"action":"question.read"`) {
			t.Errorf("no record of a reading: %s", body)
		}
	})
}

// TestAskers shows who asked while administrators may read conversations, and records it.
func TestAskers(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{Settings: map[string]string{"read-conversations": "true"}})
	root, other := s.Person("user root"), s.Person("user other")
	s.ask(t, other)
	eventually(t, "the list names the user", func() bool {
		all := s.questions(t, root, "?channel=api")
		return len(all) == 1 && all[0].Asker == "other"
	})
	_, body := root.Request(t, http.MethodGet, s.URL+"/api/admin/log", "")
	if !strings.Contains(body, `"action":"questions.listed"`) {
		t.Errorf("no record of the list: %s", body)
	}
}

// TestGapIsProposed asks what no document answers, adds the document, and waits for the proposal.
func TestGapIsProposed(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{})
	root := s.Person("user root")
	for _, question := range []string{"How much does a parking permit cost?", "How much is a parking permit for the garage?"} {
		root.Request(t, http.MethodPost, s.URL+"/api/ask", fmt.Sprintf(`{"question":%q}`, question), asJSON...)
	}
	type gap struct {
		ID, Questions  int64
		State, Wording string
		Old, New       *payload.RAGMessage
	}
	var page struct{ Gaps []gap }
	list := func(query string) []gap {
		_, body := root.Request(t, http.MethodGet, s.URL+"/api/insight/gaps"+query, "")
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatalf("gaps: %s", body)
		}
		return page.Gaps
	}
	eventually(t, "both questions are in a gap", func() bool { return len(list("")) == 1 && page.Gaps[0].Questions == 2 })
	permit := strings.ReplaceAll(form, "The pump stops at noon.", "# Parking permits\n\nA parking permit for the garage costs 40 euros per month.")
	if resp, body := root.Request(t, http.MethodPost, s.URL+"/api/documents", permit, "Content-Type", "multipart/form-data; boundary=x"); resp.StatusCode != http.StatusOK {
		t.Fatalf("upload: %s", body)
	}
	eventually(t, "the gap is proposed", func() bool { return len(list("?state=proposed")) == 1 })
	at := fmt.Sprint(s.URL, "/api/insight/gaps/", page.Gaps[0].ID)
	_, body := root.Request(t, http.MethodGet, at, "")
	var one gap
	if err := json.Unmarshal([]byte(body), &one); err != nil || one.New == nil || !strings.Contains(one.New.Answer, "40 euros") || one.Old == nil {
		t.Errorf("the gap is %s", body)
	}
	resp, body := root.Request(t, http.MethodPatch, at, `{"state":"solved","owner":"root"}`, asJSON...)
	if resp.StatusCode != http.StatusNoContent || len(list("?state=solved")) != 1 {
		t.Errorf("solve: %d %s", resp.StatusCode, body)
	}
}

// TestApprovedAnswerSolvesGap writes an answer for a gap, and asks again.
func TestApprovedAnswerSolvesGap(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		if err := s.DB.Rights.SetRight(t.Context(), "default", rights.Grant{Subject: "user:both", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		root, manager := s.Person("user root"), s.Person("user both")
		ask := func() (m payload.RAGMessage) {
			_, body := root.Request(t, http.MethodPost, s.URL+"/api/ask", `{"question":"How much does a parking permit cost?"}`, asJSON...)
			if err := json.Unmarshal([]byte(body), &m); err != nil {
				t.Fatalf("ask: %s", body)
			}
			return m
		}
		ask()
		var page struct{ Gaps []struct{ ID int64 } }
		eventually(t, "there is a gap", func() bool {
			_, body := root.Request(t, http.MethodGet, s.URL+"/api/insight/gaps", "")
			return json.Unmarshal([]byte(body), &page) == nil && len(page.Gaps) == 1
		})
		write := func(w who, collection string) (int, string) {
			resp, body := w.Request(t, http.MethodPost, s.URL+"/api/insight/answers", fmt.Sprintf(`{"collection":%q,"gap":%d,"signed":"Support",
				"questions":["What does a permit cost?","How much does a parking permit cost?"],"text":"It costs **40 euros**.","review":"2020-01-01"}`,
				collection, page.Gaps[0].ID), asJSON...)
			return resp.StatusCode, body
		}
		if status, body := write(manager, "vault"); status < 400 {
			t.Errorf("the manager of another collection wrote into the vault: %s", body)
		}
		status, body := write(root, "default")
		if status != http.StatusOK || !strings.Contains(body, `"due":true`) {
			t.Fatalf("write: %d %s", status, body)
		}
		eventually(t, "the answer is given", func() bool {
			m := ask()
			return strings.HasPrefix(m.Answer, "Answered by Support, ") && strings.Contains(m.Answer, "It costs **40 euros**. [1]") && m.Outcome == payload.Answered
		})
		_, body = root.Request(t, http.MethodGet, s.URL+"/api/insight/gaps?state=solved", "")
		if !strings.Contains(body, "parking permit") {
			t.Errorf("the solved gaps are %s", body)
		}
		var list struct{ Answers []struct{ ID int64 } }
		_, body = manager.Request(t, http.MethodGet, s.URL+"/api/insight/answers?due=true", "")
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Answers) != 1 {
			t.Fatalf("answers to check: %s", body)
		}
		at := fmt.Sprint(s.URL, "/api/insight/answers/", list.Answers[0].ID)
		resp, body := root.Request(t, http.MethodPut, at, `{"questions":["How much does a parking permit cost?"],"text":"It costs 50 euros."}`, asJSON...)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"due":false`) {
			t.Errorf("change: %d %s", resp.StatusCode, body)
		}
		eventually(t, "the changed answer is given", func() bool {
			return strings.Contains(ask().Answer, "Answered by root") && strings.Contains(ask().Answer, "50 euros")
		})
	})
}

// TestSolvedQuestion answers a gap in a closed collection. People who asked and may read the answer
// learn that there is one, in their own conversation, until they have seen it.
func TestSolvedQuestion(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		for subject, level := range map[string]rights.Level{"user:root": rights.Manage, "user:other": rights.Read} {
			if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: subject, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		root, reader, outsider := s.Person("user root"), s.Person("user other"), s.Person("user both")
		for session, w := range map[string]who{"may-read": reader, "may-not": outsider} {
			c := w.Dial(t, s.URL+"/ws?session_id="+session)
			hear(t, c)
			say(t, c, wstest.MessageText, frame(payload.UserMessage, `"How much does a parking permit cost?"`))
			until(t, c, "agent_reply_rag")
		}
		var page struct {
			Gaps []struct{ ID, Questions int64 }
		}
		eventually(t, "both questions are in a gap", func() bool {
			_, body := root.Request(t, http.MethodGet, s.URL+"/api/insight/gaps", "")
			return json.Unmarshal([]byte(body), &page) == nil && len(page.Gaps) == 1 && page.Gaps[0].Questions == 2
		})
		solved := func(w who, session string) (listed int, turns []int64) {
			t.Helper()
			_, body := w.Request(t, http.MethodGet, s.URL+"/api/sessions", "")
			var list []struct {
				SessionID string `json:"session_id"`
				Solved    int
			}
			if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != 1 || list[0].SessionID != session {
				t.Fatalf("sessions: %s", body)
			}
			_, body = w.Request(t, http.MethodGet, s.URL+"/api/sessions/"+session+"/messages", "")
			var messages struct{ Solved []int64 }
			if err := json.Unmarshal([]byte(body), &messages); err != nil {
				t.Fatalf("messages: %s", body)
			}
			return list[0].Solved, messages.Solved
		}
		if n, turns := solved(reader, "may-read"); n != 0 || turns != nil {
			t.Errorf("before: %d %v", n, turns)
		}
		resp, body := root.Request(t, http.MethodPost, s.URL+"/api/insight/answers", fmt.Sprintf(`{"collection":"vault","gap":%d,
			"questions":["How much does a parking permit cost?"],"text":"It costs 40 euros."}`, page.Gaps[0].ID), asJSON...)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("write: %s", body)
		}
		if n, turns := solved(reader, "may-read"); n != 1 || !slices.Equal(turns, []int64{1}) {
			t.Errorf("a reader: %d %v, want 1 [1]", n, turns)
		}
		if n, turns := solved(outsider, "may-not"); n != 0 || turns != nil {
			t.Errorf("a person without the right read: %d %v", n, turns)
		}
		see := s.URL + "/api/sessions/may-read/solved/1"
		if resp, _ := outsider.Request(t, http.MethodDelete, see, ""); resp.StatusCode != http.StatusNotFound {
			t.Errorf("another person marks it as seen: %d", resp.StatusCode)
		}
		if n, _ := solved(reader, "may-read"); n != 1 {
			t.Errorf("after the request of another person: %d", n)
		}
		if resp, body := reader.Request(t, http.MethodDelete, see, ""); resp.StatusCode != http.StatusNoContent {
			t.Errorf("mark as seen: %d %s", resp.StatusCode, body)
		}
		if n, turns := solved(reader, "may-read"); n != 0 || turns != nil {
			t.Errorf("after it was seen: %d %v", n, turns)
		}
	})
}

// TestGapStaysOpen writes a text for a gap. People who may read its collection get it in each protocol,
// until a document answers the question or the gap is open again.
func TestGapStaysOpen(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:root", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		root, outsider := s.Person("user root"), s.Person("user both")
		const question = "How much does a parking permit cost?"
		const text = "We do not offer this. Ask Ms. Roth, phone 12."
		ask := func(w who) string {
			t.Helper()
			_, body := w.Request(t, http.MethodPost, s.URL+"/api/ask", fmt.Sprintf(`{"question":%q}`, question), asJSON...)
			return body
		}
		ask(root)
		var page struct {
			Gaps []struct {
				ID    int64
				State string
			}
		}
		gaps := func() int {
			_, body := root.Request(t, http.MethodGet, s.URL+"/api/insight/gaps", "")
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				t.Fatalf("gaps: %s", body)
			}
			return len(page.Gaps)
		}
		eventually(t, "there is a gap", func() bool { return gaps() == 1 })
		resp, body := root.Request(t, http.MethodPost, s.URL+"/api/insight/answers", fmt.Sprintf(`{"collection":"vault","gap":%d,"fallback":true,
			"signed":"Support","questions":[%q],"text":%q}`, page.Gaps[0].ID, question, text), asJSON...)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"fallback":true`) || gaps() != 1 || page.Gaps[0].State != "stays_open" {
			t.Fatalf("write: %d %s, the gaps are %+v", resp.StatusCode, body, page.Gaps)
		}
		eventually(t, "the text is given", func() bool { return strings.Contains(ask(root), text) })
		if got := ask(root); !strings.Contains(got, `"answer":"Answered by Support, `) || !strings.Contains(got, `"outcome":"not_found"`) && !strings.Contains(got, `"outcome":"unsure"`) {
			t.Errorf("the answer is %s", got)
		}
		none(t, "the answer for a person without the right read", ask(outsider), []string{"Roth"})
		_, body = root.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", fmt.Sprintf(`{"model":"docent","messages":[{"role":"user","content":%q}]}`, question), asJSON...)
		if !strings.Contains(body, text) {
			t.Errorf("in the format of OpenAI: %s", body)
		}
		c := root.Dial(t, s.URL+"/ws?session_id=stays-open")
		hear(t, c)
		say(t, c, wstest.MessageText, frame(payload.UserMessage, fmt.Sprintf("%q", question)))
		until(t, c, "Ask Ms. Roth")
		_, body = root.Request(t, http.MethodGet, s.URL+"/api/search?q=How+much+does+a+parking+permit+cost", "")
		none(t, "a search", body, []string{"Roth"})

		resp, body = root.Request(t, http.MethodPatch, fmt.Sprint(s.URL, "/api/insight/gaps/", page.Gaps[0].ID), `{"state":"open"}`, asJSON...)
		if resp.StatusCode != http.StatusNoContent {
			t.Fatalf("open again: %d %s", resp.StatusCode, body)
		}
		eventually(t, "the text is gone", func() bool { return !strings.Contains(ask(root), "Roth") })
		_, body = root.Request(t, http.MethodGet, s.URL+"/api/insight/answers", "")
		none(t, "the answers", body, []string{"Roth"})
	})
}

// TestImportAnswers imports a table as the manager of a collection.
func TestImportAnswers(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		if err := s.DB.Rights.SetRight(t.Context(), "default", rights.Grant{Subject: "user:both", Level: rights.Manage}); err != nil {
			t.Fatal(err)
		}
		manager, other := s.Person("user both"), s.Person("user other")
		load := func(w who, preview bool) (int, string) {
			t.Helper()
			resp, body := w.Request(t, http.MethodPost, s.URL+"/api/insight/answers/import", fmt.Sprintf(`{"collection":"default","preview":%t,
				"csv":"question;answer;collection\nWho has the Zqkey?;Ann.;\nWhere is the Zqkey?;There.;vault\n"}`, preview), asJSON...)
			return resp.StatusCode, body
		}
		refused := `"row":3,"status":"refused"`
		if status, body := load(other, false); status != http.StatusForbidden {
			t.Errorf("a person who manages nothing: %d %s", status, body)
		}
		for _, c := range []struct {
			preview bool
			status  string
		}{{true, "added"}, {false, "added"}, {false, "unchanged"}} {
			_, body := load(manager, c.preview)
			if !strings.Contains(body, `"row":2,"status":"`+c.status+`"`) || !strings.Contains(body, refused) || !strings.Contains(body, "you do not manage the collection vault") {
				t.Errorf("preview %t: %s", c.preview, body)
			}
		}
		var list struct {
			Answers []struct{ Questions []string }
		}
		_, body := manager.Request(t, http.MethodGet, s.URL+"/api/insight/answers", "")
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Answers) != 1 {
			t.Errorf("the answers are %s", body)
		}
	})
}
