package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/internal/fault"
)

// Bounds of a session's variables.
const (
	// MaxVariables bounds their number.
	MaxVariables = 1000
	// MaxVariableBytes bounds all keys and values together, in bytes.
	MaxVariableBytes = 1 << 20
)

// variables are a session's variables with what a turn changes of them.
type variables struct {
	stored map[string]json.RawMessage
	set    map[string]json.RawMessage
	gone   map[string]bool
}

func (v *variables) get(key string) (json.RawMessage, bool) {
	if value, ok := v.set[key]; ok {
		return value, true
	}
	if v.gone[key] {
		return nil, false
	}
	value, ok := v.stored[key]
	return value, ok
}

func (v *variables) put(key string, value json.RawMessage) error {
	count, size := 1, len(key)+len(value)
	for k, val := range v.merged() {
		if k != key {
			count++
			size += len(k) + len(val)
		}
	}
	if count > MaxVariables || size > MaxVariableBytes {
		return fault.New(fault.Invalid, "a session may have at most %d variables of %d bytes together", MaxVariables, MaxVariableBytes)
	}
	if v.set == nil {
		v.set = map[string]json.RawMessage{}
	}
	v.set[key] = value
	delete(v.gone, key)
	return nil
}

func (v *variables) remove(key string) {
	delete(v.set, key)
	if _, ok := v.stored[key]; !ok {
		return
	}
	if v.gone == nil {
		v.gone = map[string]bool{}
	}
	v.gone[key] = true
}

// removed lists the keys to remove from the store.
func (v *variables) removed() []string {
	out := make([]string, 0, len(v.gone))
	for key := range v.gone {
		out = append(out, key)
	}
	return out
}

// merged is what is stored once the changes are.
func (v *variables) merged() map[string]json.RawMessage {
	if len(v.set) == 0 && len(v.gone) == 0 {
		return v.stored
	}
	out := make(map[string]json.RawMessage, len(v.stored)+len(v.set))
	for key, value := range v.stored {
		if !v.gone[key] {
			out[key] = value
		}
	}
	for key, value := range v.set {
		out[key] = value
	}
	return out
}

// Get decodes the variable named key into to, which stays as it is if there is
// none; found reports whether there is.
func (s *Session) Get(key string, to any) (found bool, err error) {
	value, ok := s.turn.vars.get(key)
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(value, to); err != nil {
		return true, fmt.Errorf("variable %q: %w", key, err)
	}
	return true, nil
}

// Set stores value, as JSON, under key. It is written when the turn ends.
func (s *Session) Set(key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("variable %q: %w", key, err)
	}
	return s.turn.vars.put(key, data)
}

// Delete removes the variable named key; there need not be one.
func (s *Session) Delete(key string) { s.turn.vars.remove(key) }

// SetVariables sets session variables, in order with the messages sent. What
// cannot be set is told to the listener.
func (s *Subscription) SetVariables(ctx context.Context, values map[string]json.RawMessage) error {
	c := s.c
	leave, err := c.admit(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, work{slot: true, do: func(ctx context.Context) {
		if err := c.setVariables(ctx, values); err != nil {
			c.logError(ctx, "set variables", err)
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, d := range Failure(err, "") {
				d.Frame.Time = c.rt.cfg.Now()
				s.listener.Deliver(d)
			}
		}
	}})
	c.startLocked(ctx)
	return nil
}

func (c *conversation) setVariables(ctx context.Context, values map[string]json.RawMessage) error {
	vars := variables{stored: c.record.Variables}
	for key, value := range values {
		if err := vars.put(key, value); err != nil {
			return err
		}
	}
	_, err := c.commit(ctx, TurnRecord{Session: c.record.RowID, State: c.state.name, Set: vars.set})
	if err != nil {
		return err
	}
	c.record.Variables = vars.merged()
	return nil
}
