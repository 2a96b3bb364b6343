package imap

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"

	"docent/ingest/source"
	"docent/ingest/source/dial"
	"docent/internal/fault"
)

// maxMailboxes bounds the mailboxes of one account.
const maxMailboxes = 5000

// idleTime is the time for which an unused connection stays open.
const idleTime = 20 * time.Second

// state is the stored state of a message between two syncs. A message never
// changes while its mailbox keeps its UIDVALIDITY.
type state struct {
	Epoch uint32 `json:"v"`
}

func decodeState(raw []byte) (state, bool) {
	var st state
	ok := len(raw) <= 100 && json.Unmarshal(raw, &st) == nil && st.Epoch != 0
	return st, ok
}

// List yields the messages of the mailboxes. It sends two requests for each
// mailbox. If a mailbox cannot be read, List continues with the others and yields
// an error at the end.
func (s *Source) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		if err := s.list(ctx, known, yield); err != nil && !errors.Is(err, errStopped) {
			if cause := ctx.Err(); cause != nil {
				err = cause
			}
			yield(source.Item{}, fmt.Errorf("list %s: %w", s.url, err))
		}
	}
}

// errStopped means that the caller broke the loop over a listing.
var errStopped = errors.New("stopped")

func (s *Source) list(ctx context.Context, known source.Known, yield func(source.Item, error) bool) error {
	c, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	var names []string
	err = s.within(ctx, c, func() (err error) {
		names, err = s.mailboxes(c)
		return err
	})
	if err != nil {
		return s.explain(err)
	}
	var failed error
	total := 0
	for _, name := range names {
		c.meter.left.Store(maxTalk)
		var list []message
		err := s.within(ctx, c, func() error {
			count, err := c.open(name)
			if err == nil && count > 0 {
				list, err = c.messages(s.cfg.MaxMessages - total)
			}
			return err
		})
		var refused *imap.Error
		if errors.As(err, &refused) {
			if failed == nil {
				failed = fmt.Errorf("mailbox %s: %w", name, s.explain(err))
			}
			continue
		}
		if err != nil {
			return s.explain(err)
		}
		if total += len(list); total > s.cfg.MaxMessages {
			return fault.New(fault.Invalid,
				"mailbox_too_many_messages", "more than %d messages; choose fewer mailboxes or raise max_messages", s.cfg.MaxMessages)
		}
		slices.SortFunc(list, func(a, b message) int { return int(int64(a.uid) - int64(b.uid)) })
		for i, m := range list {
			if m.deleted || i > 0 && list[i-1].uid == m.uid {
				continue
			}
			if !yield(s.item(name, c.epoch, m, known), nil) {
				return errStopped
			}
		}
	}
	return failed
}

// mailboxes returns the names that match the patterns.
func (s *Source) mailboxes(c *connection) ([]string, error) {
	var names []string
	for _, pattern := range s.cfg.Mailboxes {
		list, err := c.client.List("", pattern, nil).Collect()
		if err != nil {
			return nil, err
		}
		found := false
		for _, m := range list {
			if slices.Contains(m.Attrs, imap.MailboxAttrNoSelect) || slices.Contains(m.Attrs, imap.MailboxAttrNonExistent) {
				continue
			}
			found = true
			if !slices.Contains(names, m.Mailbox) {
				names = append(names, m.Mailbox)
			}
			if len(names) > maxMailboxes {
				return nil, fault.New(fault.Invalid, "mailboxes_too_many", "mailboxes: more than %d match", maxMailboxes)
			}
		}
		if !found && !strings.ContainsAny(pattern, "*%") {
			return nil, fault.New(fault.NotFound, "no_mailbox", "mailboxes: the account has no mailbox %q", pattern)
		}
	}
	return names, nil
}

func (s *Source) item(mailbox string, epoch uint32, m message, known source.Known) source.Item {
	uid := strconv.FormatUint(uint64(m.uid), 10)
	item := source.Item{
		Key: mailbox + "/" + uid, Name: uid + ".eml", Size: m.size, Modified: m.received,
		Address: "imap://" + url.PathEscape(s.cfg.User) + "@" + s.url.Host + "/" + (&url.URL{Path: mailbox}).EscapedPath() + ";UID=" + uid,
	}
	item.State, item.Err = json.Marshal(state{epoch})
	if raw, ok := known(item.Key); ok {
		old, ok := decodeState(raw)
		item.Unchanged = ok && old.Epoch == epoch
	}
	if m.size > s.cfg.MaxBytes {
		item.Err = dial.TooLarge(s.cfg.MaxBytes)
	}
	return item
}

// Open downloads a message. The messages of one source share one connection and
// are downloaded one after another. An idle connection is closed.
func (s *Source) Open(ctx context.Context, item source.Item) (io.ReadCloser, error) {
	mailbox, uid, err := splitKey(item.Key)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
	}
	fresh := s.reader == nil
	body, err := s.fetch(ctx, mailbox, uid, item.State)
	if err != nil && !fresh && ctx.Err() == nil && fault.KindOf(err).Retryable() {
		s.drop() // the server may have closed the connection meanwhile
		body, err = s.fetch(ctx, mailbox, uid, item.State)
	}
	if err != nil {
		s.drop()
		if cause := ctx.Err(); cause != nil {
			err = cause
		}
		return nil, err
	}
	s.idle = time.AfterFunc(idleTime, func() { _ = s.Close() })
	return io.NopCloser(bytes.NewReader(body)), nil
}

// fetch reads a message over the connection for Open. The caller holds the lock.
func (s *Source) fetch(ctx context.Context, mailbox string, uid imap.UID, raw []byte) ([]byte, error) {
	if s.reader == nil {
		c, err := s.connect(ctx)
		if err != nil {
			return nil, err
		}
		s.reader = c
	}
	c := s.reader
	c.meter.left.Store(maxTalk + s.cfg.MaxBytes)
	var body []byte
	err := s.within(ctx, c, func() (err error) {
		if c.mailbox != mailbox {
			if _, err := c.open(mailbox); err != nil {
				return err
			}
		}
		if st, ok := decodeState(raw); ok && st.Epoch != c.epoch {
			return fault.New(fault.Unavailable, "mailbox_recreated", "the mailbox was created again during the sync; sync again")
		}
		body, err = c.body(uid, s.cfg.MaxBytes)
		return err
	})
	switch {
	case errors.Is(err, errTooLarge):
		return nil, dial.TooLarge(s.cfg.MaxBytes)
	case err != nil:
		return nil, s.explain(err)
	case body == nil:
		return nil, fault.New(fault.NotFound, "mail_message_gone", "the message was deleted during the sync")
	}
	return body, nil
}

// splitKey splits a key into the mailbox and the UID, which a slash separates.
func splitKey(key string) (mailbox string, uid imap.UID, err error) {
	i := strings.LastIndexByte(key, '/')
	if i > 0 {
		var n uint64
		if n, err = strconv.ParseUint(key[i+1:], 10, 32); err == nil && n > 0 {
			return key[:i], imap.UID(n), nil
		}
	}
	return "", 0, fault.New(fault.Invalid, "not_a_mail_key", "%q is not a message", key)
}
