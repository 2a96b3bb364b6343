// Package wstest is a WebSocket client and server for tests. It adds contexts to
// gorilla/websocket: a call fails when its context ends, and the connection with
// it.
package wstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// The message types and close codes that tests use.
const (
	MessageText         = websocket.TextMessage
	MessageBinary       = websocket.BinaryMessage
	StatusNormalClosure = websocket.CloseNormalClosure
	StatusGoingAway     = websocket.CloseGoingAway
)

// CloseError is the error of a read after the peer has closed the connection.
type CloseError = websocket.CloseError

// CloseStatus returns the close code of an error, or -1 if the connection ended
// without a close frame.
func CloseStatus(err error) int {
	var closed *CloseError
	if errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure {
		return closed.Code
	}
	return -1
}

// closeWait bounds the time for which Close waits for the peer's close frame.
const closeWait = 30 * time.Second

// Conn is a connection. One goroutine may read while others write.
type Conn struct {
	*websocket.Conn
	writing sync.Mutex
	pongs   chan struct{}
}

func newConn(conn *websocket.Conn) *Conn {
	c := &Conn{Conn: conn, pongs: make(chan struct{}, 1)}
	conn.SetPongHandler(func(string) error {
		select {
		case c.pongs <- struct{}{}:
		default: // nobody waits
		}
		return nil
	})
	return c
}

// DialOptions are optional parts of a handshake.
type DialOptions struct {
	// HTTPHeader is sent with the request.
	HTTPHeader http.Header
	// Subprotocols are offered to the server, in this order.
	Subprotocols []string
}

// Dial connects to a server. Callers need not close the response's body.
func Dial(ctx context.Context, url string, o *DialOptions) (*Conn, *http.Response, error) {
	if o == nil {
		o = &DialOptions{}
	}
	dialer := websocket.Dialer{Subprotocols: o.Subprotocols}
	conn, resp, err := dialer.DialContext(ctx, url, o.HTTPHeader)
	if err != nil {
		return nil, resp, fmt.Errorf("dial %s: %w", url, err)
	}
	return newConn(conn), resp, nil
}

// Accept upgrades a request. Subprotocols are those of the server.
func Accept(w http.ResponseWriter, r *http.Request, subprotocols ...string) (*Conn, error) {
	upgrader := websocket.Upgrader{Subprotocols: subprotocols}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	return newConn(conn), nil
}

// during calls f and closes the connection if ctx ends before f returns.
func (c *Conn) during(ctx context.Context, f func() error) error {
	stop := context.AfterFunc(ctx, func() { _ = c.CloseNow() })
	defer stop()
	err := f()
	if err != nil && ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return err
}

// Read returns the next message. After an error the connection is closed.
func (c *Conn) Read(ctx context.Context) (kind int, data []byte, err error) {
	err = c.during(ctx, func() error {
		kind, data, err = c.ReadMessage()
		return err
	})
	if err != nil {
		_ = c.CloseNow()
	}
	return kind, data, err
}

// Reader returns a reader of the next message.
func (c *Conn) Reader(ctx context.Context) (kind int, r io.Reader, err error) {
	err = c.during(ctx, func() error {
		kind, r, err = c.NextReader()
		return err
	})
	return kind, r, err
}

// Writer returns a writer of the next message. It sends 4 KiB at a time.
func (c *Conn) Writer(_ context.Context, kind int) (io.WriteCloser, error) { return c.NextWriter(kind) }

// Write sends a message.
func (c *Conn) Write(ctx context.Context, kind int, data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.during(ctx, func() error { return c.WriteMessage(kind, data) })
}

// Ping sends a ping and waits for a pong. Another goroutine has to read meanwhile.
func (c *Conn) Ping(ctx context.Context) error {
	if err := c.WriteControl(websocket.PingMessage, nil, time.Now().Add(closeWait)); err != nil {
		return err
	}
	select {
	case <-c.pongs:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close sends a close frame, waits for the peer's, and closes the connection.
func (c *Conn) Close(code int, reason string) error {
	err := c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(closeWait))
	if err == nil {
		_ = c.SetReadDeadline(time.Now().Add(closeWait))
		for err == nil {
			_, _, err = c.ReadMessage()
		}
		if CloseStatus(err) == code {
			err = nil
		}
	}
	return errors.Join(err, c.CloseNow())
}

// CloseNow closes the connection without a close frame.
func (c *Conn) CloseNow() error { return c.NetConn().Close() }
