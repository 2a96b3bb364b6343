package imap

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// maxTalk bounds the bytes that a server sends for the list of a mailbox, and maxNames
// those for the names of all mailboxes, which stay in memory. maxGreeting bounds the
// bytes before sign-in, and loginTimeout the duration of sign-in.
const (
	maxTalk      = 64 << 20
	maxNames     = 8 << 20
	maxGreeting  = 1 << 20
	loginTimeout = time.Minute
)

// connection is a session of an account.
type connection struct {
	client  *imapclient.Client
	meter   *metered
	mailbox string // the selected mailbox
	epoch   uint32 // its UIDVALIDITY
}

// metered is a connection that reads a bounded number of bytes.
type metered struct {
	net.Conn
	left atomic.Int64
}

func (m *metered) Read(p []byte) (int, error) {
	if m.left.Load() <= 0 {
		return 0, errTooMuch
	}
	n, err := m.Conn.Read(p)
	m.left.Add(int64(-n))
	return n, err
}

// cause returns the reason of a failure, which the library for IMAP hides.
func (m *metered) cause(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ctx.Err()
	case m.left.Load() <= 0:
		return errTooMuch
	}
	return err
}

// errTooMuch is the error of a server that sends too much.
var errTooMuch = fault.New(fault.Invalid, "mail_too_much", "the server sends too much")

// end closes the connection, which also ends pending reads.
func (m *metered) end() { _ = m.Close() }

// connect signs in.
func (s *Source) connect(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, min(loginTimeout, s.timeout()))
	defer cancel()
	c, err := s.signIn(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	return c, nil
}

func (s *Source) timeout() time.Duration { return time.Duration(s.cfg.TimeoutSeconds) * time.Second }

// within runs commands, and closes the connection when their time is over.
func (s *Source) within(ctx context.Context, c *connection, commands func() error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	defer context.AfterFunc(ctx, c.close)()
	if err := commands(); err != nil {
		return c.meter.cause(ctx, err)
	}
	return nil
}

func (s *Source) signIn(ctx context.Context) (*connection, error) {
	raw, err := s.cfg.Dial.Or(s.cfg.AllowPrivate)(ctx, "tcp", s.addr)
	if err != nil {
		return nil, err
	}
	c := &connection{meter: &metered{Conn: raw}}
	defer context.AfterFunc(ctx, c.meter.end)()
	c.meter.left.Store(maxGreeting)
	o := &imapclient.Options{TLSConfig: s.tls}
	if s.url.Scheme == "imaps" {
		secure := tls.Client(c.meter, s.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			c.meter.end()
			return nil, c.meter.cause(ctx, err)
		}
		c.client = imapclient.New(secure, o)
	} else if c.client, err = imapclient.NewStartTLS(c.meter, o); err != nil {
		return nil, c.meter.cause(ctx, err)
	}
	if err := c.client.Login(s.cfg.User, s.cfg.Password).Wait(); err != nil {
		c.close()
		var answer *imap.Error
		if errors.As(err, &answer) && answer.Type == imap.StatusResponseTypeNo && answer.Code != imap.ResponseCodeUnavailable {
			return nil, fault.Wrap(fault.Unauthorized, err, "mail_sign_in_wrong", "the server refuses the account; check user and password")
		}
		return nil, c.meter.cause(ctx, err)
	}
	c.meter.left.Store(maxNames)
	return c, nil
}

// explain returns an error of a session with a message for users.
func (s *Source) explain(err error) error {
	var known *fault.Fault
	if errors.As(err, &known) {
		return err
	}
	var answer *imap.Error
	if errors.As(err, &answer) {
		if answer.Code == imap.ResponseCodeNonExistent {
			return fault.Wrap(fault.NotFound, err, "mailbox_missing", "the mailbox does not exist")
		}
		return fault.Wrap(fault.Unavailable, err, "mail_command_refused", "the server of %s refuses a command", s.url.Host)
	}
	return dial.Explain(err, s.url.Host)
}

func (c *connection) close() { c.meter.end() }

// open selects a mailbox for reading.
func (c *connection) open(mailbox string) (messages uint32, err error) {
	c.mailbox = ""
	data, err := c.client.Select(mailbox, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return 0, err
	}
	c.mailbox, c.epoch = mailbox, data.UIDValidity
	return data.NumMessages, nil
}

// message is a message in a listing.
type message struct {
	uid      imap.UID
	size     int64
	received time.Time
	deleted  bool
}

// messages lists the selected mailbox, at most limit+1 messages of it.
func (c *connection) messages(limit int) ([]message, error) {
	all := imap.SeqSet{imap.SeqRange{Start: 1}}
	cmd := c.client.Fetch(all, &imap.FetchOptions{UID: true, RFC822Size: true, InternalDate: true, Flags: true})
	defer func() { _ = cmd.Close() }() // a second Close after an error is harmless
	var out []message
	for len(out) <= limit {
		data := cmd.Next()
		if data == nil {
			return out, cmd.Close()
		}
		var m message
		for item := data.Next(); item != nil; item = data.Next() {
			switch item := item.(type) {
			case imapclient.FetchItemDataUID:
				m.uid = item.UID
			case imapclient.FetchItemDataRFC822Size:
				m.size = item.Size
			case imapclient.FetchItemDataInternalDate:
				m.received = item.Time
			case imapclient.FetchItemDataFlags:
				for _, f := range item.Flags {
					m.deleted = m.deleted || f == imap.FlagDeleted
				}
			}
		}
		if m.uid != 0 {
			out = append(out, m)
		}
	}
	return out, nil
}

// errTooLarge is the error for a message above the limit.
var errTooLarge = errors.New("too large")

// body returns the bytes of a message, or nil if the message does not exist.
func (c *connection) body(uid imap.UID, limit int64) ([]byte, error) {
	section := &imap.FetchItemBodySection{Peek: true}
	cmd := c.client.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}})
	defer func() { _ = cmd.Close() }() // a second Close after an error is harmless
	var body []byte
	for data := cmd.Next(); data != nil; data = cmd.Next() {
		for item := data.Next(); item != nil; item = data.Next() {
			part, ok := item.(imapclient.FetchItemDataBodySection)
			if !ok || part.Literal == nil || body != nil {
				continue
			}
			if part.Literal.Size() > limit {
				c.close() // instead of reading the message to its end
				return nil, errTooLarge
			}
			var err error
			if body, err = io.ReadAll(part.Literal); err != nil {
				return nil, err
			}
		}
	}
	return body, cmd.Close()
}
