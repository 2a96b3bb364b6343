package tool

import (
	"context"
	"encoding/json"
	"time"
)

// running is a running call.
type running struct {
	// done receives the result of the call.
	done chan returned
	// returned and left record the first event: the call returned, or its caller stopped waiting. The Set's mutex guards them.
	returned, left bool
}

type returned struct {
	result any
	err    error
}

// call runs the function and waits for it, but only slightly longer than ctx.
func (s *Set) call(ctx context.Context, e *entry, args json.RawMessage) (any, error) {
	r := &running{done: make(chan returned, 1)}
	if err := s.begin(e); err != nil {
		return nil, err
	}
	go func() { // Wait waits for it
		var out returned
		defer func() {
			if v := recover(); v != nil {
				out = returned{err: s.panicked(ctx, e, v)}
			}
			r.done <- out
			s.end(r)
		}()
		out.result, out.err = e.Call(ctx, args)
	}()
	select {
	case out := <-r.done:
		return out.result, out.err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case out := <-r.done:
		return out.result, out.err
	case <-late.C:
	}
	s.leave(r)
	s.cfg.Log.Warn("a tool does not return although its time is over", "tool", e.Name)
	return nil, errStray
}

func (s *Set) begin(e *entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stray >= MaxStray {
		return refusal("ToolError", "Tool '%s' cannot run now: too many earlier calls have not returned", e.Name)
	}
	s.running++
	return nil
}

func (s *Set) end(r *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.returned = true
	if r.left {
		s.stray--
	}
	if s.running--; s.running == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

func (s *Set) leave(r *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.returned {
		r.left = true
		s.stray++
	}
}
