package ws

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/websocket"

	"docent/agent"
)

// Protocol is the name under which clients ask for docent.v1: as a WebSocket
// subprotocol or as the query parameter protocol.
const Protocol = "docent.v1"

// IsUpgrade reports whether a request wants to become a WebSocket.
func IsUpgrade(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// wantsV1 reports whether a client asks for docent.v1.
func wantsV1(r *http.Request) bool {
	return slices.Contains(websocket.Subprotocols(r), Protocol) || r.URL.Query().Get("protocol") == Protocol
}

// openRequest reads BAF's names from a handshake: headers win over the query,
// spaces around them do not count, and blank values count as absent.
func openRequest(r *http.Request) agent.OpenRequest {
	query := r.URL.Query()
	first := func(header, parameter string) string {
		values := query[parameter]
		if header != "" {
			values = append(r.Header.Values(header), values...)
		}
		for _, v := range values {
			if v = strings.TrimSpace(v); v != "" {
				return v
			}
		}
		return ""
	}
	return agent.OpenRequest{
		ID:       first("X-Session-ID", "session_id"),
		Username: first("X-User-ID", "user_id"),
		Name:     first("", "session_name"),
	}
}
