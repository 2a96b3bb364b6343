package servertest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docent/agent/session/journal"
	"docent/api"
	"docent/api/route"
	"docent/auth"
	"docent/internal/servertest"
)

// sample is the request of TestWhoMayDoWhat for one route.
type sample struct {
	path   string // {session} stands for the id of a new session; "" is the path of the route
	body   string // {session} as in path; {n} stands for a new number
	header []string
	ok     int    // the status for principals with access
	begun  int    // their other status, if the request begins a job; 0 without one
	owned  bool   // only the owner of the session has access
	named  bool   // the id of the session is per user, so that the session of another owner does not change
	events bool   // administrators have access, too, as programs that send events
	signed bool   // only users who signed in with a password have access
	reads  bool   // administrators have access while they may read conversations
	typed  bool   // the session needs a client of /agent_websocket
	manage bool   // only administrators have access, because no collection is restricted
	errors string // how the bodies of errors begin; "" is the format of docent
}

const form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"note.txt\"\r\n\r\nThe pump stops at noon.\r\n--x--\r\n"

var asJSON = []string{"Content-Type", "application/json"}

// initialize begins a session of MCP.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

var asMCP = append([]string{"Accept", "application/json, text/event-stream"}, asJSON...)

// samples has a sample for each route of api.Routes.
var samples = map[string]sample{
	"GET /api/health":                                      {ok: 200},
	"GET /api/ready":                                       {ok: 200},
	"GET /openapi.json":                                    {ok: 200},
	"GET /ws":                                              {ok: 426},
	"POST /api/login":                                      {ok: 401, body: `{"username":"nobody{n}","password":"wrong"}`, header: asJSON},
	"GET /api/sign-in":                                     {ok: 200},
	"GET /api/sign-in/start":                               {ok: 303},
	"GET /api/sign-in/callback":                            {ok: 303},
	"POST /api/logout":                                     {ok: 204},
	"GET /api/me":                                          {ok: 200},
	"GET /api/info":                                        {ok: 200},
	"GET /api/documents":                                   {ok: 200},
	"GET /api/documents/{id}":                              {path: "/api/documents/1", ok: 200},
	"GET /api/documents/{id}/text":                         {path: "/api/documents/1/text", ok: 200},
	"GET /api/documents/{id}/file":                         {path: "/api/documents/1/file", ok: 200},
	"GET /api/documents/{id}/chunks":                       {path: "/api/documents/1/chunks", ok: 200},
	"GET /api/documents/{id}/outline":                      {path: "/api/documents/1/outline", ok: 200},
	"GET /api/documents/{id}/versions":                     {path: "/api/documents/1/versions", ok: 200},
	"GET /api/documents/{id}/questions":                    {path: "/api/documents/1/questions", ok: 200},
	"GET /api/documents/{id}/description":                  {path: "/api/documents/1/description", ok: 200},
	"GET /api/suggestions":                                 {ok: 200},
	"GET /api/documents/{id}/pages/{page}":                 {path: "/api/documents/1/pages/0", ok: 404}, // it has no pages
	"GET /api/documents/{id}/pages/{page}/image":           {path: "/api/documents/1/pages/0/image", ok: 404},
	"POST /api/pages":                                      {body: "no PDF", ok: 415},
	"GET /api/search":                                      {path: "/api/search?q=pump", ok: 200},
	"POST /api/ask":                                        {body: `{"question":"When does the pump stop?"}`, header: asJSON, ok: 200},
	"GET /v1/models":                                       {ok: 200, errors: `{"error":{`},
	"GET /v1/models/{model}":                               {path: "/v1/models/docent%2Fdefault", ok: 200, errors: `{"error":{`},
	"GET /v1/models/{prefix}/{name}":                       {path: "/v1/models/docent/nothing", ok: 404, errors: `{"error":{`},
	"POST /v1/chat/completions":                            {body: `{"model":"docent/default","messages":[{"role":"user","content":"When does the pump stop?"}]}`, header: asJSON, ok: 200, errors: `{"error":{`},
	"POST /v1/responses":                                   {body: `{"model":"docent","input":"When does the pump stop?"}`, header: asJSON, ok: 200, errors: `{"error":{`},
	"POST /v1/embeddings":                                  {body: `{"model":"docent","input":["pump"]}`, header: asJSON, ok: 200, errors: `{"error":{`},
	"POST /mcp":                                            {body: initialize, header: asMCP, ok: 200},
	"GET /mcp":                                             {ok: 400},
	"DELETE /mcp":                                          {ok: 400},
	"GET /.well-known/oauth-protected-resource":            {ok: 200},
	"GET /.well-known/oauth-protected-resource/mcp":        {ok: 200},
	"POST /agui":                                           {body: `{"threadId":"{session}","runId":"r","messages":[{"role":"user","content":"When does the pump stop?"}]}`, header: asJSON, ok: 200, named: true},
	"GET /api/sessions":                                    {ok: 200},
	"DELETE /api/sessions":                                 {path: "/api/sessions?session_id={session}", ok: 204, owned: true},
	"PATCH /api/sessions/{session_id}":                     {path: "/api/sessions/{session}", body: `{"session_name":"Mine"}`, header: asJSON, ok: 204, owned: true},
	"DELETE /api/sessions/{session_id}":                    {path: "/api/sessions/{session}", ok: 204, owned: true},
	"POST /api/briefs":                                     {body: `{"task":"When does the pump stop?","headings":["Stop"]}`, header: asJSON, ok: 202},
	"POST /api/briefs/outline":                             {body: `{"task":"When does the pump stop?"}`, header: asJSON, ok: 200},
	"POST /api/sessions/{session_id}/stop":                 {path: "/api/sessions/{session}/stop", ok: 204, owned: true},
	"POST /api/sessions/{session_id}/branch":               {path: "/api/sessions/{session}/branch", body: `{"turn":9}`, header: asJSON, ok: 404, owned: true},
	"GET /api/sessions/{session_id}/messages":              {path: "/api/sessions/{session}/messages", ok: 200, owned: true},
	"DELETE /api/sessions/{session_id}/solved/{turn}":      {path: "/api/sessions/{session}/solved/1", ok: 204, owned: true},
	"GET /api/sessions/{session_id}/export":                {path: "/api/sessions/{session}/export", ok: 200, owned: true},
	"GET /api/sessions/{session_id}/trace":                 {path: "/api/sessions/{session}/trace", ok: 200, owned: true},
	"GET /api/agent/picture":                               {ok: 200},
	"GET /api/sessions/{session_id}/files":                 {path: "/api/sessions/{session}/files", ok: 200, owned: true},
	"POST /api/sessions/{session_id}/files":                {path: "/api/sessions/{session}/files", body: form, header: []string{"Content-Type", "multipart/form-data; boundary=x"}, ok: 200, owned: true},
	"DELETE /api/sessions/{session_id}/files/{turn}":       {path: "/api/sessions/{session}/files/1", ok: 404, owned: true},
	"POST /api/sessions/{session_id}/files/{turn}/publish": {path: "/api/sessions/{session}/files/1/publish", body: `{}`, header: asJSON, ok: 404, owned: true},
	"GET /api/shares":                                      {ok: 200},
	"POST /api/shares":                                     {body: `{"session_id":"{session}","turn":1}`, header: asJSON, ok: 404, owned: true}, // it has no turn
	"DELETE /api/shares/{share_id}":                        {path: "/api/shares/none", ok: 404},
	"GET /api/shared/{share_id}":                           {path: "/api/shared/none", ok: 404},
	"POST /notify_websocket":                               {body: `{"sessionId":"{session}","message":"Lunch."}`, header: asJSON, ok: 200, owned: true, events: true, typed: true},
	"POST /api/sessions/{session_id}/events":               {path: "/api/sessions/{session}/events", body: `{"name":"user_update_ui","id":"{n}"}`, header: asJSON, ok: 200, owned: true},
	"POST /api/events":                                     {body: `{"name":"none"}`, header: asJSON, ok: 409},
	"GET /api/today":                                       {ok: 200, manage: true},
	"GET /api/insight/days":                                {ok: 200, manage: true},
	"GET /api/insight/questions":                           {ok: 200, manage: true},
	"GET /api/insight/questions/{id}":                      {path: "/api/insight/questions/999999", ok: 404, manage: true},
	"PATCH /api/insight/questions/{id}":                    {path: "/api/insight/questions/999999", body: `{"mark":"test"}`, header: asJSON, ok: 404, manage: true},
	"GET /api/insight/gaps":                                {ok: 200, manage: true},
	"GET /api/insight/gaps/{id}":                           {path: "/api/insight/gaps/999999", ok: 404, manage: true},
	"PATCH /api/insight/gaps/{id}":                         {path: "/api/insight/gaps/999999", body: `{"state":"solved"}`, header: asJSON, ok: 404, manage: true},
	"GET /api/insight/answers":                             {ok: 200, manage: true},
	"POST /api/insight/answers":                            {body: `{"collection":"default","questions":["Who {n}?"],"text":"Ann.","signed":"Support"}`, header: asJSON, ok: 200, manage: true},
	"POST /api/insight/answers/import":                     {body: `{"collection":"default","csv":"question,answer\nWho is {n}?,Ann."}`, header: asJSON, ok: 200, manage: true},
	"GET /api/insight/quality":                             {ok: 200, manage: true},
	"POST /api/insight/quality/runs":                       {ok: 409, begun: 202, manage: true}, // nothing is kept, or a run goes on
	"POST /api/insight/kept":                               {body: `{"question":"Who {n}?","collection":"default","expect":"absent"}`, header: asJSON, ok: 200, manage: true},
	"PUT /api/insight/kept/{id}":                           {path: "/api/insight/kept/999999", body: `{"question":"Who?","collection":"default","expect":""}`, header: asJSON, ok: 404, manage: true},
	"DELETE /api/insight/kept/{id}":                        {path: "/api/insight/kept/999999", ok: 404, manage: true},
	"GET /api/insight/thresholds":                          {ok: 200, manage: true},
	"PUT /api/insight/answers/{id}":                        {path: "/api/insight/answers/999999", body: `{"questions":["Who?"],"text":"Ann.","signed":"Support"}`, header: asJSON, ok: 404, manage: true},
	"GET /api/admin/conversations":                         {ok: 200, reads: true},
	"GET /api/admin/conversations/{session_id}/messages":   {path: "/api/admin/conversations/{session}/messages", ok: 200, reads: true},
	"GET /api/admin/conversations/{session_id}/export":     {path: "/api/admin/conversations/{session}/export?format=markdown", ok: 200, reads: true},
	"GET /api/admin/log":                                   {ok: 200},
	"GET /api/admin/log/export":                            {ok: 200},
	"POST /api/documents":                                  {body: form, header: []string{"Content-Type", "multipart/form-data; boundary=x"}, ok: 200},
	"DELETE /api/documents/{id}":                           {path: "/api/documents/999999", ok: 404},
	"POST /api/documents/delete":                           {body: `{"ids":[999999]}`, header: asJSON, ok: 200},
	"GET /api/documents/export":                            {path: "/api/documents/export?collection=default", ok: 200},
	"PATCH /api/documents/{id}":                            {path: "/api/documents/999999", body: `{"title":"x"}`, header: asJSON, ok: 404},
	"PUT /api/documents/{id}/file":                         {path: "/api/documents/999999/file", body: form, header: []string{"Content-Type", "multipart/form-data; boundary=x"}, ok: 404},
	"POST /api/documents/tag":                              {body: `{"ids":[999999],"add":["x"]}`, header: asJSON, ok: 200},
	"POST /api/documents/move":                             {body: `{"ids":[999999],"collection":"default"}`, header: asJSON, ok: 200},
	"POST /api/documents/retry":                            {body: `{"ids":[999999]}`, header: asJSON, ok: 202},
	"POST /api/documents/read-again":                       {body: `{"ids":[999999]}`, header: asJSON, ok: 202},
	"GET /api/work":                                        {ok: 200, manage: true},
	"POST /api/work/{work_id}/cancel":                      {path: "/api/work/999999/cancel", ok: 404, manage: true},
	"GET /api/collections":                                 {ok: 200},
	"GET /api/places":                                      {ok: 200},
	"GET /api/facets":                                      {ok: 200},
	"POST /api/collections":                                {body: `{"name":"c{n}"}`, header: asJSON, ok: 204, manage: true},
	"PATCH /api/collections/{collection}":                  {path: "/api/collections/none", body: `{"title":"None"}`, header: asJSON, ok: 404, manage: true},
	"DELETE /api/collections/{collection}":                 {path: "/api/collections/none", ok: 404, manage: true},
	"POST /api/collections/{collection}/empty":             {path: "/api/collections/none/empty", ok: 404, manage: true},
	"PUT /api/collections/{collection}/rights":             {path: "/api/collections/none/rights", body: `{"subject":"nobody","right":"read"}`, header: asJSON, ok: 400},
	"DELETE /api/collections/{collection}/rights":          {path: "/api/collections/none/rights", ok: 404, manage: true},
	"GET /api/groups":                                      {ok: 200},
	"POST /api/groups":                                     {body: `{"name":"g{n}"}`, header: asJSON, ok: 204},
	"DELETE /api/groups/{group}":                           {path: "/api/groups/none", ok: 404},
	"PUT /api/groups/{group}/members":                      {path: "/api/groups/none/members", body: `{"member":"other","is":true}`, header: asJSON, ok: 404},
	"GET /api/tokens":                                      {ok: 200, signed: true},
	"POST /api/tokens":                                     {body: `{"name":"t{n}","scopes":["{scope}"]}`, header: asJSON, ok: 201, signed: true},
	"DELETE /api/tokens/{token_id}":                        {path: "/api/tokens/999999", ok: 404, signed: true},
	"PUT /api/me/password":                                 {body: `{"old":"wrong","password":"another one"}`, header: asJSON, ok: 403, signed: true},
	"GET /api/me/sign-ins":                                 {ok: 200, signed: true},
	"DELETE /api/me/sign-ins/{sign_in_id}":                 {path: "/api/me/sign-ins/none", ok: 404, signed: true},
	"POST /api/me/delete":                                  {body: `{"password":"wrong","conversations":true}`, header: asJSON, ok: 403, signed: true},
	"GET /api/me/export":                                   {ok: 200},
	"GET /api/me/preferences":                              {ok: 200},
	"PUT /api/me/preferences":                              {body: `{"language":"","instructions":"x"}`, header: asJSON, ok: 204},
	"GET /api/prompts":                                     {ok: 200},
	"POST /api/prompts":                                    {body: `{"name":"x","text":"y"}`, header: asJSON, ok: 201},
	"PUT /api/prompts/{prompt_id}":                         {path: "/api/prompts/999", body: `{"name":"x","text":"y"}`, header: asJSON, ok: 404},
	"DELETE /api/prompts/{prompt_id}":                      {path: "/api/prompts/999", ok: 404},
	"GET /api/me/memory":                                   {ok: 200},
	"DELETE /api/me/memory":                                {ok: 200},
	"POST /api/password-link":                              {body: `{"link":""}`, header: asJSON, ok: 400},
	"PUT /api/password-link":                               {body: `{"link":"","password":"x"}`, header: asJSON, ok: 400},
	"GET /api/users":                                       {ok: 200},
	"POST /api/users":                                      {body: `{"name":"guest{n}","scopes":["ask"]}`, header: asJSON, ok: 201},
	"PATCH /api/users/{user}":                              {path: "/api/users/none", body: `{"disabled":true}`, header: asJSON, ok: 404},
	"DELETE /api/users/{user}":                             {path: "/api/users/none?conversations=true", ok: 404},
	"POST /api/users/{user}/link":                          {path: "/api/users/none/link", ok: 404},
	"DELETE /api/users/{user}/sign-ins":                    {path: "/api/users/none/sign-ins", ok: 404},
	"GET /api/users/{user}/access":                         {path: "/api/users/none/access", ok: 404},
	"POST /api/setup":                                      {body: `{"code":"x","name":"eve","password":"correct horse"}`, header: asJSON, ok: 403},
	"POST /api/setup/check":                                {body: `{"code":"x"}`, header: asJSON, ok: 403},
	"GET /api/settings":                                    {ok: 200},
	"PUT /api/settings/{key}":                              {path: "/api/settings/none", body: `{"value":"1"}`, header: asJSON, ok: 404},
	"DELETE /api/settings/{key}":                           {path: "/api/settings/none", ok: 404},
	"GET /api/models":                                      {ok: 200},
	"PUT /api/models":                                      {body: `{"names":["none"]}`, header: asJSON, ok: 409},
	"PUT /api/models/{name}":                               {path: "/api/models/none", body: `{"url":"none"}`, header: asJSON, ok: 400},
	"DELETE /api/models/{name}":                            {path: "/api/models/none", ok: 404},
	"POST /api/models/test":                                {body: `{"name":"none"}`, header: asJSON, ok: 200},
	"GET /api/models/local":                                {ok: 200},
	"GET /api/system":                                      {ok: 200},
	"GET /api/system/backups":                              {ok: 200},
	"POST /api/system/backups":                             {ok: 409},
	"GET /api/system/digest":                               {ok: 200},
	"POST /api/system/digest":                              {ok: 409},
	"GET /metrics":                                         {ok: 200},
	"GET /api/source-kinds":                                {ok: 200},
	"GET /api/sources":                                     {ok: 200},
	"POST /api/sources":                                    {body: `{"kind":"none","location":"x"}`, header: asJSON, ok: 400},
	"GET /api/sources/{source_id}":                         {path: "/api/sources/999999", ok: 404},
	"PATCH /api/sources/{source_id}":                       {path: "/api/sources/999999", body: `{"paused":true}`, header: asJSON, ok: 404},
	"DELETE /api/sources/{source_id}":                      {path: "/api/sources/999999", ok: 404},
	"POST /api/sources/{source_id}/sync":                   {path: "/api/sources/999999/sync", ok: 404},
	"POST /api/sources/{source_id}/retry":                  {path: "/api/sources/999999/retry", ok: 404},
	"GET /api/sources/{source_id}/failures":                {path: "/api/sources/999999/failures", ok: 404},
}

