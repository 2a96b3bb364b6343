// Package mcp offers the tools of MCP servers (Model Context Protocol) as
// docent's own: [Connect] starts a program or opens an HTTP session,
// [Server.Tools] lists what it offers, and calling one of them asks the server.
//
// A server that dies is started again, or its session opened anew, when the
// next call needs it: at once the first time, then after growing pauses, and
// after some failures in a row not before a rest. A call that may have reached
// the server is never repeated. Nothing here waits longer than [Config.Timeout].
//
// Servers are trusted as far as their operator trusts them: what they return is
// bounded and shown to the model as data; a program gets only PATH, HOME, LANG
// and what its configuration names as environment; redirects of an HTTP server
// to another one are refused.
package mcp
