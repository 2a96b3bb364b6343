package ws_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"docent/agent"
	"docent/internal/wstest"
	"docent/payload"
)

// These functions model BAF's clients. They fail for frames that would make the
// client fail or show something unreadable.

// object returns a message that is an object with the given keys. It fails for
// other messages.
func object(message any, keys ...string) (map[string]any, error) {
	m, ok := message.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T where an object has to be", message)
	}
	for _, key := range keys {
		if _, ok := m[key]; !ok {
			return nil, fmt.Errorf("no key %s", key)
		}
	}
	return m, nil
}

// parsed returns the JSON inside a string.
func parsed(message any) (any, error) {
	text, ok := message.(string)
	if !ok {
		return nil, fmt.Errorf("%T where a string has to be", message)
	}
	var v any
	err := json.Unmarshal([]byte(text), &v)
	return v, err
}

// isBase64 fails unless a message contains a file or an image.
func isBase64(v any) error {
	text, ok := v.(string)
	if !ok || text == "" {
		return fmt.Errorf("%T where base64 has to be", v)
	}
	_, err := base64.StdEncoding.DecodeString(text)
	return err
}

// numbers fails if one of the keys has no number.
func numbers(m map[string]any, keys ...string) error {
	for _, key := range keys {
		if _, ok := m[key].(float64); !ok {
			return fmt.Errorf("%s is %T", key, m[key])
		}
	}
	return nil
}

// samples fails if the number of samples differs from the sound's shape.
func samples(message any) error {
	m, err := object(message, "audio_data_base64", "metadata")
	if err != nil {
		return err
	}
	meta, err := object(m["metadata"], "sample_rate", "dtype", "shape")
	if err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(fmt.Sprint(m["audio_data_base64"]))
	if err != nil {
		return err
	}
	size := map[any]int{"float32": 4, "int16": 2}[meta["dtype"]]
	shape, ok := meta["shape"].([]any)
	if !ok || size == 0 {
		return fmt.Errorf("shape %v of %v", meta["shape"], meta["dtype"])
	}
	n := 1
	for _, s := range shape {
		n *= int(s.(float64))
	}
	if n*size != len(raw) {
		return fmt.Errorf("%d bytes of %d samples", len(raw), n)
	}
	return numbers(meta, "sample_rate")
}

