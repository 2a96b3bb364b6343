package main

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// initialize begins a session of MCP.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// TestMCPCommand starts docent mcp as assistants do. It ends with its standard input
// and with SIGTERM, and finds documents that another process adds.
func TestMCPCommand(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, env []string) {
		in, toServer := io.Pipe()
		p := startReading(t, in, env, "mcp")
		say := func(message string) {
			if _, err := io.WriteString(toServer, message+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		say(initialize)
		p.out.line(t, `{"jsonrpc":"2.0","id":1,"result":{"capabilities"`)
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		docs := t.TempDir()
		write(t, docs, "pump.md", "# Pump\n\nThe feed pump stops at noon.\n")
		docent(t, env, 0, "ingest", docs)
		eventually(t, "the new document", func() bool {
			say(`{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"search","arguments":{"query":"When does the pump stop?"}}}`)
			return strings.Contains(p.out.String(), "stops at noon")
		})
		_ = toServer.Close()
		if code := p.wait(); code != 0 {
			t.Errorf("after the end of its input, the status is %d: %s", code, p.log)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		p = startReading(t, r, env, "mcp")
		if _, err := io.WriteString(w, initialize+"\n"); err != nil {
			t.Fatal(err)
		}
		p.out.line(t, `{"jsonrpc":"2.0","id":1,"result":{"capabilities"`)
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := p.wait(); code != 0 {
			t.Errorf("after SIGTERM, the status is %d: %s", code, p.log)
		}
	})
}
