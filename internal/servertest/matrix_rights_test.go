package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docent/auth"
	"docent/auth/rights"
	"docent/internal/servertest"
	"docent/internal/wstest"
)

// rightsSamples are the requests of TestWhoMayUseACollection, with the least right
// and the scope for each. {vault} stands for the id of a document in the collection.
var rightsSamples = []struct {
	request, body string
	header        []string
	need          rights.Level
	scope         auth.Scope
	ok            int // the status with the right
	none          int // the status without any right
	low           int // the status with a lower right
}{
	{request: "GET /api/documents/{vault}", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/documents/{vault}/text", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/documents/{vault}/file", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/documents/{vault}/chunks", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/documents/export?collection=vault", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/documents/{vault}/versions", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/documents/{vault}/outline", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/documents/{vault}/questions", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "GET /api/search?q=pump&collection=vault", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "POST /api/ask", body: `{"question":"When does the pump stop?","collections":["vault"]}`, header: asJSON, need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "POST /api/briefs/outline", body: `{"task":"When does the pump stop?","collections":["vault"]}`, header: asJSON, need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "POST /api/briefs", body: `{"task":"When does the pump stop?","headings":["Stop"],"collections":["vault"]}`, header: asJSON, need: rights.Read, scope: auth.Ask, ok: 202, none: 404},
	{request: "GET /v1/models/docent/vault", need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "POST /v1/chat/completions", body: `{"model":"docent/vault","messages":[{"role":"user","content":"When does the pump stop?"}]}`, header: asJSON, need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "POST /v1/responses", body: `{"model":"docent/vault","input":"When does the pump stop?"}`, header: asJSON, need: rights.Read, scope: auth.Ask, ok: 200, none: 404},
	{request: "POST /api/documents?collection=vault", body: form, header: []string{"Content-Type", "multipart/form-data; boundary=x"}, need: rights.Write, scope: auth.Ingest, ok: 200, none: 404, low: 403},
	{request: "PATCH /api/documents/1", body: `{"title":"The vault"}`, header: asJSON, need: rights.Write, scope: auth.Ingest, ok: 200, none: 404, low: 403},
	{request: "POST /api/documents/tag", body: `{"ids":[1],"add":["new"]}`, header: asJSON, need: rights.Write, scope: auth.Ingest, ok: 200, none: 200, low: 403},
	{request: "POST /api/documents/move", body: `{"ids":[1],"collection":"vault"}`, header: asJSON, need: rights.Write, scope: auth.Ingest, ok: 200, none: 404, low: 403},
	{request: "POST /api/documents/retry", body: `{"ids":[{note}]}`, header: asJSON, need: rights.Write, scope: auth.Ingest, ok: 202, none: 202, low: 403},
	{request: "POST /api/documents/retry", body: `{"collection":"vault"}`, header: asJSON, need: rights.Write, scope: auth.Ingest, ok: 202, none: 404, low: 403},
	{request: "POST /api/documents/read-again", body: `{"ids":[{note}]}`, header: asJSON, need: rights.Write, scope: auth.Ingest, ok: 202, none: 202, low: 403},
	{request: "PUT /api/documents/{note}/file", body: form, header: []string{"Content-Type", "multipart/form-data; boundary=x"}, need: rights.Write, scope: auth.Ingest, ok: 200, none: 404, low: 403},
	{request: "DELETE /api/documents/{note}", need: rights.Write, scope: auth.Ingest, ok: 204, none: 404, low: 403},
	{request: "PATCH /api/collections/vault", body: `{"title":"The vault"}`, header: asJSON, need: rights.Manage, scope: auth.Ingest, ok: 204, none: 404, low: 403},
	{request: "POST /api/collections", body: `{"name":"vault"}`, header: asJSON, need: rights.Manage, scope: auth.Ingest, ok: 409, none: 403, low: 403},
	{request: "PUT /api/collections/vault/rights", body: `{"subject":"token:feeder","right":"read"}`, header: asJSON, need: rights.Manage, scope: auth.Ingest, ok: 204, none: 404, low: 403},
}

// TestWhoMayUseACollection sends each request with each right of a user, and with some rights of a
// token, a group, and everyone. It also asks over WebSocket, and looks for the collection in all
// lists.
func TestWhoMayUseACollection(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		s := guarded(t, servertest.Config{Store: store, Documents: []servertest.Document{vault}})
		ctx := t.Context()
		if err := s.DB.Rights.AddGroup(ctx, "staff"); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.Rights.SetMember(ctx, "staff", "user:both", true); err != nil {
			t.Fatal(err)
		}
		set := func(subject string, level rights.Level) {
			t.Helper()
			if err := s.DB.Rights.SetRight(ctx, "vault", rights.Grant{Subject: subject, Level: level}); err != nil {
				t.Fatal(err)
			}
		}
		set("user:root", rights.Manage) // so that the collection is restricted
		all, some := []rights.Level{rights.None, rights.Read, rights.Write, rights.Manage}, []rights.Level{rights.Read, rights.Manage}
		for _, by := range []struct {
			subject, person string
			levels          []rights.Level
		}{
			{"user:both", "user both", all},
			{"user:other", "user other", all},
			{"token:both", "token both", some},
			{"group:staff", "user both", some},
			{rights.Everyone, "token both", some},
		} {
			w := s.Person(by.person)
			for _, level := range by.levels {
				set(by.subject, level)
				s.useCollection(t, w, level, fmt.Sprintf("%s as %s with %s", by.person, by.subject, level))
			}
			set(by.subject, rights.None)
		}
	})
}

