package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// Requests, with their bodies, go to the servers in turn, and past one that is down. A
// WebSocket connection goes through.
func TestProxy(t *testing.T) {
	t.Parallel()
	addresses := []string{"127.0.0.1:1"} // nobody listens there
	for n := range 2 {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if websocket.IsWebSocketUpgrade(r) {
				echo(t, w, r)
				return
			}
			body, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%d %s %s %s %v\n", n, r.Host, r.Header.Get("X-Forwarded-For"), body, err)
		}))
		t.Cleanup(s.Close)
		addresses = append(addresses, s.Listener.Addr().String())
	}
	proxy := httptest.NewServer(newProxy(addresses, &log{out: t.Output()}))
	t.Cleanup(proxy.Close)
	host := strings.TrimPrefix(proxy.URL, "http://")
	seen := map[string]int{}
	for range 9 {
		res, err := http.Post(proxy.URL, "text/plain", strings.NewReader("hello")) //nolint:noctx // a test
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(res.Body).ReadString('\n')
		if err != nil || res.Body.Close() != nil {
			t.Fatal(err)
		}
		server, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if seen[server]++; rest != host+" 127.0.0.1 hello <nil>" {
			t.Errorf("got %q", rest)
		}
	}
	if seen["0"] < 3 || seen["1"] < 3 {
		t.Errorf("requests by server: %v", seen)
	}
	conn, res, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+host, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	defer res.Body.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte("frame")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := conn.ReadMessage(); string(got) != "frame" {
		t.Errorf("got %q, %v", got, err)
	}
}

// echo sends one frame back.
func echo(t *testing.T, w http.ResponseWriter, r *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	kind, frame, err := conn.ReadMessage()
	if err == nil {
		err = conn.WriteMessage(kind, frame)
	}
	if err != nil {
		t.Error(err)
	}
}
