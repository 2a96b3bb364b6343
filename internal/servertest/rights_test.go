package servertest_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/auth"
	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/llm/llmtest"
	"docent/rag/corpus"
)

// marker is a word that only the documents of a collection contain.
func marker(collection string) string { return "Zq" + collection + "secret" }

var rightsCollections = []string{"c0", "c1", "c2", "c3", "c4"}

// rightsSite is a site with collections that contain their marker.
type rightsSite struct {
	*site

	model   *llmtest.Server
	chance  *rand.Rand
	members []who
	ids     []int64 // of all documents
	prompts int     // checked requests to the model
}

// obedient calls every tool that could show a document, and then answers. It names
// collections and documents as an attacker would.
func obedient(_ int, r llmtest.Request) llmtest.Reply {
	calls := []llmtest.ToolCall{
		{ID: "1", Name: "search_knowledge", Arguments: `{"query":"feed pump","k":20}`},
		{ID: "2", Name: "list_documents", Arguments: `{}`},
	}
	for i, c := range rightsCollections {
		calls = append(calls,
			llmtest.ToolCall{ID: fmt.Sprint("s", i), Name: "search_knowledge", Arguments: `{"query":"pump","collection":"` + c + `"}`},
			llmtest.ToolCall{ID: fmt.Sprint("l", i), Name: "list_documents", Arguments: `{"collection":"` + c + `"}`},
			llmtest.ToolCall{ID: fmt.Sprint("r", i), Name: "read_document", Arguments: fmt.Sprintf(`{"id":%d}`, 2*i+1)})
	}
	if called := slices.ContainsFunc(r.Messages, func(m llmtest.Message) bool { return m.Role == "tool" }); called || len(r.Tools) == 0 {
		return llmtest.Say("The feed pump moves water [1][2].")
	}
	return llmtest.Reply{ToolCalls: calls}
}