// useCollection sends each of rightsSamples.
func (s *site) useCollection(t *testing.T, w who, level rights.Level, name string) {
	t.Helper()
	root := s.Person("user root")
	_, body := root.Request(t, http.MethodPost, s.URL+"/api/documents?collection=vault", form, "Content-Type", "multipart/form-data; boundary=x")
	var uploaded struct {
		Results []struct {
			DocumentID int64 `json:"document_id"`
		} `json:"results"`
	}
	if err := json.Unmarshal([]byte(body), &uploaded); err != nil || len(uploaded.Results) != 1 {
		t.Fatalf("upload: %s (%v)", body, err)
	}
	ids := strings.NewReplacer("{vault}", "1", "{note}", fmt.Sprint(uploaded.Results[0].DocumentID))
	for _, sample := range rightsSamples {
		method, path, _ := strings.Cut(ids.Replace(sample.request), " ")
		want := sample.ok
		switch {
		case !w.May(sample.scope):
			want = http.StatusForbidden
		case level == rights.None:
			want = sample.none
		case level < sample.need:
			want = sample.low
		}
		resp, got := w.Request(t, method, s.URL+path, ids.Replace(sample.body), sample.header...)
		if resp.StatusCode != want {
			t.Errorf("%s: %s: status %d, want %d: %.200s", name, sample.request, resp.StatusCode, want, got)
		}
		if level == rights.None && strings.Contains(got, "Zqmidnight") {
			t.Errorf("%s: %s shows a passage", name, sample.request)
		}
	}
	for _, list := range []string{"/api/documents", "/api/info", "/api/collections", "/api/search?q=vault+pump+midnight"} {
		_, got := w.Request(t, http.MethodGet, s.URL+list, "")
		if strings.Contains(got, "vault") != (level >= rights.Read) && list != "/api/search?q=vault+pump+midnight" || level == rights.None && strings.Contains(got, "Zqmidnight") {
			t.Errorf("%s: %s: %.300s", name, list, got)
		}
	}
	c := w.Dial(t, s.URL+fmt.Sprintf("/?protocol=docent.v1&session_id=rights%d", s.asked.Add(1)))
	defer func() { _ = c.CloseNow() }()
	say(t, c, wstest.MessageText, `{"action":"hello","message":{}}`)
	if welcome := until(t, c, `"welcome"`); strings.Contains(welcome, "vault") != (level >= rights.Read) {
		t.Errorf("%s: the welcome is %s", name, welcome)
	}
	say(t, c, wstest.MessageText, frame("user_message", `{"message":"When does the vault pump stop?","collections":["vault"]}`))
	want := "Zqmidnight"
	if level == rights.None {
		want = `"not_found"`
	}
	if got := until(t, c, want); level == rights.None && strings.Contains(got, "Zqmidnight") {
		t.Errorf("%s: the answer over WebSocket is %s", name, got)
	}
}
