package peer

import (
	"context"
	"time"

	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/payload"
)

// read processes the messages of the peer in order.
func (l *link) read(ctx context.Context, conn Conn) {
	for frame, err := range conn.Frames() {
		if err != nil {
			l.links.network.cfg.Logger.DebugContext(ctx, "peer connection ended", "session", l.links.id, "peer", l.name, errlog.Attr(err))
			return
		}
		message, ok := l.hear(frame)
		if !ok {
			continue
		}
		if l.storm.Wait(ctx) != nil {
			return
		}
		if err := l.links.crosses(ctx, message.Thread, message.heardHops()); err != nil { // the sender gets no error, because it might answer
			l.links.mailbox.Refuse(message, err)
			continue
		}
		if !l.take(ctx, message) {
			return
		}
	}
}

// heardHops returns the hops that a message of a peer counts against
// Config.MaxHops. An answer counts one hop less, so that the asking agent receives
// the answer to its last allowed request.
func (m *Message) heardHops() int {
	if m.Correlation != "" && m.Hops < payload.MaxHops {
		return m.Hops - 1
	}
	return m.Hops
}

// hear converts a frame to a message to this agent. It returns false if there is none.
func (l *link) hear(f payload.Frame) (Message, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usedAt, l.failures = time.Now(), 0
	content, ok := crossing(f, l.x.echoes || f.Correlation != "")
	if !ok {
		return Message{}, false
	}
	knew := l.x.echoes
	m := Message{Content: content, From: l.name, Hops: max(f.Hops, l.x.hops+1)}
	if r := l.x.match(f); r != nil { // the runtime counts for peers that do not count
		m.Correlation, m.Cause, m.Thread, m.Hops = r.frame.Correlation, r.cause, r.thread, max(f.Hops, r.hops+1)
	} else if m.Thread = threadOf(f.Correlation); m.Thread == "" && !l.x.echoes { // the answer may be late, or one of several
		m.Thread = l.x.thread
	}
	if l.x.echoes && !knew {
		l.links.network.remember(l.name)
	}
	signal(l.said)
	return m, true
}

// Attempts to store a message of a peer, and the pause before the second one, which doubles.
const (
	hearAttempts = 4
	hearPause    = 100 * time.Millisecond
)

// take stores a message of the peer. It returns false if the link has become useless. It retries while the store is
// unavailable, because nobody else would.
func (l *link) take(ctx context.Context, m Message) bool {
	pause := hearPause
	for attempt := 1; ; attempt++ {
		err := l.links.mailbox.Hear(ctx, m)
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case attempt == hearAttempts || !fault.KindOf(err).Retryable():
			l.log(ctx, "message of a peer", err)
			return fault.KindOf(err) != fault.NotFound
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return false
		}
	}
}