// want returns the status that a person should get from a route. It depends only
// on the row and the sample of the route.
func (s *site) want(scope auth.Scope, sent sample, w who, owner string) int {
	switch p := (auth.Principal{ID: w.ID, Scopes: w.Scopes}); {
	case w.Wrong:
		return http.StatusUnauthorized
	case scope == route.Public:
		return sent.ok
	case w.ID == "":
		return http.StatusUnauthorized
	case scope != route.Known && !p.May(scope), p.MayOnlyChat():
		return http.StatusForbidden
	case sent.signed && !strings.HasPrefix(w.Name, "user "):
		return http.StatusForbidden
	case sent.manage && !p.May(auth.Admin), sent.reads && !s.reads:
		return http.StatusForbidden
	case sent.owned && w.ID != owner && !(sent.events && p.May(auth.Admin)), sent.typed && owner == "": // nobody is connected
		return http.StatusNotFound
	default:
		return sent.ok
	}
}

// TestWhoMayDoWhat requests every route as every person. Routes without a row in
// api.Routes or without a sample fail.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) { whoMayDoWhat(t, servertest.Config{Store: store}) })
}

// TestWhoMayReadWhat is TestWhoMayDoWhat while administrators may read conversations, for the routes of conversations.
func TestWhoMayReadWhat(t *testing.T) {
	t.Parallel()
	servertest.OnBothStores(t, func(t *testing.T, store servertest.Store) {
		whoMayDoWhat(t, servertest.Config{Store: store, Settings: map[string]string{"read-conversations": "true"}})
	})
}