func newRightsSite(t *testing.T, store servertest.Store, chance *rand.Rand) *rightsSite {
	t.Helper()
	model := llmtest.NewServer(obedient)
	t.Cleanup(model.Close)
	var documents []servertest.Document
	for _, c := range rightsCollections {
		for i := range 2 {
			documents = append(documents, servertest.Document{
				Collection: c, Name: fmt.Sprintf("%s-%d.md", marker(c), i),
				Content: fmt.Sprintf("# Pump %s %d\n\nThe feed pump of %s moves %d litres of water per minute.\n", marker(c), i, marker(c), 10+i),
			})
		}
	}
	server := servertest.Start(t, servertest.Config{
		Store: store, Documents: documents, Auth: true, Agent: thinker,
		Settings: with(scripted(model), map[string]string{"log-level": "debug"}),
	})
	s := &rightsSite{site: &site{Server: server}, chance: chance, model: model}
	for _, name := range []string{"user owner", "user both", "token other", "token both"} {
		s.members = append(s.members, s.Person(name))
	}
	for _, g := range []string{"g0", "g1"} {
		if err := s.DB.Rights.AddGroup(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := s.DB.Library.Documents(t.Context(), corpus.DocumentFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range stored {
		s.ids = append(s.ids, d.ID)
	}
	return s
}

// change changes random rights and memberships. At least one collection is
// restricted afterwards.
func (s *rightsSite) change(t *testing.T) {
	t.Helper()
	var subjects []string
	for _, w := range s.members {
		subjects = append(subjects, w.ID)
	}
	pick := func(list []string) string { return list[s.chance.IntN(len(list))] }
	for range 6 {
		grant := rights.Grant{Subject: pick(append(subjects, "group:g0", "group:g1", rights.Everyone)), Level: rights.Level(s.chance.IntN(4))}
		if err := s.DB.Rights.SetRight(t.Context(), pick(rightsCollections), grant); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DB.Rights.SetMember(t.Context(), pick([]string{"g0", "g1"}), pick(subjects[:2]), s.chance.IntN(2) == 0); err != nil {
		t.Fatal(err)
	}
	if s.chance.IntN(3) == 0 {
		if err := s.DB.Rights.OpenCollection(t.Context(), pick(rightsCollections)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DB.Rights.SetRight(t.Context(), "hr", rights.Grant{Subject: subjects[0], Level: rights.Read}); err != nil {
		t.Fatal(err)
	}
}

// hiddenFrom returns the markers of the collections that somebody may not read.
func (s *rightsSite) hiddenFrom(t *testing.T, w who) []string {
	t.Helper()
	access, err := s.DB.Rights.Access(t.Context(), corpus.Reader{Principal: w.ID}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range rightsCollections {
		if access.Level(c) < rights.Read {
			out = append(out, marker(c))
		}
	}
	return out
}

// none fails if a text contains a marker, whatever its letter case.
func none(t *testing.T, where, text string, markers []string) {
	t.Helper()
	for _, m := range markers {
		if strings.Contains(strings.ToLower(text), strings.ToLower(m)) {
			t.Errorf("%s contains %s: …%s", where, m, around(text, m))
		}
	}
}

// TestNothingOfUnreadableCollections sets random rights and uses every way to read
// documents. Nothing of a collection that the reader may not read comes back,
// reaches the model, or is logged.
func TestNothingOfUnreadableCollections(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := newRightsSite(t, store, rand.New(rand.NewPCG(15, 9))) //nolint:gosec // a test repeats
		for round := range 8 {
			s.change(t)
			w := s.members[round%len(s.members)]
			hidden := s.hiddenFrom(t, w)
			for _, path := range s.paths() {
				_, body := w.Request(t, http.MethodGet, s.URL+path, "")
				none(t, w.Name+" GET "+path, body, hidden)
			}
			for _, model := range []string{"extractive", "scripted"} {
				question := `{"question":"How much water does the feed pump move?","k":20,"model":"` + model + `"}`
				_, body := w.Request(t, http.MethodPost, s.URL+"/api/ask", question, asJSON...)
				none(t, w.Name+" asks "+model, body, hidden)
			}
			session := fmt.Sprintf("r%d", round)
			s.askOpenAI(t, w, session, hidden)
			s.talk(t, w, session, hidden)
			for _, path := range []string{"/messages", "/export?format=markdown", "/export?format=json"} {
				_, body := w.Request(t, http.MethodGet, s.URL+"/api/sessions/"+session+path, "")
				none(t, w.Name+" GET "+path, body, hidden)
			}
			requests := s.model.Requests()
			for _, r := range requests[s.prompts:] {
				none(t, "a prompt for "+w.Name, fmt.Sprint(r), hidden)
			}
			s.prompts = len(requests)
		}
		if s.prompts < 8 {
			t.Errorf("the model got %d requests only", s.prompts)
		}
		all := make([]string, len(rightsCollections))
		for i, c := range rightsCollections {
			all[i] = marker(c)
		}
		none(t, "the log", s.Log(), all)
	})
}

// paths returns every request that can show a document.
func (s *rightsSite) paths() []string {
	paths := []string{
		"/api/info", "/api/documents", "/api/documents?sort=title", "/api/documents?match=secret",
		"/api/search?q=feed+pump&k=50", "/api/search?q=feed+pump&k=50&explain=true", "/api/suggestions?limit=20",
	}
	for _, c := range rightsCollections {
		paths = append(paths, "/api/documents?collection="+c, "/api/search?q=water&k=50&collection="+c)
	}
	for _, id := range s.ids {
		for _, part := range []string{"", "/text", "/file", "/chunks", "/outline", "/questions", "/pages/0", "/pages/0/image"} {
			paths = append(paths, fmt.Sprintf("/api/documents/%d%s", id, part))
		}
	}
	return paths
}

// askOpenAI uses every way to read documents below /v1.
func (s *rightsSite) askOpenAI(t *testing.T, w who, session string, hidden []string) {
	t.Helper()
	const question = "How much water does the feed pump move?"
	_, body := w.Request(t, http.MethodGet, s.URL+"/v1/models", "")
	none(t, w.Name+" GET /v1/models", body, hidden)
	for _, model := range append([]string{"thinker"}, rightsCollections...) {
		if model != "thinker" {
			model = "docent/" + model
		}
		for path, said := range map[string]string{
			"/v1/chat/completions": `{"model":"` + model + `","messages":[{"role":"user","content":"` + question + `"}]}`,
			"/v1/responses":        `{"model":"` + model + `","input":"` + question + `","stream":true}`,
		} {
			_, body := w.Request(t, http.MethodPost, s.URL+path, said, asJSON...)
			none(t, w.Name+" POST "+path, body, hidden)
		}
	}
	said := `{"model":"thinker","messages":[{"role":"user","content":"` + question + `"}],"metadata":{"session_id":"` + session + `"}}`
	resp, body := w.Request(t, http.MethodPost, s.URL+"/v1/chat/completions", said, asJSON...)
	if none(t, w.Name+" in a session", body, hidden); resp.StatusCode != http.StatusOK {
		t.Errorf("%s in a session: %d %s", w.Name, resp.StatusCode, body)
	}
}

// talk asks in a conversation and reads until the answer.
func (s *rightsSite) talk(t *testing.T, w who, session string, hidden []string) {
	t.Helper()
	c := w.Dial(t, s.URL+"/?protocol=docent.v1&session_id="+session)
	for _, text := range []string{`{"action":"hello","message":{}}`, frame("user_message", `"How much water does the feed pump move?"`)} {
		say(t, c, wstest.MessageText, text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
	defer cancel()
	for {
		_, got, err := c.Read(ctx)
		if err != nil {
			t.Fatalf("%s waits for an answer: %v", w.Name, err)
		}
		none(t, w.Name+" hears", string(got), hidden)
		if strings.Contains(string(got), `"turn_finished"`) {
			_ = c.CloseNow()
			return
		}
	}
}

// TestWithdrawnRights checks that a stored answer does not show passages that its
// reader may no longer open, and that a removal needs the right to write.
func TestWithdrawnRights(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := newRightsSite(t, store, rand.New(rand.NewPCG(2, 6))) //nolint:gosec // a test repeats
		w, ctx := s.Person("user both"), t.Context()
		grant := func(level rights.Level) {
			t.Helper()
			if err := s.DB.Rights.SetRight(ctx, "c0", rights.Grant{Subject: w.ID, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		grant(rights.Read)
		for _, c := range rightsCollections[1:] {
			if err := s.DB.Rights.SetRight(ctx, c, rights.Grant{Subject: "user:root", Level: rights.Read}); err != nil {
				t.Fatal(err)
			}
		}
		s.talk(t, w, "S", nil)
		views := map[string]string{"messages": "", "export?format=json": "", "export?format=markdown": ""}
		read := func() map[string]string {
			got := map[string]string{}
			for view := range views {
				_, got[view] = w.Request(t, http.MethodGet, s.URL+"/api/sessions/S/"+view, "")
			}
			return got
		}
		if got := read(); !strings.Contains(got["messages"], marker("c0")) {
			t.Fatalf("the answer has no passage of c0: %s", got["messages"])
		}
		status := func(want int, method, path, body string, header ...string) {
			t.Helper()
			resp, said := w.Request(t, method, s.URL+path, body, header...)
			if resp.StatusCode != want {
				t.Errorf("%s %s: status %d, want %d: %s", method, path, resp.StatusCode, want, said)
			}
		}
		upload := []string{"Content-Type", "multipart/form-data; boundary=x"}
		first := fmt.Sprint("/api/documents/", s.ids[0])
		status(403, http.MethodDelete, first, "")
		status(404, http.MethodPost, "/api/documents?collection=c1", form, upload...)
		status(403, http.MethodPost, "/api/documents?collection=c0", form, upload...)
		status(200, http.MethodPost, "/api/documents", form, upload...)
		grant(rights.Write)
		status(204, http.MethodDelete, first, "")
		grant(rights.None)
		status(404, http.MethodGet, fmt.Sprint("/api/documents/", s.ids[1]), "")
		status(404, http.MethodDelete, fmt.Sprint("/api/documents/", s.ids[1]), "")
		for view, text := range read() {
			none(t, view, text, []string{marker("c0")})
			if !strings.Contains(text, "no longer available") {
				t.Errorf("%s does not say that a source is no longer available: %s", view, text)
			}
		}
		for _, again := range slices.Sorted(maps.Keys(views)) {
			for _, name := range []string{"user other", "user root"} {
				resp, text := s.Person(name).Request(t, http.MethodGet, s.URL+"/api/sessions/S/"+again, "")
				if none(t, again+" for "+name, text, []string{marker("c0")}); resp.StatusCode != http.StatusNotFound {
					t.Errorf("%s for %s: %d %s", again, name, resp.StatusCode, text)
				}
			}
		}
	})
}

// changedAt matches the time of the latest change of a collection.
var changedAt = regexp.MustCompile(`"changed_at":"[^"]*",`)

// TestRightsOverHTTP checks who may see and change rights, and that changes count
// at once.
func TestRightsOverHTTP(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store})
		do := func(name string, want int, method, path, body string) string {
			t.Helper()
			resp, said := s.Person(name).Request(t, method, s.URL+path, body, asJSON...)
			if resp.StatusCode != want {
				t.Errorf("%s %s %s %s: status %d, want %d: %s", name, method, path, body, resp.StatusCode, want, said)
			}
			return said
		}
		list := func(name, want string) {
			t.Helper()
			if got := changedAt.ReplaceAllString(strings.TrimSpace(do(name, 200, "GET", "/api/collections", "")), ""); got != want {
				t.Errorf("%s sees %s, want %s", name, got, want)
			}
		}
		const rightsOf = "/api/collections/default/rights"
		list("user other", `[{"name":"default","title":"default","documents":1,"failed":0,"chunks":1,"restricted":false,"right":"read","rights":[]}]`)
		list("user both", `[{"name":"default","title":"default","documents":1,"failed":0,"chunks":1,"restricted":false,"right":"write","rights":[]}]`)
		list("user root", `[{"name":"default","title":"default","documents":1,"failed":0,"chunks":1,"restricted":false,"right":"manage","rights":[]}]`)
		do("user both", 403, "PUT", rightsOf, `{"subject":"everyone","right":"read"}`)
		do("user root", 204, "POST", "/api/groups", `{"name":"staff"}`)
		do("user root", 409, "POST", "/api/groups", `{"name":"staff"}`)
		do("user root", 204, "PUT", "/api/groups/staff/members", `{"member":"Other","is":true}`)
		do("user root", 404, "PUT", "/api/groups/staff/members", `{"member":"stranger","is":true}`)
		if got, want := strings.TrimSpace(do("user root", 200, "GET", "/api/groups", "")), `[{"name":"staff","members":["user:other"]}]`; got != want {
			t.Errorf("the groups are %s, want %s", got, want)
		}
		do("user root", 204, "PUT", rightsOf, `{"subject":"user:both","right":"manage"}`)
		list("user other", `[]`)
		do("user other", 403, "PUT", rightsOf, `{"subject":"everyone","right":"read"}`)
		do("user both", 404, "PUT", rightsOf, `{"subject":"group:board","right":"read"}`)
		do("user both", 204, "PUT", rightsOf, `{"subject":"group:staff","right":"read"}`)
		list("user other", `[{"name":"default","title":"default","documents":1,"failed":0,"chunks":1,"restricted":true,"right":"read","rights":[]}]`)
		list("user both", `[{"name":"default","title":"default","documents":1,"failed":0,"chunks":1,"restricted":true,"right":"manage","rights":[{"subject":"group:staff","right":"read"},{"subject":"user:both","right":"manage"}]}]`)
		do("user both", 204, "PUT", rightsOf, `{"subject":"group:staff","right":"none"}`)
		list("user other", `[]`)
		do("user both", 204, "DELETE", rightsOf, "")
		list("user other", `[{"name":"default","title":"default","documents":1,"failed":0,"chunks":1,"restricted":false,"right":"read","rights":[]}]`)
		do("user both", 403, "DELETE", rightsOf, "")
		do("user root", 204, "DELETE", "/api/groups/staff", "")
	})
}

// TestShortSources checks that only those who manage a collection learn the folders
// of the server.
func TestShortSources(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{})
	for name, whole := range map[string]bool{"user other": false, "token owner": false, "user both": false, "user root": true} {
		for path, body := range map[string]string{
			"/api/search?q=feed+pump": "", "/api/documents": "", "/api/documents/1": "",
			"/api/ask": `{"question":"When does the feed pump stop?"}`,
		} {
			method := http.MethodGet
			if body != "" {
				method = http.MethodPost
			}
			_, got := s.Person(name).Request(t, method, s.URL+path, body, asJSON...)
			if !strings.Contains(got, "/pump.md") || strings.Contains(got, `"source":"/`) != whole {
				t.Errorf("%s of %s shows the whole path, want %v: %s", path, name, whole, got)
			}
		}
	}
}

// TestNarrowTokensOfAdministrators checks that a token without the scope admin has
// no rights of an administrator, over HTTP and in conversations. An agent with fixed
// collections does not name those that its reader may not read.
func TestNarrowTokensOfAdministrators(t *testing.T) {
	t.Parallel()
	s := guarded(t, servertest.Config{
		Documents: []servertest.Document{vault},
		Agent:     "name: fixed\nstates:\n  ask:\n    initial: true\n    body: [{rag: {collections: [vault]}}]\n    on: [{message: any, to: ask}]\n",
	})
	if err := s.DB.Rights.SetRight(t.Context(), "vault", rights.Grant{Subject: "user:feeder", Level: rights.Read}); err != nil {
		t.Fatal(err)
	}
	a, err := s.DB.Authenticator(auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	token := func(name string, scopes ...auth.Scope) string {
		token, err := a.CreateToken(t.Context(), auth.TokenSpec{Name: name, User: "root", Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	narrow, wide := token("narrow", auth.Ask, auth.Ingest), token("wide", auth.Admin)
	for token, reads := range map[string]bool{narrow: false, wide: true} {
		w := who{Name: "root's token", Header: http.Header{"Authorization": {"Bearer " + token}}}
		for path, want := range map[string]int{"/api/documents/1": 404, "/api/documents/1/text": 404, "/api/search?q=pump&collection=vault": 404} {
			if reads {
				want = 200
			}
			if resp, got := w.Request(t, http.MethodGet, s.URL+path, ""); resp.StatusCode != want {
				t.Errorf("%s: %d %.200s, want %d", path, resp.StatusCode, got, want)
			}
		}
		if resp, got := w.Request(t, http.MethodPut, s.URL+"/api/collections/vault/rights", `{"subject":"user:feeder","right":"read"}`, asJSON...); (resp.StatusCode == 204) != reads {
			t.Errorf("rights are set: %d %s", resp.StatusCode, got)
		}
		c := w.Dial(t, s.URL+fmt.Sprintf("/?protocol=docent.v1&session_id=n%v", reads))
		say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
		say(t, c, wstest.MessageText, frame("user_message", `"When does the vault pump stop?"`))
		got := until(t, c, `"agent_reply_rag"`)
		if strings.Contains(got, "Zqmidnight") != reads || !reads && strings.Contains(strings.ReplaceAll(got, "vault pump", ""), "vault") {
			t.Errorf("the agent answers %s, want a passage: %v", got, reads)
		}
	}
}

// around returns the part of a text around a marker.
func around(text, marker string) string {
	at := strings.Index(strings.ToLower(text), strings.ToLower(marker))
	return text[max(0, at-150):min(len(text), at+150)]
}
