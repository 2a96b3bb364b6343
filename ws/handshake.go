package ws

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/websocket"

	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
)

// Protocol is the name of docent.v1 as a WebSocket subprotocol and in the query
// parameter protocol.
const Protocol = "docent.v1"

// protocolPrefix begins the names of docent's subprotocols.
const protocolPrefix = "docent."

// wantsGUI reports whether a client is BAF's newer React client.
func wantsGUI(r *http.Request) bool { return r.URL.Query().Get("gui") == "1" }

// IsUpgrade reports whether a request asks for a WebSocket.
func IsUpgrade(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// AsksV1 reports whether a request asks for docent.v1. The path of another
// dialect ignores this. Clients of docent.v1 receive errors about credentials
// (see [auth.Refusal]) after the handshake, because browsers hide the status of a
// handshake from the page.
func AsksV1(r *http.Request) bool {
	return IsUpgrade(r) &&
		(slices.Contains(websocket.Subprotocols(r), Protocol) || strings.TrimSpace(r.URL.Query().Get("protocol")) == Protocol)
}

// checkProtocol refuses requests for an unknown docent protocol, because their
// clients would not understand BAF. Other subprotocols belong to BAF's clients.
func checkProtocol(r *http.Request) error {
	asked := strings.TrimSpace(r.URL.Query().Get("protocol"))
	if offered := websocket.Subprotocols(r); asked == "" && !slices.Contains(offered, Protocol) {
		for _, p := range offered {
			if strings.HasPrefix(p, protocolPrefix) && !strings.HasPrefix(p, auth.SubprotocolPrefix) {
				asked = p
				break
			}
		}
	}
	if asked != "" && asked != Protocol {
		return fault.New(fault.Invalid,
			"protocol_unknown", "the server does not speak %.64q; request %s, or no subprotocol for BAF", asked, Protocol)
	}
	return nil
}

// chosenProtocol returns the subprotocol for the response, or "" for none.
// Browsers close a connection if the server chooses none of the offered
// subprotocols. If the client offered only a token, the server therefore returns
// the token.
func (u upgrade) chosenProtocol(r *http.Request) string {
	offered := websocket.Subprotocols(r)
	isToken := func(p string) bool { return strings.HasPrefix(p, auth.SubprotocolPrefix) }
	switch {
	case u.v1 && slices.Contains(offered, Protocol):
		return Protocol
	case len(offered) > 0 && !slices.ContainsFunc(offered, func(p string) bool { return !isToken(p) }):
		return offered[0]
	default:
		return ""
	}
}

// upgrade is a request that will become a connection.
type upgrade struct {
	name  string // of the dialect
	begin func(c *Connection) Handler
	v1    bool // it asks for docent.v1
	baf   bool // it asks for BAF
	opening
	who *auth.Principal // nil if the client has not authenticated yet
}

// upgrade checks a request. The error is the reason to refuse it.
func (s *Server) upgrade(r *http.Request) (upgrade, error) {
	u := upgrade{v1: AsksV1(r)}
	dialect, own := s.cfg.Dialects[r.URL.Path]
	switch {
	case own:
		u.v1, u.name, u.begin = false, dialect.Name, dialect.Begin
	case u.v1:
		u.name, u.begin = v1Name, newV1
	default:
		gui := wantsGUI(r)
		u.baf, u.name, u.begin = true, bafName, func(c *Connection) Handler { return newBAF(c, gui) }
	}
	var err error
	if u.who, err = s.principal(r, u.v1); err != nil {
		return u, err
	}
	if own && u.who.MayOnlyChat() {
		return u, errNoScope
	}
	u.refusal = auth.Refusal(r.Context())
	u.request = s.openRequest(r, u.baf)
	u.request.Channel = channel(r, u.v1)
	if err := u.request.Validate(); err != nil {
		return u, err
	}
	if !own {
		return u, checkProtocol(r)
	}
	return u, nil
}

// openRequest reads the name of the agent, and BAF's names of the session and the user, from a request.
// Headers take precedence over the query. Surrounding spaces are removed, and
// blank values count as absent.
func (s *Server) openRequest(r *http.Request, baf bool) session.OpenRequest {
	query := r.URL.Query()
	first := func(values ...string) string {
		for _, v := range values {
			if v = strings.TrimSpace(v); v != "" {
				return v
			}
		}
		return ""
	}
	user := first(r.Header.Values("X-User-ID")...)
	req := session.OpenRequest{
		Agent:    first(query["agent"]...),
		ID:       first(slices.Concat(r.Header.Values("X-Session-ID"), query["session_id"])...),
		Username: first(append([]string{user}, query["user_id"]...)...),
		Name:     first(query["session_name"]...),
	}
	// In BAF's documentation, the user identifies the session. BAF's newer React
	// client, however, wants a new session if it sends the user only in the query.
	req.Latest = s.cfg.ResumeByUser && user != "" && req.ID == "" && baf
	return req
}

// The channels of sessions; see journal.SessionRecord.
const (
	pageChannel   = "page"
	widgetChannel = "widget"
	socketChannel = "websocket"
)

// channel tells docent's page and its widget on other sites from other clients.
func channel(r *http.Request, v1 bool) string {
	switch origin := r.Header.Get("Origin"); {
	case !v1 || origin == "":
		return socketChannel
	case auth.OwnOrigin(r, origin):
		return pageChannel
	default:
		return widgetChannel
	}
}

// Reasons to refuse a client.
var (
	errNobody = fault.New(fault.Unauthorized,
		"token_needed", "this needs a token: send it as Authorization: Bearer, as a subprotocol, or in hello")
	errNoScope = fault.New(fault.Forbidden, "scope_ask_missing", "your token does not have the scope ask")
)

// principal returns the principal of the client, or nil if the client has not
// authenticated yet. Only clients of docent.v1 can authenticate later, in their
// hello.
func (s *Server) principal(r *http.Request, v1 bool) (*auth.Principal, error) {
	if s.cfg.Authenticate == nil {
		return &s.anyone, nil
	}
	p, known := auth.FromContext(r.Context())
	switch {
	case !known && !v1:
		return nil, errNobody
	case known && !v1 && !p.May(auth.Chat):
		return nil, errNoScope
	case known:
		return &p, nil
	}
	return nil, nil //nolint:nilnil // unknown so far, which is no error
}

// refuseHandshake answers a request that is refused.
func (s *Server) refuseHandshake(w http.ResponseWriter, err error) {
	reason := refusedHandshake
	kind := fault.KindOf(err)
	switch kind {
	case fault.Unauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
		reason = refusedAccess
	case fault.Forbidden:
		reason = refusedAccess
	case fault.RateLimited:
		w.Header().Set("Retry-After", "5")
		reason = refusedPrincipal
	case fault.Unavailable:
		w.Header().Set("Retry-After", "5")
		reason = refusedFull
	}
	count(s.meters.refused, reason)
	writeRefusal(w, kind.HTTPStatus(), kind, fault.TextOf(err))
}

// writeRefusal responds with an error in the format of the HTTP API.
func writeRefusal(w http.ResponseWriter, status int, kind fault.Kind, text fault.Text) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(payload.Error{Code: string(kind), Text: text, Retryable: kind.Retryable()}) // the client has disconnected
}

// upgradeFailed responds to a request that the WebSocket library refuses.
func upgradeFailed(w http.ResponseWriter, _ *http.Request, status int, reason error) {
	kind, text := fault.Invalid, fault.NewText("handshake_needed", "this is not a WebSocket handshake")
	var handshake websocket.HandshakeError
	switch {
	case status == http.StatusForbidden:
		kind, text = fault.Forbidden, fault.NewText("origin_may_not_connect", "pages from this origin may not connect")
	case status >= http.StatusInternalServerError:
		kind, text = fault.Internal, fault.NewText("handshake_failed", "the connection could not be made")
	case errors.As(reason, &handshake):
		text = fault.NewText("handshake_invalid", "the WebSocket handshake is not valid: %s", handshake.Error())
	}
	w.Header().Set("Sec-Websocket-Version", "13")
	writeRefusal(w, status, kind, text)
}
