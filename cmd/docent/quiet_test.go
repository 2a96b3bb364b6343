package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"docent/agent/session/journal"
	"docent/auth"
	"docent/internal/servertest"
	"docent/internal/wstest"
	"docent/payload"
)

// said is part of every text that users send or store in TestLogsAreQuiet.
const said = "quaggasaid"

// TestLogsAreQuiet: even at level debug, neither the log nor standard error
// contains texts, documents, or credentials of users.
func TestLogsAreQuiet(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := guarded(t, []string{"DOCENT_DATA=" + dataFolder(t)}, "--log-level", "debug", "--log-format", format)
			owner, user := s.as(t, "token both"), s.as(t, "user both")
			secrets := []string{said, servertest.Password, "docent_wrong", "quaggaguess", "token=", auth.CookieName + "=", auth.SubprotocolPrefix}
			for _, w := range s.people {
				if w.Token != "" {
					secrets = append(secrets, w.Token, url.QueryEscape(w.Token))
				}
				if cookie := w.Header.Get("Cookie"); w.ID != "" && cookie != "" {
					secrets = append(secrets, strings.TrimPrefix(cookie, auth.CookieName+"="))
				}
			}
			secrets = append(secrets, s.signIn(t))
			s.askAll(t, owner)
			s.askAll(t, user)
			s.getWrong(t, owner)
			s.converseAll(t, owner)
			if err := s.server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := s.server.wait(); code != 0 {
				t.Errorf("status %d", code)
			}
			log := s.server.log.String() + s.server.out.String()
			for _, secret := range secrets {
				if at := strings.Index(log, secret); at >= 0 {
					t.Errorf("%q is in the log: %s", secret, log[max(0, at-200):min(len(log), at+100)])
				}
			}
			if strings.Count(log, "\n") < 50 {
				t.Errorf("there is hardly a log:\n%s", log)
			}
		})
	}
}

// signIn sends a wrong and the right password, and returns the cookie.
func (s *site) signIn(t *testing.T) string {
	t.Helper()
	login := func(password string, want int) *http.Response {
		t.Helper()
		resp, body := who{}.Request(t, "POST", s.at+"/api/login", fmt.Sprintf(`{"username":"both","password":%q}`, password), asJSON...)
		if resp.StatusCode != want || strings.Contains(body, password) {
			t.Fatalf("sign in: %d %s", resp.StatusCode, body)
		}
		return resp
	}
	login("quaggaguess", 401)
	login(said, 401)
	cookie := login(servertest.Password, 200).Cookies()[0].Value
	in := who{Header: http.Header{"Cookie": {auth.CookieName + "=" + cookie}}}
	for _, route := range []string{"GET /api/me", "POST /api/logout"} {
		method, path, _ := strings.Cut(route, " ")
		if resp, body := in.Request(t, method, s.at+path, ""); resp.StatusCode >= 300 {
			t.Errorf("%s: %d %s", route, resp.StatusCode, body)
		}
	}
	return cookie
}

// askAll goes through what HTTP offers.
func (s *site) askAll(t *testing.T, w who) {
	t.Helper()
	key := journal.SessionKey{Agent: "docent", ID: strings.ReplaceAll(w.Name, " ", "-")}
	if _, _, err := s.db.Sessions.OpenSession(t.Context(), journal.SessionRecord{Key: key, Owner: w.ID, Platform: "WebSocketPlatform"}); err != nil {
		t.Fatal(err)
	}
	upload := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"note.txt\"\r\n\r\nThe pump stops at " + said + ".\r\n--x--\r\n"
	question := fmt.Sprintf(`{"question":"What is %s?"}`, said)
	for _, c := range []struct {
		method, path, body string
		header             []string
	}{
		{"POST", "/api/documents", upload, []string{"Content-Type", "multipart/form-data; boundary=x"}},
		{"POST", "/api/ask", question, asJSON},
		{"POST", "/api/ask", question, append([]string{"Accept", "text/event-stream"}, asJSON...)},
		{"GET", "/api/search?explain=true&q=" + said, "", nil},
		{"GET", "/api/documents?match=" + said, "", nil},
		{"GET", "/api/sessions?username=" + said, "", nil},
		{"PATCH", "/api/sessions/" + key.ID, `{"session_name":"` + said + `"}`, asJSON},
		{"GET", "/api/sessions/" + key.ID + "/messages", "", nil},
		{"GET", "/api/sessions/" + key.ID + "/export", "", nil},
		{"GET", "/?q=" + said, "", nil},
	} {
		if resp, body := w.Request(t, c.method, s.at+c.path, c.body, c.header...); resp.StatusCode >= 300 {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
		}
	}
	if w.Token == "" {
		return
	}
	at := s.at + "/api/search?q=" + said + "&token=" + url.QueryEscape(w.Token)
	if resp, body := (who{}).Request(t, "GET", at, ""); resp.StatusCode != 401 {
		t.Errorf("token in the query: %d %s", resp.StatusCode, body)
	}
}