// passages fails for an answer that a client cannot display.
func passages(message any) error {
	m, err := object(message, "answer", "llm_name", "docs")
	if err != nil {
		return err
	}
	docs, ok := m["docs"].([]any)
	if !ok {
		return fmt.Errorf("docs are %T", m["docs"])
	}
	for _, d := range docs {
		doc, err := object(d, "content", "metadata")
		if err == nil {
			_, err = object(doc["metadata"], "source", "page")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// table fails for messages that are not a table by columns, with rows "0" to
// "n-1".
func table(v any) error {
	columns, err := object(v)
	if err != nil {
		return err
	}
	for _, c := range columns {
		values, err := object(c)
		if err != nil {
			return err
		}
		for i := range len(values) {
			if _, ok := values[strconv.Itoa(i)]; !ok {
				return fmt.Errorf("no row %d", i)
			}
		}
	}
	if len(columns) == 0 {
		return errors.New("no columns")
	}
	return nil
}

// streamlit models BAF's Streamlit UI.
func streamlit(f clientFrame) error {
	switch f.Action {
	case payload.ReplyStr, payload.ReplyMarkdown, payload.ReplyHTML, payload.UserMessage,
		payload.ReplyUI, payload.UserFile, payload.UserVoice:
		return nil // shown unchanged, or ignored
	case payload.ReplyFile:
		m, err := object(f.Message, "name", "type", "base64")
		if err != nil {
			return err
		}
		return isBase64(m["base64"])
	case payload.ReplyAudio:
		return samples(f.Message)
	case payload.ReplyImage:
		return isBase64(f.Message)
	case payload.ReplyDataFrame:
		v, err := parsed(f.Message)
		if err != nil {
			return err
		}
		return table(v)
	case payload.ReplyPlotly:
		v, err := parsed(f.Message)
		if err == nil {
			_, err = object(v, "data", "layout")
		}
		return err
	case payload.ReplyOptions:
		v, err := parsed(f.Message)
		if err == nil {
			_, err = object(v) // the client calls .values()
		}
		return err
	case payload.ReplyLocation:
		m, err := object(f.Message, "latitude", "longitude")
		if err != nil {
			return err
		}
		return numbers(m, "latitude", "longitude")
	case payload.ReplyRAG:
		return passages(f.Message)
	case payload.ReplyReasoningStep:
		m, err := object(f.Message, "kind", "step", "summary", "details")
		if err != nil {
			return err
		}
		return numbers(m, "step")
	case payload.ReplyTaskList:
		if _, ok := f.Message.([]any); !ok {
			return fmt.Errorf("tasks are %T", f.Message)
		}
		return nil
	}
	return fmt.Errorf("%s is no PayloadAction", f.Action)
}

// widget handles a frame like BAF's chat widget. It ignores unknown frames.
func widget(f clientFrame) error {
	switch f.Message {
	case nil, "", 0.0, false:
		return errors.New("unknown format: the message is falsy")
	}
	switch f.Action {
	case payload.ReplyStr, payload.ReplyMarkdown, payload.ReplyHTML, payload.ReplyImage:
		if _, ok := f.Message.(string); !ok {
			return fmt.Errorf("%T is drawn as text", f.Message)
		}
	case payload.ReplyOptions:
		_, err := parsed(f.Message) // an object's values or an array
		return err
	case payload.ReplyDataFrame, payload.ReplyPlotly, payload.ReplyFile, payload.ReplyLocation, payload.ReplyRAG:
		return streamlit(f) // the client needs the same
	case payload.UserMessage:
		return errors.New("drawn as the agent's")
	}
	return nil
}

// react models BAF's newer React UI.
func react(f clientFrame) error {
	message := f.Message
	if text, ok := message.(string); ok {
		for _, t := range []string{text, strings.ReplaceAll(text, "'", `"`)} {
			if v, err := parsed(t); err == nil {
				message = v
				break
			}
		}
	}
	switch f.Action {
	case payload.ReplyStr, payload.ReplyMarkdown, payload.ReplyHTML:
		if _, ok := message.(string); !ok {
			return fmt.Errorf("shown as %T", message)
		}
		return nil
	case payload.UserMessage, payload.UserVoice, payload.UserFile:
		if !f.History {
			return errors.New("an agent's bubble of an unsupported type")
		}
		return nil
	case payload.ReplyOptions:
		switch message.(type) {
		case []any, map[string]any:
			return nil
		}
		return fmt.Errorf("options are %T", message)
	case payload.ReplyDataFrame:
		return table(message)
	case payload.ReplyPlotly:
		_, err := object(message, "data")
		return err
	case payload.ReplyGUI:
		_, err := object(message, "name", "modules")
		return err
	case payload.ReplyGUIUpdate:
		return nil
	case payload.ReplyUI:
		return errors.New("a bubble that says the type is unsupported")
	}
	return streamlit(f) // objects without changes
}

// clientFrame is a frame as clients decode it.
type clientFrame struct {
	Action  payload.Action
	Message any
	History bool
}

// understood returns the next frame, as a BAF client reads it.
func (p *peer) understood(client func(clientFrame) error) frame {
	p.t.Helper()
	f := p.next()
	var decoded clientFrame
	if err := json.Unmarshal([]byte(f.raw), &decoded); err != nil {
		p.t.Error(err)
	} else if err := client(decoded); err != nil {
		p.t.Errorf("%s: %v", f.raw, err)
	}
	return f
}

// Each BAF client understands all frames that it receives: every kind of reply,
// live and replayed, answers, failures, and messages of others.
func TestBAFClients(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reads  func(clientFrame) error
		query  string
		header http.Header
		fetch  bool
	}{
		"Streamlit": {streamlit, "", http.Header{"X-User-Id": {"ada"}, "X-Session-Id": {"S"}}, true},
		"widget":    {widget, "", http.Header{"X-Session-Id": {"S"}}, false},
		"React":     {react, "?user_id=ada&session_name=mine&session_id=S&gui=1", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, setup{agent: everything(t)})
			dial := func() *peer { return s.dial("/"+c.query, &wstest.DialOptions{HTTPHeader: c.header}) }
			p := dial()
			other, _ := s.hello("/?session_id=S") // the other clients' frames must not arrive here
			if name == "Streamlit" {
				p.say(`{"action": "fetch_user_messages", "message": null, "history": false, "timestamp": null}`)
				p.say(`{"action": "user_set_variable", "message": {"user_profile": "Ada"}, "history": false, "timestamp": null}`)
			}
			p.say(`{"action":"user_message","message":"go"}`)
			for range everythingSaid {
				p.understood(c.reads)
			}
			other.finished(1)
			other.say(`{"action":"user_message","message":"go","id":"m2"}`)
			other.finished(2)
			other.say(`{"action":"edit","message":{"turn":2,"message":"go"},"id":"m3"}`)
			other.finished(3)
			p.say(`{"action":"user_message","message":"` + long + `"}`) // refused with a message
			for range 2*len(everythingSaid) + 1 {
				p.understood(c.reads)
			}
			if again := dial(); c.fetch {
				again.say(`{"action":"fetch_user_messages","message":null}`)
				for range 2 * (1 + len(everythingSaid)) {
					if f := again.understood(c.reads); !f.History {
						t.Errorf("replayed %s", f.raw)
					}
				}
			}
			other.say(`{"action":"reset"}`)
			other.until(payload.SessionResetAction)
			p.say(`{"action":"user_message","message":"go"}`)
			for range everythingSaid {
				p.understood(c.reads)
			}
		})
	}
}

