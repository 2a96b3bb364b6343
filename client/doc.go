// Package client connects to agents over WebSocket. [Open] joins a conversation
// of docent over docent.v1. It streams answers, and reconnects by itself: see
// [Session.Ask], [Session.Send], and [Session.Events]. [Dial] connects to any
// agent, of docent or of the BESSER Agentic Framework, over plain BAF frames. A
// [Dialer] connects the agents of this process to others.
package client