func whoMayDoWhat(t *testing.T, cfg servertest.Config) {
	t.Helper()
	s := guarded(t, cfg)
	rows := s.wantDeclared(t)
	// rank puts the sign-out last.
	for _, route := range slices.SortedFunc(maps.Keys(rows), func(a, b string) int { return strings.Compare(rank(a), rank(b)) }) {
		if s.reads && !samples[route].owned && !samples[route].reads {
			continue // the setting does not concern it
		}
		owners := []string{""}
		if samples[route].owned || samples[route].named || samples[route].reads {
			owners = []string{"token:owner", "user:owner", ""}
		}
		for _, owner := range owners {
			for _, w := range s.People {
				s.check(t, route, rows[route], w, owner)
			}
		}
	}
}

func rank(route string) string {
	if route == "POST /api/logout" {
		return "z"
	}
	return route
}

// wantDeclared compares the rows, the samples, and the description, and returns
// the scopes.
func (s *site) wantDeclared(t *testing.T) map[string]auth.Scope {
	t.Helper()
	rows := map[string]auth.Scope{}
	for _, a := range api.Routes() {
		rows[a.Route] = a.Scope
		if _, ok := samples[a.Route]; !ok {
			t.Errorf("%s has no sample", a.Route)
		}
	}
	for route := range samples {
		if _, ok := rows[route]; !ok {
			t.Errorf("%s is no route", route)
		}
	}
	_, body := who{}.Request(t, http.MethodGet, s.URL+"/openapi.json", "")
	var spec struct {
		Paths map[string]map[string]struct {
			Security []map[string][]string `json:"security"`
		} `json:"paths"`
	}
	if err := json.Unmarshal([]byte(body), &spec); err != nil {
		t.Fatal(err)
	}
	described := 0
	for path, methods := range spec.Paths {
		for method, op := range methods {
			pattern := strings.ToUpper(method) + " " + path
			scope, ok := rows[pattern]
			if described++; !ok {
				t.Errorf("%s has no row", pattern)
			}
			wanted := "[]"
			switch scope {
			case route.Public:
			case route.Known:
				wanted = "[map[token:[]] map[cookie:[]]]"
			default:
				wanted = fmt.Sprintf("[map[token:[%s]] map[cookie:[%s]]]", scope, scope)
			}
			if got := fmt.Sprint(op.Security); got != wanted {
				t.Errorf("%s is described as for %s, want %s", pattern, got, wanted)
			}
		}
	}
	if described != len(rows)-1 { // /openapi.json does not describe itself
		t.Errorf("%d routes are described, %d declared", described, len(rows))
	}
	return rows
}

