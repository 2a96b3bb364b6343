// Package client speaks to agents over WebSocket, to docent's and to those of
// the BESSER Agentic Framework alike: [Dial] connects, [Conn.Send] says
// something, [Conn.Frames] is what is said. A [Dialer] lets agents that run
// here reach others.
package client
