package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy is between clients and servers. It ends connections like a bad network
// or a server.
type proxy struct {
	at   string // where clients go
	turn atomic.Int64
	ln   net.Listener
	done sync.WaitGroup

	mu      sync.Mutex
	servers []string // where the servers are; connections take turns
	lines   []*proxied
}

// nobody is an address without a server. Another process may get the address of a killed one.
const nobody = "127.0.0.1:1"

// proxied is one connection through a proxy.
type proxied struct {
	p              *proxy
	client, server net.Conn

	mu   sync.Mutex // held while a frame goes to the client
	over bool
}

func newProxy(t *testing.T, servers ...string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{at: "ws://" + ln.Addr().String(), servers: slices.Clone(servers), ln: ln}
	p.done.Go(p.accept)
	t.Cleanup(func() {
		_ = ln.Close()
		p.cutAll()
		p.done.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.done.Go(func() { p.carry(c) })
	}
}

func (p *proxy) carry(c net.Conn) {
	defer c.Close()
	s, err := p.dial()
	if err != nil {
		return // the servers are away
	}
	defer s.Close()
	l := &proxied{p: p, client: c, server: s}
	p.mu.Lock()
	p.lines = append(p.lines, l)
	p.mu.Unlock()
	defer p.remove(l)
	p.done.Go(func() {
		_, _ = io.Copy(s, c)
		_ = s.Close()
	})
	_ = l.down()
}

// dial connects to the next server that is there.
func (p *proxy) dial() (s net.Conn, err error) {
	var d net.Dialer
	p.mu.Lock()
	servers := slices.Clone(p.servers)
	p.mu.Unlock()
	for range servers {
		next := servers[int(p.turn.Add(1))%len(servers)]
		if s, err = d.DialContext(context.Background(), "tcp", next); err == nil {
			return s, nil
		}
	}
	return nil, err
}

// move sends the next connections to a server elsewhere.
func (p *proxy) move(i int, to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.servers[i] = to
}

func (p *proxy) remove(l *proxied) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.lines {
		if other == l {
			p.lines = append(p.lines[:i], p.lines[i+1:]...)
			return
		}
	}
}

// down carries what the server says, a whole frame at a time.
func (l *proxied) down() error {
	r := bufio.NewReader(l.server)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		return err
	}
	if err := response.Write(l.client); err != nil {
		return err
	}
	for {
		head := make([]byte, 2, 10)
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		size := int64(head[1] & 0x7f)
		if more := map[int64]int{126: 2, 127: 8}[size]; more > 0 {
			head = head[:2+more]
			if _, err := io.ReadFull(r, head[2:]); err != nil {
				return err
			}
			size = int64(binary.BigEndian.Uint64(append(make([]byte, 8-more), head[2:]...)))
		}
		frame := make([]byte, size)
		if _, err := io.ReadFull(r, frame); err != nil {
			return err
		}
		if err := l.pass(append(head, frame...)); err != nil {
			return err
		}
	}
}

var errOver = errors.New("the connection is over")

func (l *proxied) pass(frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return errOver
	}
	_, err := l.client.Write(frame)
	return err
}

// end ends a connection: with a close code of the server, or by a cut. With
// code 1 the cut is in the middle of a frame.
func (l *proxied) end(code uint16) {
	l.mu.Lock()
	if !l.over && code >= 1000 {
		_, _ = l.client.Write(binary.BigEndian.AppendUint16([]byte{0x88, 2}, code))
	} else if !l.over && code == 1 {
		_, _ = l.client.Write([]byte{0x81, 100, '{', '"'})
	}
	l.over = true
	l.mu.Unlock()
	_ = l.client.Close()
	_ = l.server.Close()
}

// all are the connections at present.
func (p *proxy) all() []*proxied {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*proxied(nil), p.lines...)
}

func (p *proxy) cutAll() {
	for _, l := range p.all() {
		l.end(0)
	}
}

// cut ends one connection or all, in a random way. It returns a description, or
// "" without a connection.
func (p *proxy) cut(chance *rand.Rand) string {
	lines := p.all()
	if len(lines) == 0 {
		return ""
	}
	one := lines[chance.IntN(len(lines))]
	codes := []uint16{1001, 1011, 1012, 4000, 4001, 4002}
	switch chance.IntN(5) {
	case 0:
		one.end(0)
		return "one cut"
	case 1:
		one.end(1)
		return "one cut in a frame"
	case 2:
		one.end(codes[chance.IntN(len(codes))])
		return "one closed"
	case 3:
		p.cutAll()
		return "all cut"
	default:
		code := codes[chance.IntN(len(codes))]
		for _, l := range lines {
			l.end(code)
		}
		return "all closed"
	}
}
