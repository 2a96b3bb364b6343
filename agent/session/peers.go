package session

import (
	"context"
	"encoding/json"

	"docent/agent/chat"
	"docent/agent/peer"
	"docent/payload"
)

// peerMailbox is the mailbox that links to other agents use.
type peerMailbox struct{ c *conversation }

// Hear implements peer.Mailbox.
func (b peerMailbox) Hear(ctx context.Context, m peer.Message) error {
	event := chat.MessageEvent(m.Content)
	event.Options = payload.AskOptions{}
	event.From, event.Correlation, event.Cause, event.Thread, event.Hops = m.From, m.Correlation, m.Cause, m.Thread, m.Hops
	return arrival{event: event, content: m.Content, wait: true}.store(ctx, b.c)
}

// Refuse implements peer.Mailbox. It tells the clients, once per thread, that the session refused a
// message of another agent. Clients may wait for that message. The frame has the maximum of hops,
// so a docent that asked does not take it as an answer, but passes it to its own clients.
func (b peerMailbox) Refuse(m peer.Message, err error) {
	c := b.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients.ended != "" && c.clients.ended == m.Thread {
		return
	}
	c.clients.ended = m.Thread
	for _, d := range Failure(err, "") {
		if d.Frame.Time = c.rt.cfg.Now(); m.Cause != "" {
			d.Frame.Correlation, d.Frame.Hops = m.Cause, payload.MaxHops
		}
		c.clients.deliverLocked(d)
	}
}

// Unlinked implements peer.Mailbox.
func (b peerMailbox) Unlinked() { b.c.mail.signal() }

// text returns the part of a reply for an agent that is a client of the session. It returns nil if
// the turn answers no agent, or if the reply has no such part.
func (t *openTurn) text(f payload.Frame) json.RawMessage {
	if t.began == nil || t.began.message.Sender != chat.SenderAgent {
		return nil
	}
	return peer.Text(f)
}
