package ws

import "github.com/gorilla/websocket"

// CloseCode is a reason for which the server closes a connection.
type CloseCode struct {
	// Code is the code in the close frame.
	Code int
	// Reason is the text in the close frame.
	Reason string
	// Meaning explains the code to authors of clients.
	Meaning string
}

// Reconnect reports whether a client should connect again. The WebSocket standard
// defines the codes from 1000 to 1015. The server's own codes are from 4000 to
// 4599. Clients should connect again after codes below 4500, and should not after
// the others.
func (c CloseCode) Reconnect() bool {
	return c.Code != websocket.CloseNormalClosure && c.Code != websocket.ClosePolicyViolation &&
		c.Code != websocket.CloseMessageTooBig && c.Code < 4500
}

// The close codes.
var (
	// CloseIdle closes an idle client of Agent WebSocket.
	CloseIdle = CloseCode{
		websocket.CloseNormalClosure, "Session timeout",
		"Only at /agent_websocket: the client was idle for longer than the setting session-timeout " +
			"allows (30 minutes).",
	}
	// CloseGoingAway closes the connections during Server.Shutdown.
	CloseGoingAway = CloseCode{
		websocket.CloseGoingAway, "server is shutting down",
		"The server stops or restarts. Running turns are stored. Waiting turns run after the next start.",
	}
	// CloseProtocol reports a violation of the protocol. The WebSocket library
	// sends it, with a reason.
	CloseProtocol = CloseCode{
		websocket.CloseProtocolError, "",
		"The client violated the WebSocket protocol (RFC 6455).",
	}
	// CloseTooBig reports a frame that is too large. The WebSocket library sends
	// it.
	CloseTooBig = CloseCode{websocket.CloseMessageTooBig, "", "A frame exceeded the frame limit (32 MiB)."}
	// CloseInternal reports an internal error of the server.
	CloseInternal = CloseCode{
		websocket.CloseInternalServerErr, "internal error",
		"An internal error. See docent's log.",
	}
	// CloseSlow closes a client that reads too slowly.
	CloseSlow = CloseCode{
		4000, "reading too slowly",
		"The client read too slowly and exceeded the outbox (1 MiB, or 64 MiB of frames over 64 KiB). " +
			"Missed frames are stored. A client that does not read at all may see 1006 instead.",
	}
	// CloseSilent closes a client that is probably gone.
	CloseSilent = CloseCode{4001, "nothing heard", "The client sent no frame for 60 seconds, not even a pong."}
	// CloseUnavailable refuses a session temporarily.
	CloseUnavailable = CloseCode{
		4002, "try again later",
		"The session could not be opened: the database is unavailable, there are too many sessions or " +
			"connections, or there were too many wrong tokens.",
	}
	// CloseStalled closes a client that leaves a message unfinished.
	CloseStalled = CloseCode{
		4003, "message too slow",
		"For 30 seconds, less than 8 KiB of a message arrived per second. Pongs do not count.",
	}
	// CloseNoHello closes a docent.v1 client that does not say hello.
	CloseNoHello = CloseCode{4500, "no hello", "A docent.v1 client must say hello within 10 seconds."}
	// CloseGone closes the clients of a deleted session.
	CloseGone = CloseCode{4501, "the session was deleted", "The session was deleted while the client was in it."}
	// CloseUnauthorized closes a client without valid credentials.
	CloseUnauthorized = CloseCode{
		4502, "unauthorized",
		"The token is missing, wrong, revoked, or expired, or it lost scopes.",
	}
	// CloseForbidden closes a client that may not use the session.
	CloseForbidden = CloseCode{
		4503, "forbidden",
		"The token lacks the scope ask, or the session belongs to another user.",
	}
)

// CloseCodes returns every close code that the server sends, in order.
func CloseCodes() []CloseCode {
	return []CloseCode{
		CloseIdle, CloseGoingAway, CloseProtocol, CloseTooBig, CloseInternal, CloseSlow, CloseSilent, CloseUnavailable, CloseStalled,
		CloseNoHello, CloseGone, CloseUnauthorized, CloseForbidden,
	}
}