// BAF clients also understand the assistant's answers and failures.
func TestBAFClientsAnswers(t *testing.T) {
	t.Parallel()
	for name, reads := range map[string]func(clientFrame) error{"Streamlit": streamlit, "widget": widget, "React": react} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, setup{agent: failing()})
			p := s.dial("/", nil)
			for _, text := range []string{`"What is RAG?"`, `"fail"`, `{"message":"json"}`, `5`} {
				p.say(`{"action":"user_message","message":` + text + `}`)
				p.understood(reads)
			}
		})
	}
}

// failing answers requests, or fails on request.
func failing() *agent.Agent {
	a := agent.New("failing")
	greet, answer := a.State("greet", agent.Initial), a.State("answer")
	answer.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Message() == "fail" {
			return errors.New("an error of ours")
		}
		return s.Reply(ctx, "You said: "+s.Message())
	})
	greet.OnMessage().GoTo(answer)
	answer.OnMessage().GoTo(answer)
	return a
}

// The bytes that Python's websocket-client writes: its handshake, which has the
// server as its origin, and masked frames. Some frames are fragmented, with pings
// between the fragments.
func TestWebSocketClient(t *testing.T) {
	t.Parallel()
	s := serve(t, setup{agent: echoAgent()})
	host := strings.TrimPrefix(s.url, "ws://")
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if _, err := conn.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte("GET / HTTP/1.1\r\nUpgrade: websocket\r\nHost: " + host + "\r\nOrigin: http://" + host + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
		"Sec-WebSocket-Version: 13\r\nConnection: Upgrade\r\nX-User-ID: ada\r\n\r\n"))
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" || resp.Header.Get("Sec-WebSocket-Protocol") != "" {
		t.Fatalf("answered with %s %v", resp.Status, resp.Header)
	}
	const text, more, ping, pong, final = 1, 0, 9, 10, 0x80
	message := []byte(`{"action": "user_message", "message": "Hello \u00e9", "history": false, "timestamp": null}`)
	write(masked(text|final, message))
	write(masked(text, message[:20]))
	write(masked(ping|final, []byte("beat")))
	write(masked(more|final, message[20:]))
	replies, pongs := 0, 0
	for replies < 2 || pongs < 1 {
		kind, data := unmasked(t, r)
		switch {
		case kind == pong|final && string(data) == "beat":
			pongs++
		case kind == text|final && bytes.Contains(data, []byte(`"agent_reply_str","message":"Hello é","history":false,"timestamp":"`)):
			replies++
		case kind != ping|final:
			t.Fatalf("%x: %s", kind, data)
		}
	}
}

// The real websocket-client, which BAF's Python clients use.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	python := withWebSocketClient(t)
	s := serve(t, setup{agent: echoAgent()})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, filepath.Join("testdata", "client.py"), s.url).CombinedOutput()
	if err != nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), `"agent_reply_str","message":"Héllo 😀","history":false`) {
		t.Errorf("%v: %s", err, out)
	}
}

// withWebSocketClient returns a Python with the library: the one in PATH, or the
// one of the system. .ci/setup installs the library for the latter.
func withWebSocketClient(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import websocket; websocket.WebSocketApp").Run() == nil {
			return python
		}
	}
	t.Fatal("there is no python3 with websocket-client; install it: .ci/setup test, or apt-get install python3-websocket")
	return ""
}

// masked returns a frame of a client. data has at most 125 bytes.
func masked(head byte, data []byte) []byte {
	mask := []byte{1, 2, 3, 4}
	out := slices.Concat([]byte{head, 0x80 | byte(len(data))}, mask, data)
	for i := range data {
		out[6+i] ^= mask[i%4]
	}
	return out
}

// unmasked reads a frame of the server.
func unmasked(t *testing.T, r io.Reader) (head byte, data []byte) {
	t.Helper()
	b := make([]byte, 2)
	if _, err := io.ReadFull(r, b); err != nil {
		t.Fatal(err)
	}
	n := int(b[1])
	if n == 126 {
		long := make([]byte, 2)
		if _, err := io.ReadFull(r, long); err != nil {
			t.Fatal(err)
		}
		n = int(binary.BigEndian.Uint16(long))
	}
	data = make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		t.Fatal(err)
	}
	return b[0], data
}
