package ws_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
)

var (
	benchServer      = flag.String("bench-server", "", "be the client of a benchmark, of this server")
	benchConnections = flag.Int("bench-connections", 1, "with so many connections")
)

// benchClient is a client in a separate process, so that its memory and processor
// time do not count.
type benchClient struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func newBenchClient(b *testing.B, server string, connections int) *benchClient {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBenchClient$", "-bench-server="+server, "-bench-connections="+strconv.Itoa(connections))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	c := &benchClient{in, bufio.NewReader(out)}
	c.done(b)
	return c
}

// do makes each connection send a number of frames. Each frame is sent after the
// response to the previous one.
func (c *benchClient) do(b *testing.B, frames int) {
	b.Helper()
	fmt.Fprintln(c.in, frames)
	c.done(b)
}

func (c *benchClient) done(b *testing.B) {
	b.Helper()
	if line, err := c.out.ReadString('\n'); err != nil || line != "done\n" {
		b.Fatalf("the client: %q %v", line, err)
	}
}

// TestBenchClient is not a test. It is the client process of the benchmarks.
func TestBenchClient(t *testing.T) {
	if *benchServer == "" {
		t.Skip("it is the client of benchmarks")
	}
	text, err := json.Marshal(map[string]any{"action": "user_message", "message": strings.Repeat("twelve words ", 76)})
	if err != nil {
		t.Fatal(err)
	}
	frame, err := websocket.NewPreparedMessage(websocket.TextMessage, text)
	if err != nil {
		t.Fatal(err)
	}
	conns := make([]*websocket.Conn, *benchConnections)
	for i := range conns {
		socket, err := net.Dial("tcp", *benchServer)
		if err != nil {
			t.Fatal(err)
		}
		dialer := websocket.Dialer{
			NetDial:        func(string, string) (net.Conn, error) { return socket, nil },
			ReadBufferSize: 2048, WriteBufferSize: 256,
		}
		c, resp, err := dialer.Dial("ws://"+*benchServer+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		conns[i] = c
		defer c.Close()
	}
	fmt.Println("done")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for _, c := range conns {
			all.Go(func() {
				for range n {
					if err := c.WritePreparedMessage(frame); err != nil {
						t.Error(err)
						return
					}
					if _, _, err := c.ReadMessage(); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		fmt.Println("done")
	}
}

// residentMemory returns the private memory of this process in bytes; 0 if the
// system does not report it.
func residentMemory(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "RssAnon:" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib * 1024
		}
	}
	return 0
}
