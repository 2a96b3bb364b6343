package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"docent/internal/openai"
)

// Limits of responses.
const (
	// maxLine bounds one event of a stream in bytes.
	maxLine = 16 << 20
	// maxStream bounds a whole response in bytes.
	maxStream = 64 << 20
)

var (
	// errTooLong: the response is over a limit.
	errTooLong = errors.New("the answer or one event of it is too long")
	// errPage: the server is a web site.
	errPage = errors.New("the server sent a web page")
)

// exchange is one request and its response. It stands between go-openai's client
// and the network and fixes problems of the client. It keeps the Retry-After of
// an error and bounds the response. It passes on only the data lines of a
// stream, because the client fails on comments, on unknown errors, and on a
// plain JSON response.
type exchange struct {
	server openai.Server
	touch  func() // called whenever bytes of a response body arrive
	now    func() time.Time
	whole  bool // the request must not ask for a stream
	done   bool // the answer was declared complete
}

// Do sends the request. A status other than 2xx is a *StatusError.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if x.whole {
		if err := dropStream(req); err != nil {
			return nil, err
		}
	}
	resp, err := x.server.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		defer func() { _ = resp.Body.Close() }()
		return nil, x.server.Refusal(resp, x.now())
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		_ = resp.Body.Close()
		return nil, errPage
	}
	if req.Header.Get("Accept") == "text/event-stream" {
		resp.Body = &events{x: x, body: resp.Body, lines: bufio.NewReaderSize(&touchReader{resp.Body, x.touch}, 32<<10)}
	} else {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxStream), resp.Body}
	}
	return resp, nil
}

// dropStream removes the wish for a stream from the body of a request, because
// go-openai's client adds it to every request whose answer it streams.
func dropStream(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	_ = req.Body.Close()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return err
	}
	delete(fields, "stream")
	if body, err = json.Marshal(fields); err != nil {
		return err
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}

// touchReader calls touch after each read that returns bytes.
type touchReader struct {
	r     io.Reader
	touch func()
}

func (t *touchReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if n > 0 && t.touch != nil {
		t.touch()
	}
	return n, err
}

// events reads the body of a response and yields only "data:" lines, each
// followed by an empty line. A body with a single JSON object becomes one event,
// for servers that do not stream.
type events struct {
	x     *exchange
	body  io.Closer
	lines *bufio.Reader
	begun bool
	data  []byte // of an event whose lines are not all there
	total int
	out   []byte
	err   error
}

// Close closes the response body.
func (e *events) Close() error { return e.body.Close() }

// Read returns the next bytes of the filtered stream.
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.fill()
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// fill reads one line.
func (e *events) fill() {
	line, err := e.line()
	e.err = err
	line = bytes.TrimSpace(line)
	if !e.begun {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if e.begun = len(line) > 0; e.begun && (line[0] == '{' || line[0] == '[') {
			e.whole(line)
			return
		}
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if data = bytes.TrimSpace(data); ok && len(data) > 0 {
		if len(e.data) == 0 && data[0] != '{' && !isDone(data) {
			return // such as a sign of life
		}
		e.data = append(append(e.data, ' '), data...)
		data = bytes.TrimSpace(e.data)
		if !isDone(data) && len(data) < maxLine && e.err == nil && !json.Valid(data) {
			if all := objects(data); len(all) > 1 {
				e.data = nil
				e.send(all)
			}
			return // it goes on in the next line
		}
	} else if data = bytes.TrimSpace(e.data); len(data) == 0 || len(line) > 0 && e.err == nil {
		return
	}
	e.data = nil
	if isDone(data) {
		e.x.done = true
		e.out = []byte("data: [DONE]\n\n")
		return
	}
	e.send([][]byte{data})
}

// isDone reports whether an event is the last one.
func isDone(data []byte) bool { return string(bytes.Trim(data, `"`)) == "[DONE]" }

// send makes events of data.
func (e *events) send(all [][]byte) {
	e.out = nil
	for _, data := range all {
		if data[0] == '{' {
			// The space keeps go-openai from parsing {"error": itself, which fails
			// if the error is text or a comment came before it.
			data = append([]byte("{ "), data[1:]...)
		}
		e.out = fmt.Appendf(e.out, "data: %s\n\n", data)
	}
}

// objects returns the JSON values of a text that has nothing else but "data:" between them, or nil. A list counts as
// its values.
func objects(data []byte) (all [][]byte) {
	for data = bytes.TrimSpace(data); len(data) > 0; data = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("data:"))) {
		var value json.RawMessage
		d := json.NewDecoder(bytes.NewReader(data))
		if d.Decode(&value) != nil {
			return nil
		}
		data = data[d.InputOffset():]
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			list = []json.RawMessage{value}
		}
		for _, v := range list {
			all = append(all, v)
		}
	}
	return all
}

// whole converts a body of JSON without events, which is one object that may span lines, an object in each line, or a list.
func (e *events) whole(first []byte) {
	body := bytes.NewBuffer(first)
	for e.err == nil {
		var line []byte
		line, e.err = e.line()
		body.WriteByte(' ')
		body.Write(bytes.TrimSpace(line))
	}
	if errors.Is(e.err, io.EOF) {
		all := objects(body.Bytes())
		if len(all) == 0 {
			all = [][]byte{body.Bytes()}
		}
		e.x.done = true
		e.send(all)
		e.out = append(e.out, "data: [DONE]\n\n"...)
	}
}

// line reads up to and including the next line feed, within maxLine.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.lines.ReadSlice('\n')
		line = append(line, part...)
		e.total += len(part)
		switch {
		case e.total > maxStream, len(line) > maxLine:
			return nil, errTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}
