package ws_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	gorilla "github.com/gorilla/websocket"

	"docent/ws"
)

// byes connects and sends a client's messages. It returns the close code. It also
// returns how long the server kept the socket open after the client's close
// frame, and an error if the connection ended in another way.
func (s *site) byes(path string, say ...string) (code int, open bool, err error) {
	s.t.Helper()
	conn, resp, err := gorilla.DefaultDialer.DialContext(s.t.Context(), s.url+path, http.Header{})
	if err != nil {
		s.t.Fatal(err)
	}
	_ = resp.Body.Close()
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	for _, text := range say {
		if err := conn.WriteMessage(gorilla.TextMessage, []byte(text)); err != nil {
			return 0, false, err
		}
	}
	for err == nil { // the library answers the close frame
		_, _, err = conn.ReadMessage()
	}
	var closed *gorilla.CloseError
	if !errors.As(err, &closed) {
		return 0, false, err
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	_, err = conn.NetConn().Read(make([]byte, 1))
	switch {
	case errors.Is(err, io.EOF):
		return closed.Code, false, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return closed.Code, true, nil
	}
	return closed.Code, false, fmt.Errorf("the socket ends with %w", err)
}

// The server closes the socket as soon as both sides have sent close frames, even
// if it lost track of the client's frames.
func TestGoodbye(t *testing.T) {
	t.Parallel()
	s := guarded(t, setup{config: ws.Config{FrameBytes: 10_000}})
	hasty := guarded(t, setup{config: ws.Config{}.With(ws.Limits{HelloTimeout: 50 * time.Millisecond})})
	large := strings.Repeat("x", 20_000)
	for name, c := range map[string]struct {
		say  []string
		want ws.CloseCode
	}{
		"no hello":                    {nil, ws.CloseNoHello},
		"wrong token":                 {[]string{`{"action":"hello","message":{"token":"wrong"}}`}, ws.CloseUnauthorized},
		"more frames":                 {[]string{`{"action":"hello","message":{"token":"wrong"}}`, `{"action":"user_message","message":"x"}`}, ws.CloseUnauthorized},
		"too large":                   {[]string{large}, ws.CloseTooBig},
		"too large, with more behind": {[]string{large, large, "x"}, ws.CloseTooBig},
	} {
		at := s
		if c.want == ws.CloseNoHello {
			at = hasty
		}
		// The server closes after five seconds in any case, also a socket with unread
		// data. A slow machine may take that long sometimes, but not always.
		for attempt := 1; ; attempt++ {
			code, open, err := at.byes("/?protocol=docent.v1", c.say...)
			if (err != nil || code == c.want.Code && open) && attempt < 5 {
				continue
			}
			if err != nil || code != c.want.Code || open {
				t.Errorf("%s: closed with %d, and the socket is still open: %t, %v", name, code, open, err)
			}
			break
		}
	}
}
