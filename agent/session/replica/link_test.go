package replica

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"docent/internal/fault"
	"docent/internal/quota"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// leases has all replicas until they leave.
type leases struct {
	mu  sync.Mutex
	all []string
}

func (l *leases) JoinReplicas(_ context.Context, id string, _ time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, id)
	return nil
}

func (l *leases) RenewReplica(_ context.Context, id string, _ time.Duration) ([]string, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(l.all), func(other string) bool { return other == id })
	return others, len(others) < len(l.all), nil
}

func (l *leases) LeaveReplicas(_ context.Context, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(other string) bool { return other == id })
	return nil
}

// bus carries payloads in memory. It loses those for which lose returns true.
type bus struct {
	mu    sync.Mutex
	boxes map[string]chan string
	lose  func(payload string) bool
}

func (b *bus) Listen(ctx context.Context, id string, ready func(), receive func(string)) error {
	box := make(chan string, 1000)
	b.mu.Lock()
	b.boxes[id] = box
	b.mu.Unlock()
	ready()
	for {
		select {
		case p := <-box:
			receive(p)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *bus) Post(_ context.Context, to string, payloads []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range payloads {
		if b.lose == nil || !b.lose(p) {
			b.boxes[to] <- p
		}
	}
	return nil
}

// host accepts each request but "no". Its guests answer with their arguments, and send messages.
type host struct {
	mu     sync.Mutex
	stream *Stream
	closed int
	told   []string
}

func (h *host) Lost(context.Context)         {}
func (h *host) Left(context.Context, string) {}
func (h *host) Beat()                        {}

func (h *host) Told(_, op string, message json.RawMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, op+string(message))
}

var errNo = errors.New("the host does not want it")

func (h *host) Accept(_ context.Context, request json.RawMessage, stream *Stream) (Guest, error) {
	if string(request) == `"no"` {
		return nil, fault.Wrap(fault.Conflict, errNo, "test_no", "not now")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stream = stream
	return h, nil
}

func (h *host) Call(ctx context.Context, _ Op, in json.RawMessage) (any, error) {
	if string(in) == `"fail"` {
		return nil, fault.Wrap(fault.Conflict, errNo, "test_no", "not now")
	}
	return string(in) + " of " + quota.ClientOf(ctx).Principal, nil
}

func (h *host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed++
}

// inbox keeps the messages of a link.
type inbox struct {
	mu       sync.Mutex
	messages []string
	gone     error
}

func (i *inbox) Receive(op string, message json.RawMessage) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.messages = append(i.messages, op+string(message))
}

func (i *inbox) Gone(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.gone = err
}

// pair starts two replicas. The second one has the sessions.
func pair(t *testing.T, b *bus) (client, server *Member, h *host) {
	t.Helper()
	b.boxes = map[string]chan string{}
	l, h := &leases{}, &host{}
	members := make([]*Member, 2)
	for i := range members {
		m, err := New(Config{Leases: l, Bus: b, Logger: slog.New(slog.DiscardHandler), Causes: []error{errNo}})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Start(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		members[i] = m
	}
	return members[0], members[1], h
}

// TestLink uses a session of another replica: it calls, receives messages, and ends the use.
func TestLink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server, h := pair(t, &bus{})
		defer client.Stop(t.Context())
		defer server.Stop(t.Context())
		ctx := quota.WithClient(t.Context(), quota.Client{Principal: "user:ann"})
		if _, err := client.Open(ctx, server.ID(), "no", &inbox{}); !errors.Is(err, errNo) || fault.KindOf(err) != fault.Conflict {
			t.Errorf("a refused session: %v", err)
		}
		var in inbox
		link, err := client.Open(ctx, server.ID(), "yes", &in)
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("é", MaxPayload)
		var answer string
		if err := link.Call(ctx, OpSend, long, &answer); err != nil || answer != `"`+long+`" of user:ann` {
			t.Errorf("a long call: %d bytes, %v", len(answer), err)
		}
		if err := link.Call(ctx, OpSend, "fail", nil); !errors.Is(err, errNo) || fault.Message(err) != "not now" {
			t.Errorf("a failed call: %v", err)
		}
		for _, word := range []string{"one", "two"} {
			h.stream.Send("said ", word)
		}
		synctest.Wait()
		if want := []string{`said "one"`, `said "two"`}; !slices.Equal(in.messages, want) {
			t.Errorf("messages %q, want %q", in.messages, want)
		}
		link.Close()
		synctest.Wait()
		if err := link.Call(ctx, OpSend, "late", nil); !errors.Is(err, ErrGone) || h.closed != 1 || in.gone != nil {
			t.Errorf("after the end: %v, closed %d, gone %v", err, h.closed, in.gone)
		}
	})
}

// TestGap checks that a lost packet breaks its link, so that the client opens the session again.
func TestGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bus{}
		client, server, h := pair(t, b)
		defer client.Stop(t.Context())
		defer server.Stop(t.Context())
		var in inbox
		if _, err := client.Open(t.Context(), server.ID(), "yes", &in); err != nil {
			t.Fatal(err)
		}
		b.mu.Lock()
		b.lose = func(payload string) bool { return strings.Contains(payload, "lost") }
		b.mu.Unlock()
		h.stream.Send("said ", "lost")
		h.stream.Send("said ", "next")
		synctest.Wait()
		if len(in.messages) > 0 || !errors.Is(in.gone, ErrGone) || h.closed != 1 {
			t.Errorf("messages %q, gone %v, closed %d", in.messages, in.gone, h.closed)
		}
	})
}

// TestLeft checks that the links to a replica that has left end with the next renewal of the lease.
func TestLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bus{}
		client, server, _ := pair(t, b)
		defer client.Stop(t.Context())
		<-time.After(2 * beat) // both know each other
		var in inbox
		if _, err := client.Open(t.Context(), server.ID(), "yes", &in); err != nil {
			t.Fatal(err)
		}
		b.mu.Lock()
		b.lose = func(string) bool { return true } // like a process that is killed
		b.mu.Unlock()
		server.Stop(t.Context())
		<-time.After(2 * beat)
		synctest.Wait()
		if !errors.Is(in.gone, ErrGone) || client.Others() != 0 {
			t.Errorf("gone %v, %d others", in.gone, client.Others())
		}
	})
}

// TestTell checks that all other replicas receive a message, and the sender does not.
func TestTell(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server, h := pair(t, &bus{})
		defer client.Stop(t.Context())
		defer server.Stop(t.Context())
		<-time.After(2 * beat)
		client.Tell("deleted ", "s1")
		synctest.Wait()
		if want := []string{`deleted "s1"`}; !slices.Equal(h.told, want) {
			t.Errorf("told %q, want %q", h.told, want)
		}
	})
}
