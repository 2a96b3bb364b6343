package replica

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"docent/internal/fault"
	"docent/internal/quota"
	"docent/rag/corpus"
)

// The kinds of packets.
const (
	kindOpen    = "open"
	kindCall    = "call"
	kindAnswer  = "answer"
	kindMessage = "message"
	kindClose   = "close"
	kindTell    = "tell"
)

// packet is a message between two replicas.
type packet struct {
	From    string          `json:"from"`
	Link    string          `json:"link"`
	N       int64           `json:"n"` // numbers the packets of the link in this direction
	Kind    string          `json:"kind"`
	Call    int64           `json:"call,omitempty"`
	Op      string          `json:"op,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
	Caller  *caller         `json:"caller,omitempty"`
	Failure *failure        `json:"failure,omitempty"`
}

// caller is the part of a context that a call needs.
type caller struct {
	Client quota.Client   `json:"client"`
	Reader *corpus.Reader `json:"reader,omitempty"`
}

func callerOf(ctx context.Context) *caller {
	c := &caller{Client: quota.ClientOf(ctx)}
	if r, ok := corpus.ReaderOf(ctx); ok {
		c.Reader = &r
	}
	return c
}

// context returns ctx with the values of the caller.
func (c *caller) context(ctx context.Context) context.Context {
	if c == nil {
		return ctx
	}
	ctx = quota.WithClient(ctx, c.Client)
	if c.Reader != nil {
		ctx = corpus.WithReader(ctx, *c.Reader)
	}
	return ctx
}

// failure is an error of another replica.
type failure struct {
	Kind  fault.Kind `json:"kind"`
	Text  fault.Text `json:"text"`
	Cause string     `json:"cause,omitempty"` // the text of one of Config.Causes
}

// failure returns an error as another replica receives it.
func (m *Member) failure(err error) *failure {
	f := &failure{Kind: fault.KindOf(err), Text: fault.TextOf(err)}
	for _, cause := range append(m.cfg.Causes, ErrGone) {
		if errors.Is(err, cause) {
			f.Cause = cause.Error()
		}
	}
	return f
}

// failed returns the error of another replica.
func (m *Member) failed(f *failure) error {
	err := errors.New("another replica failed")
	for _, cause := range append(m.cfg.Causes, ErrGone) {
		if f.Cause == cause.Error() {
			err = cause
		}
	}
	return &fault.Fault{Kind: f.Kind, Text: f.Text, Err: err}
}

// encode returns v as JSON. Raw JSON in v keeps its characters.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode for another replica: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Bounds of the packets for one replica.
const (
	maxOutbox = 64 << 20  // bytes that wait
	maxBatch  = 512 << 10 // bytes of one post, unless one packet is larger
	// maxPacket bounds the bytes of a packet that is not complete.
	maxPacket = 64 << 20
	// postTime bounds the attempts to post a batch.
	postTime  = 6 * time.Second
	postPause = 100 * time.Millisecond
)

var errOutboxFull = fault.New(fault.Busy, "replica_outbox_full", "too much waits for another server; try again in a moment")

// outbox holds packets for a replica, each cut into payloads.
type outbox struct {
	packets [][]string
	bytes   int
	posting bool // a goroutine posts
}

// postLocked queues a packet for a replica. It fails with fault.Busy if too much waits. The end of
// a link always has room.
func (m *Member) postLocked(to string, p packet) error {
	p.From = m.id
	data, err := encode(p)
	if err != nil {
		return err
	}
	box := m.outboxes[to]
	if box == nil {
		box = &outbox{}
		m.outboxes[to] = box
	}
	if box.bytes+len(data) > maxOutbox && p.Kind != kindClose {
		return errOutboxFull
	}
	box.packets = append(box.packets, cut(p.Link, string(data)))
	box.bytes += len(data)
	if !box.posting {
		box.posting = true
		m.work.Go(func() { m.post(to) })
	}
	return nil
}

// post posts the packets for a replica until none is left.
func (m *Member) post(to string) {
	for {
		m.mu.Lock()
		box := m.outboxes[to]
		var payloads []string
		n, size := 0, 0
		for _, packet := range box.packets {
			for _, payload := range packet {
				size += len(payload)
			}
			if n > 0 && size > maxBatch {
				break
			}
			payloads = append(payloads, packet...)
			n++
		}
		if n == 0 {
			delete(m.outboxes, to)
			m.mu.Unlock()
			return
		}
		if box.packets = box.packets[n:]; len(box.packets) == 0 {
			box.packets = nil
		}
		for _, payload := range payloads {
			box.bytes = max(box.bytes-len(payload), 0)
		}
		m.mu.Unlock()
		if err := m.try(to, payloads); err != nil {
			m.cfg.Logger.Warn("send to another replica", "error", err)
			m.breakAll(func(id string) bool { return id == to })
		}
	}
}

// try posts payloads. It repeats them while the database does not answer. Receivers ignore
// repeated packets.
func (m *Member) try(to string, payloads []string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.base), postTime)
	defer cancel()
	for {
		err := m.cfg.Bus.Post(ctx, to, payloads)
		if err == nil || m.base.Err() != nil {
			return err //nolint:wrapcheck // it names the operation
		}
		select {
		case <-ctx.Done():
			return err //nolint:wrapcheck // it names the operation
		case <-m.base.Done():
		case <-time.After(postPause):
		}
	}
}

// cut cuts a packet into payloads: LINK COUNT MORE DATA. The count makes each payload unique,
// because Postgres drops equal notifications of one transaction.
func cut(link, data string) []string {
	var out []string
	for n := 0; ; n++ {
		head := link + " " + strconv.Itoa(n) + " "
		room := MaxPayload - len(head) - 2
		if len(data) <= room {
			return append(out, head+". "+data)
		}
		for !utf8.RuneStart(data[room]) {
			room--
		}
		out = append(out, head+"+ "+data[:room])
		data = data[room:]
	}
}

// piece is the beginning of a packet.
type piece struct {
	next int
	data strings.Builder
}

// join adds a payload to the packet that it belongs to, and returns the packet once it is complete.
// Payloads of one packet come one after the other.
func (m *Member) join(payload string) (data string, ok bool) {
	fields := strings.SplitN(payload, " ", 4)
	if len(fields) != 4 {
		return "", false
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return "", false
	}
	link, last := fields[0], fields[2] == "."
	p := m.pieces[link]
	if n == 0 {
		p = &piece{}
	}
	if p == nil || n != p.next || p.data.Len()+len(fields[3]) > maxPacket {
		delete(m.pieces, link) // the gap in the numbers of packets breaks the link
		return "", false
	}
	if last && n == 0 {
		return fields[3], true
	}
	p.next++
	p.data.WriteString(fields[3])
	m.pieces[link] = p
	if !last {
		return "", false
	}
	delete(m.pieces, link)
	return p.data.String(), true
}

// receive handles a payload. Only the listening goroutine calls it.
func (m *Member) receive(payload string) {
	data, ok := m.join(payload)
	if !ok {
		return
	}
	var p packet
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		m.cfg.Logger.Warn("packet of another replica", "error", err)
		return
	}
	if p.Kind == kindTell {
		m.host.Told(p.From, p.Op, p.Body)
		return
	}
	m.mu.Lock()
	link, stream := m.links[p.Link], m.streams[p.Link]
	if link == nil && stream == nil && p.Kind == kindOpen && p.N == 1 && !m.stopped && len(m.streams) < maxLinks {
		stream = &Stream{m: m, id: p.Link, from: p.From}
		stream.ctx, stream.cancel = context.WithCancel(m.base)
		m.streams[p.Link] = stream
	}
	var seen *int64
	switch {
	case link != nil && link.to == p.From:
		seen = &link.seen
	case stream != nil && stream.from == p.From:
		seen = &stream.seen
	default: // the end of the link is on its way
		m.mu.Unlock()
		return
	}
	repeated, gap := p.N <= *seen, p.N > *seen+1
	*seen = max(*seen, p.N)
	m.mu.Unlock()
	switch {
	case repeated:
	case gap && link != nil:
		link.end(gone())
	case gap:
		m.work.Go(func() { stream.end(true) })
	case link != nil:
		link.accept(p)
	default:
		stream.accept(p)
	}
}
