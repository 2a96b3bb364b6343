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

// Reconnect reports whether a client should connect again. WebSocket defines the
// codes from 1000 to 1015. After the server's codes from 4000 to 4499 clients
// should connect again, after those from 4500 to 4599 they should not.
func (c CloseCode) Reconnect() bool {
	return c.Code != websocket.CloseNormalClosure && c.Code != websocket.ClosePolicyViolation &&
		c.Code != websocket.CloseMessageTooBig && c.Code < 4500
}

// The close codes.
var (
	// CloseIdle closes an idle client of Agent WebSocket.
	CloseIdle = CloseCode{
		websocket.CloseNormalClosure, "Session timeout",
		"Only at /agent_websocket: nothing was said for as long as the setting session-timeout allows (30 minutes).",
	}
	// CloseGoingAway is used by Server.Shutdown.
	CloseGoingAway = CloseCode{
		websocket.CloseGoingAway, "server is shutting down",
		"docent is being stopped or restarted. Turns that ran are stored; those that waited run when the session is opened again.",
	}
	// CloseProtocol is sent by the WebSocket library itself, with a reason.
	CloseProtocol = CloseCode{websocket.CloseProtocolError, "", "What came is not WebSocket as RFC 6455 has it."}
	// CloseTooBig is sent by the WebSocket library itself.
	CloseTooBig = CloseCode{websocket.CloseMessageTooBig, "", "A frame was larger than the frame limit (32 MiB)."}
	// CloseInternal reports a fault of the server.
	CloseInternal = CloseCode{websocket.CloseInternalServerErr, "internal error", "A fault inside docent; its log has the details."}
	// CloseSlow closes a client that does not read.
	CloseSlow = CloseCode{
		4000, "reading too slowly",
		"More than the outbox (1 MiB, or 64 MiB of frames over 64 KiB) waited for this client. What was " +
			"missed is stored. One that has stopped reading may see 1006 instead.",
	}
	// CloseSilent closes a client that is probably gone.
	CloseSilent = CloseCode{4001, "nothing heard", "Nothing, not even a pong, was heard for 60 seconds."}
	// CloseUnavailable refuses a session for now.
	CloseUnavailable = CloseCode{
		4002, "try again later",
		"The session could not be opened: the database does not answer, there are too many sessions or " +
			"connections, or wrong tokens came too often.",
	}
	// CloseStalled closes a client that leaves a message unfinished.
	CloseStalled = CloseCode{
		4003, "message too slow",
		"Less than 8 KiB a second of a message came, for 30 seconds; pongs are no part of it.",
	}
	// CloseNoHello closes a docent.v1 client that does not say hello.
	CloseNoHello = CloseCode{4500, "no hello", "A docent.v1 client must say hello within 10 seconds."}
	// CloseGone closes the clients of a deleted session.
	CloseGone = CloseCode{4501, "the session was deleted", "The session was deleted while the client was in it."}
	// CloseUnauthorized closes a client without valid credentials.
	CloseUnauthorized = CloseCode{
		4502, "unauthorized",
		"The client brought no token, or one that is wrong, revoked or expired, or may do less than it did.",
	}
	// CloseForbidden closes a client that may not use the session.
	CloseForbidden = CloseCode{
		4503, "forbidden",
		"The token does not allow to ask, or the session belongs to somebody else.",
	}
)

// CloseCodes returns every close code that the server sends, in order.
func CloseCodes() []CloseCode {
	return []CloseCode{
		CloseIdle, CloseGoingAway, CloseProtocol, CloseTooBig, CloseInternal, CloseSlow, CloseSilent, CloseUnavailable, CloseStalled,
		CloseNoHello, CloseGone, CloseUnauthorized, CloseForbidden,
	}
}
