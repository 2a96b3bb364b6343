// Package client speaks to agents over WebSocket. [Open] joins a conversation
// with one of docent's over docent.v1, streaming, and comes back to it by itself
// when the connection is lost: [Session.Ask], [Session.Send],
// [Session.Events]. [Dial] connects to any agent, docent's or of the BESSER
// Agentic Framework, over its plain frames; a [Dialer] lets agents that run here
// reach others.
package client
