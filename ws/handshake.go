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

// Protocol is the name under which clients ask for docent.v1: as a WebSocket
// subprotocol or as the query parameter protocol.
const Protocol = "docent.v1"

// wantsGUI reports whether a client is BAF's newer React client, by the query
// parameter gui.
func wantsGUI(r *http.Request) bool { return r.URL.Query().Get("gui") == "1" && !wantsV1(r) }

// IsUpgrade reports whether a request wants to become a WebSocket.
func IsUpgrade(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// AsksV1 reports whether a request wants to become a connection of docent.v1,
// which is told what is wrong with its credentials (see [auth.Refusal]) after the
// handshake: browsers show no status of one to a page.
func AsksV1(r *http.Request) bool { return IsUpgrade(r) && wantsV1(r) }

// wantsV1 reports whether a client asks for docent.v1.
func wantsV1(r *http.Request) bool {
	return r.URL.Path != TypedPath &&
		(slices.Contains(websocket.Subprotocols(r), Protocol) || strings.TrimSpace(r.URL.Query().Get("protocol")) == Protocol)
}

// protocolPrefix begins the names of our dialects.
const protocolPrefix = "docent."

// checkProtocol refuses what asks for a dialect of ours that there is not, as it
// would not understand BAF. Other subprotocols are those of BAF's clients.
func checkProtocol(r *http.Request) error {
	if r.URL.Path == TypedPath {
		return nil
	}
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
		return fault.New(fault.Invalid, "%.64q is not spoken here: ask for %s, or for nothing to speak as BAF does", asked, Protocol)
	}
	return nil
}

// chosenProtocol is the subprotocol to answer a handshake with, "" for none.
// Browsers give up a connection if none of those that they offered is chosen, so
// that a token comes back to a client that offered nothing else.
func chosenProtocol(r *http.Request) string {
	offered := websocket.Subprotocols(r)
	isToken := func(p string) bool { return strings.HasPrefix(p, auth.SubprotocolPrefix) }
	switch {
	case slices.Contains(offered, Protocol) && r.URL.Path != TypedPath:
		return Protocol
	case len(offered) > 0 && !slices.ContainsFunc(offered, func(p string) bool { return !isToken(p) }):
		return offered[0]
	default:
		return ""
	}
}

// openRequest reads BAF's names from a handshake: headers win over the query,
// spaces around them do not count, and blank values count as absent.
func (s *Server) openRequest(r *http.Request) session.OpenRequest {
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
		ID:       first(slices.Concat(r.Header.Values("X-Session-ID"), query["session_id"])...),
		Username: first(append([]string{user}, query["user_id"]...)...),
		Name:     first(query["session_name"]...),
	}
	// BAF's documentation says that the user identifies the session; its React
	// client means a new one where it names the user in the query alone.
	req.Latest = s.cfg.ResumeByUser && user != "" && req.ID == "" && r.URL.Path != TypedPath && !wantsV1(r)
	return req
}

// Why somebody is not let in.
var (
	errNobody  = fault.New(fault.Unauthorized, "this needs a token: send it as Authorization: Bearer, as a subprotocol, or in hello")
	errNoScope = fault.New(fault.Forbidden, "your token does not allow to ask")
)

// principal is who asks; nil if that is still to be said, as only docent.v1 can.
func (s *Server) principal(r *http.Request) (*auth.Principal, error) {
	if s.cfg.Authenticate == nil {
		return &s.anyone, nil
	}
	p, known := auth.FromContext(r.Context())
	v1 := wantsV1(r) // hears of all that is wrong after its hello
	switch {
	case !known && !v1:
		return nil, errNobody
	case known && !v1 && !p.May(auth.Ask):
		return nil, errNoScope
	case known:
		return &p, nil
	}
	return nil, nil //nolint:nilnil // nobody, and nothing wrong with that yet
}

// refuseHandshake answers a request that does not become a connection.
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
	writeRefusal(w, kind.HTTPStatus(), kind, fault.Message(err))
}

// writeRefusal answers a request that does not become a connection, in the shape
// that errors of the HTTP API have.
func writeRefusal(w http.ResponseWriter, status int, kind fault.Kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(payload.Error{Code: string(kind), Message: message, Retryable: kind.Retryable()}) // the client is gone
}

// upgradeFailed is what the WebSocket library says of a handshake.
func upgradeFailed(w http.ResponseWriter, _ *http.Request, status int, reason error) {
	kind, message := fault.Invalid, "this is no WebSocket handshake"
	var handshake websocket.HandshakeError
	switch {
	case status == http.StatusForbidden:
		kind, message = fault.Forbidden, "pages from this origin may not connect"
	case status >= http.StatusInternalServerError:
		kind, message = fault.Internal, "the connection could not be made"
	case errors.As(reason, &handshake):
		message = handshake.Error()
	}
	w.Header().Set("Sec-Websocket-Version", "13")
	writeRefusal(w, status, kind, message)
}
