package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"docent/internal/fault"
)

const (
	// maxFrameHeader bounds the header of a frame, in bytes. An item of a source may
	// have a state of 4 MiB.
	maxFrameHeader = 16 << 20
	// maxFrameBody bounds the body of a frame, in bytes.
	maxFrameBody = 1 << 20
	// maxCalls bounds the calls that a peer handles at the same time.
	maxCalls = 64
)

// frame is a message between the server and a process that reads a source. It is a
// call, the answer to one, or the cancellation of one.
type frame struct {
	// ID identifies a call. Both sides count their own calls.
	ID uint64 `json:"id"`
	// Op names the work of a call; "" in an answer.
	Op string `json:"op,omitempty"`
	// Data are the values of the call or of the answer.
	Data json.RawMessage `json:"data,omitempty"`
	// Err is the error of an answer.
	Err *wireError `json:"err,omitempty"`
	// Conn reports that a connection comes with the answer.
	Conn bool `json:"conn,omitempty"`
	body []byte
	conn uintptr
}

// opCancel cancels the call with the same ID.
const opCancel = "cancel"

// peer sends calls and handles those of the other side. It is safe for concurrent use.
type peer struct {
	in     io.Reader
	write  func(data []byte, conn uintptr) error // one frame, with a connection unless it is 0
	taken  func() (uintptr, bool)                // the next connection that came with the input
	handle func(ctx context.Context, op string, data json.RawMessage) (result, error)

	writing sync.Mutex // guards write
	mu      sync.Mutex // guards the fields below
	last    uint64
	waiting map[uint64]chan frame
	handled map[uint64]context.CancelFunc
	failed  error // why the peer has ended
}

// result is the result of a call.
type result struct {
	data any
	body []byte
	conn uintptr
	// sent is called after the answer was sent.
	sent func()
}

func newPeer() *peer {
	return &peer{waiting: map[uint64]chan frame{}, handled: map[uint64]context.CancelFunc{}}
}

// run reads frames until the input ends or breaks the protocol. It then waits for the
// calls of the other side, and ends those of this side.
func (p *peer) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	slots := make(chan struct{}, maxCalls)
	err := p.read(func(f frame) error {
		select {
		case slots <- struct{}{}:
		default:
			return errors.New("too many calls at the same time")
		}
		one, stop := context.WithCancel(ctx)
		p.mu.Lock()
		p.handled[f.ID] = stop
		p.mu.Unlock()
		working.Go(func() {
			p.reply(one, f)
			stop()
			p.mu.Lock()
			delete(p.handled, f.ID)
			p.mu.Unlock()
			<-slots
		})
		return nil
	})
	cancel()
	p.mu.Lock()
	p.failed = err
	for id, wait := range p.waiting {
		close(wait)
		delete(p.waiting, id)
	}
	p.mu.Unlock()
	working.Wait()
	return err
}

// read reads frames and calls begin with each call.
func (p *peer) read(begin func(frame) error) error {
	for {
		f, err := p.receive()
		if err != nil {
			return err
		}
		p.mu.Lock()
		stop, wait := p.handled[f.ID], p.waiting[f.ID]
		if f.Op == "" {
			delete(p.waiting, f.ID)
		}
		p.mu.Unlock()
		switch {
		case f.Op == opCancel && stop != nil:
			stop()
		case f.Op == opCancel:
		case f.Op != "":
			if err := begin(f); err != nil {
				return err
			}
		case wait != nil:
			wait <- f
		case f.Conn:
			closeDescriptor(f.conn)
		}
	}
}

func (p *peer) receive() (f frame, err error) {
	var sizes [8]byte
	if _, err := io.ReadFull(p.in, sizes[:]); err != nil {
		return f, err //nolint:wrapcheck // io.EOF says that the other side has ended
	}
	head, size := binary.LittleEndian.Uint32(sizes[:]), binary.LittleEndian.Uint32(sizes[4:])
	if head > maxFrameHeader || size > maxFrameBody {
		return f, fmt.Errorf("a frame of %d and %d bytes is too large", head, size)
	}
	data := make([]byte, int(head)+int(size))
	if _, err := io.ReadFull(p.in, data); err != nil {
		return f, fmt.Errorf("receive: %w", err)
	}
	if err := json.Unmarshal(data[:head], &f); err != nil {
		return f, fmt.Errorf("receive: %w", err)
	}
	f.body = data[head:]
	if f.Conn {
		conn, ok := p.taken()
		if !ok {
			return f, errors.New("a connection is missing")
		}
		f.conn = conn
	}
	return f, nil
}

func (p *peer) send(f frame, body []byte, conn uintptr) error {
	head, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	if len(head) > maxFrameHeader || len(body) > maxFrameBody {
		return fmt.Errorf("a frame of %d and %d bytes is too large", len(head), len(body))
	}
	data := binary.LittleEndian.AppendUint32(make([]byte, 0, 8+len(head)+len(body)), uint32(len(head)))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(body)))
	data = append(append(data, head...), body...)
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.write(data, conn)
}

// reply handles a call of the other side.
func (p *peer) reply(ctx context.Context, call frame) {
	done, err := p.handle(ctx, call.Op, call.Data)
	if done.sent != nil {
		defer done.sent()
	}
	out := frame{ID: call.ID, Err: toWire(err), Conn: done.conn != 0}
	if err == nil && done.data != nil {
		if out.Data, err = json.Marshal(done.data); err != nil {
			out.Err = toWire(err)
		}
	}
	if err := p.send(out, done.body, done.conn); err != nil {
		// The other side may wait for this answer, unless it has ended.
		_ = p.send(frame{ID: call.ID, Err: toWire(err)}, nil, 0)
	}
}

// call calls the other side and fills result, unless that is nil.
func (p *peer) call(ctx context.Context, op string, data, result any) (frame, error) {
	f := frame{Op: op}
	var err error
	if f.Data, err = json.Marshal(data); err != nil {
		return frame{}, fmt.Errorf("encode: %w", err)
	}
	wait := make(chan frame, 1)
	p.mu.Lock()
	if p.failed != nil {
		p.mu.Unlock()
		return frame{}, errEnded
	}
	p.last++
	f.ID = p.last
	p.waiting[f.ID] = wait
	p.mu.Unlock()
	if err := p.send(f, nil, 0); err != nil {
		return frame{}, errEnded
	}
	select {
	case <-ctx.Done():
		p.mu.Lock()
		delete(p.waiting, f.ID)
		p.mu.Unlock()
		_ = p.send(frame{ID: f.ID, Op: opCancel}, nil, 0) // it may have ended
		return frame{}, context.Cause(ctx)
	case back, ok := <-wait:
		if !ok {
			return frame{}, errEnded
		}
		if back.Err != nil {
			return frame{}, back.Err.failure()
		}
		if result != nil {
			if err := json.Unmarshal(back.Data, result); err != nil {
				return frame{}, fault.Wrap(fault.Internal, err, "source_worker_protocol", "the process that reads this source breaks the protocol")
			}
		}
		return back, nil
	}
}

// errEnded means that the other side has ended.
var errEnded = errors.New("the process has ended")