// getWrong makes every mistake with HTTP.
func (s *site) getWrong(t *testing.T, w who) {
	t.Helper()
	wrong := s.as(t, "bad token")
	for i, c := range []struct {
		who                who
		method, path, body string
	}{
		{wrong, "GET", "/api/documents?q=" + said, ""},
		{w, "GET", "/" + said + "?q=" + said, ""},
		{who{}, "GET", "/api/documents?token=docent_wrong" + said, ""},
		{who{}, "GET", "/api/sessions?username=" + said, ""},
		{w, "GET", "/api/" + said, ""},
		{w, "GET", "/api/documents/" + said, ""},
		{w, "GET", "/api/search?k=" + said, ""},
		{w, "GET", "/api/search?q=x&collection=" + said, ""},
		{w, "POST", "/api/ask", `{"question":"` + said},
		{w, "POST", "/api/ask", `{"question":"x","model":"` + said + `"}`},
		{w, "POST", "/api/documents", said},
		{w, said, "/api/documents", ""},
		{w, "POST", "/notify_websocket", `{"sessionId":"none","message":"` + said + `"}`},
	} {
		if resp, body := c.who.Request(t, c.method, s.at+c.path, c.body, append([]string{"X-Forwarded-For", fmt.Sprintf("10.0.0.%d", i)}, asJSON...)...); resp.StatusCode < 400 {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
		}
	}
}

// converseAll talks over WebSockets in all three protocols, with every kind of
// credential. It also sends invalid frames.
func (s *site) converseAll(t *testing.T, w who) {
	t.Helper()
	query := "token=" + url.QueryEscape(w.Token)
	typed := `{"type":"query","content":"What is ` + said + `?"}`
	message := frame(payload.UserMessage, `"What is `+said+`?"`)
	for _, c := range []struct {
		name, path, protocol, hello, ask, until string
		shows                                   http.Header
	}{
		{"header", "/", "", "", message, "agent_reply_rag", w.Header},
		{"query", "/?user_id=" + said + "&" + query, "", "", message, "agent_reply_rag", nil},
		{"subprotocol", "/", auth.SubprotocolPrefix + w.Token, "", message, "agent_reply_rag", nil},
		{"hello", "/?protocol=docent.v1&session_name=" + said, "", frame(payload.HelloAction, `{"token":"`+w.Token+`"}`), message, "turn_finished", nil},
		{"wrong hello", "/?protocol=docent.v1", "", frame(payload.HelloAction, `{"token":"docent_wrong"}`), message, "", nil},
		{"two subprotocols", "/", "docent.v1," + auth.SubprotocolPrefix + w.Token, frame(payload.HelloAction, `{}`), message, "turn_finished", nil},
		{"typed", "/agent_websocket?" + query, "", "", typed, `"response"`, nil},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		o := &wstest.DialOptions{HTTPHeader: c.shows}
		if c.protocol != "" {
			o.Subprotocols = strings.Split(c.protocol, ",")
		}
		conn, _, err := wstest.Dial(ctx, "ws"+strings.TrimPrefix(s.at, "http")+c.path, o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		conn.SetReadLimit(8 << 20)
		frames := []string{
			said, `{"action":"` + said + `","message":"` + said + `"}`, `{"type":"` + said + `"}`, `{"action":"user_message","message":{"` + said + `":`,
			frame(payload.UserVoice, `"`+said+`"`), frame(payload.UserFile, `{"name":"`+said+`.txt","type":"text/plain","base64":"aGk="}`),
			frame(payload.UserSetVariable, `{"`+said+`":"`+said+`"}`), `{"type":"human_feedback","content":"` + said + `"}`,
		}
		if c.hello != "" {
			frames = append([]string{c.hello}, frames...)
		}
		for _, f := range append(frames, c.ask) {
			if conn.Write(ctx, wstest.MessageText, []byte(f)) != nil {
				break
			}
		}
		for {
			_, data, err := conn.Read(ctx)
			if err != nil {
				if c.until != "" {
					t.Errorf("%s: %v", c.name, err)
				}
				break
			}
			if c.until != "" && strings.Contains(string(data), c.until) {
				break
			}
		}
		_ = conn.Close(wstest.StatusNormalClosure, said)
		cancel()
	}
}
