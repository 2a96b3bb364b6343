// Package mcp offers the tools of MCP servers (Model Context Protocol) as
// docent's tools. [Connect] starts a program or opens an HTTP session, and
// [Server.Tools] lists its tools. A call of a tool calls the server.
//
// A lost connection is made again when the next call needs it. The first attempt
// begins at once, and further attempts after growing pauses. After several
// failures in a row there is a longer rest. A call that may have reached the
// server is never repeated. No call waits longer than [Config.Timeout].
//
// The operator decides which servers to trust. The package limits their results
// and shows them to the model as data. A program gets only PATH, HOME, LANG, and
// the configured variables as its environment. An HTTP server cannot redirect
// requests to another server.
package mcp
