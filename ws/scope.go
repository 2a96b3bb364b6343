package ws

import (
	"docent/agent/session"
	"docent/auth"
	"docent/internal/fault"
)

// minVisitorID is the shortest session id of a client that may only chat, in
// characters. All visitors of a site have the same token, so the id alone protects
// a conversation. A random UUID has 36 characters.
const minVisitorID = 22

// restrict changes the request of a client that may only chat, so that it opens the
// named session or a new one.
func restrict(who *auth.Principal, req *session.OpenRequest) error {
	if !who.MayOnlyChat() {
		return nil
	}
	if req.ID != "" && len(req.ID) < minVisitorID {
		return fault.New(fault.Forbidden,
			"session_id_guessable", "with a token that may only chat, a session id has at least %d characters; use a random one, such as a UUID", minVisitorID)
	}
	req.Latest, req.Channel = false, widgetChannel
	return nil
}

// permitted fails with fault.Forbidden for a frame that the scope of its sender does
// not allow.
func permitted(who *auth.Principal, r request) error {
	if !who.MayOnlyChat() || r.kind.chat {
		return nil
	}
	return fault.New(fault.Forbidden, "action_not_chat", "a token that may only chat cannot send %s", r.Action)
}