func (s *site) check(t *testing.T, route string, scope auth.Scope, w who, owner string) {
	t.Helper()
	sample := samples[route]
	method, path, _ := strings.Cut(route, " ")
	if sample.path != "" {
		path = sample.path
	}
	methods := []string{method}
	if method == http.MethodGet {
		methods = append(methods, http.MethodHead)
	}
	for _, method := range methods {
		var key journal.SessionKey
		if sample.owned || sample.named || sample.reads {
			key = s.session(t, owner)
		}
		wanted := s.want(scope, sample, w, owner)
		if sample.typed && wanted == sample.ok {
			i := slices.IndexFunc(s.People, func(of who) bool { return of.ID == owner && of.May(auth.Ask) })
			c := s.People[i].Dial(t, s.URL+"/agent_websocket?session_id="+key.ID)
			hear(t, c)
			defer func() { _ = c.CloseNow() }()
		}
		at := s.URL + strings.ReplaceAll(path, "{session}", key.ID)
		said := strings.NewReplacer("{session}", key.ID, "{n}", strconv.FormatInt(s.asked.Add(1), 10), "{scope}", strings.Split(w.Scopes.String(), " ")[0]).Replace(sample.body)
		resp, body := w.Request(t, method, at, said, append(s.from(), sample.header...)...)
		if resp.StatusCode != wanted && (wanted != sample.ok || resp.StatusCode != sample.begun) {
			t.Errorf("%s %s as %s of %q's: %d, want %d: %.200s", method, path, w.Name, owner, resp.StatusCode, wanted, body)
		}
		if resp.StatusCode == http.StatusUnauthorized && !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s %s as %s: it does not say how to authenticate", method, path, w.Name)
		}
		if sample.reads || sample.owned && wanted >= 400 || sample.named && w.ID != owner {
			s.wantUntouched(t, key, method+" "+path+" as "+w.Name)
		}
		if method != http.MethodHead && resp.StatusCode >= 400 && !strings.HasPrefix(body, cmp.Or(sample.errors, `{"code":"`)) {
			t.Errorf("%s %s as %s: the error is %s", method, path, w.Name, body)
		}
	}
	if route == "GET /api/sessions" && s.want(scope, sample, w, "") == 200 {
		s.wantOwnList(t, w)
	}
}

// wantUntouched checks that a session has not changed.
func (s *site) wantUntouched(t *testing.T, key journal.SessionKey, after string) {
	t.Helper()
	r, err := s.DB.Sessions.Session(t.Context(), key)
	if err != nil || r.Seq != 0 || r.Turn != 0 || r.Name != "" || r.State != "" || len(r.Variables) != 0 {
		t.Errorf("after %s the session is %+v, %v", after, r, err)
	}
}

// wantOwnList checks that everybody lists only their own sessions, also by owner.
func (s *site) wantOwnList(t *testing.T, w who) {
	t.Helper()
	owners := map[string]bool{}
	for _, owner := range []string{w.ID, "user:eve", ""} {
		s.session(t, owner)
		owners[owner] = owner == w.ID
	}
	got := map[string]bool{}
	for _, query := range []string{"", "&owner=user:eve", "&username=eve", "&match=a"} {
		_, body := w.Request(t, http.MethodGet, s.URL+"/api/sessions?limit=1000"+query, "")
		var list []api.Session
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			got[one.Owner] = true
		}
	}
	for owner, there := range owners {
		if got[owner] != there {
			t.Errorf("%s: the list has sessions of %q: %v, want %v", w.Name, owner, got[owner], there)
		}
	}
}
