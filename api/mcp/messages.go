package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// messages are the messages of a client, one in a line. It answers lines that are no
// messages, because the SDK would end the session.
type messages struct {
	lines *bufio.Scanner
	out   io.Writer
	rest  []byte // of the current line
}

func newMessages(in io.Reader, out io.Writer) *messages {
	m := &messages{lines: bufio.NewScanner(in), out: out}
	m.lines.Buffer(nil, maxMessage)
	return m
}

// Read returns the next bytes of a message.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if !m.lines.Scan() {
			return 0, cmp.Or(m.lines.Err(), io.EOF)
		}
		line := bytes.TrimSpace(m.lines.Bytes())
		if len(line) == 0 {
			continue
		}
		code, text := int64(jsonrpc.CodeParseError), "the line is not JSON"
		if json.Valid(line) {
			code, text = jsonrpc.CodeInvalidRequest, "the line is not one message of JSON-RPC"
			if _, err := jsonrpc.DecodeMessage(line); err == nil {
				m.rest = append(bytes.Clone(line), '\n')
				break
			}
		}
		if _, err := fmt.Fprintf(m.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, text); err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// Close does nothing, because others close the stream.
func (*messages) Close() error { return nil }

// writer keeps the messages of several goroutines apart.
type writer struct {
	mu  sync.Mutex
	out io.Writer
}

// Write writes one message.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// Close does nothing, because others close the stream.
func (*writer) Close() error { return nil }
