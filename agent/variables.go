package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

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
	if !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
		return fault.New(fault.Invalid, "variable_name_invalid", "the name of a variable must be text without U+0000")
	}
	if err := CheckJSON(value); err != nil {
		return fmt.Errorf("variable %q: %w", key, err)
	}
	count, size := 1, len(key)+len(value)
	for k, val := range v.merged() {
		if k != key {
			count++
			size += len(k) + len(val)
		}
	}
	if count > MaxVariables || size > MaxVariableBytes {
		return fault.New(fault.Invalid,
			"variables_full", "a session may have at most %d variables of %d bytes together", MaxVariables, MaxVariableBytes)
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
	s.turn.mu.Lock()
	value, ok := s.turn.vars.get(key)
	s.turn.mu.Unlock()
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(value, to); err != nil {
		return true, fmt.Errorf("variable %q: %w", key, err)
	}
	return true, nil
}

// Get returns a session variable, or def if there is none, it is null, or it is
// of another type.
func Get[T any](s *Session, key string, def T) T {
	var value *T
	if _, err := s.Get(key, &value); err != nil || value == nil {
		return def
	}
	return *value
}

// Set stores value, as JSON, under key. It is written when the turn ends.
func (s *Session) Set(key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("variable %q: %w", key, err)
	}
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if s.turn.over {
		return ErrOver
	}
	return s.turn.vars.put(key, data)
}

// Delete removes the variable named key; there need not be one.
func (s *Session) Delete(key string) {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if !s.turn.over {
		s.turn.vars.remove(key)
	}
}

// ErrReserved is the cause of refusing to set a variable that is the runtime's.
var ErrReserved = errors.New("a variable of the runtime")

// peerSession begins the names of variables that hold sessions with other
// agents.
const peerSession = "peer_session_"

// CheckReserved refuses the variables of the runtime, as fault.Invalid:
// prev_state, and names that begin with peer_session_ or reasoning_.
func CheckReserved(values map[string]json.RawMessage) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key == previousState || strings.HasPrefix(key, peerSession) || strings.HasPrefix(key, "reasoning_") {
			return fault.Wrap(fault.Invalid, ErrReserved,
				"variable_reserved", "the variable %.64q is the agent's own and cannot be set", key)
		}
	}
	return nil
}

// SetVariables returns a session's variables with changes from outside: the
// changed ones alone, and all of them.
func SetVariables(stored, values map[string]json.RawMessage) (set, all map[string]json.RawMessage, err error) {
	vars := variables{stored: stored}
	for key, value := range values {
		if err := vars.put(key, value); err != nil {
			return nil, nil, err
		}
	}
	return vars.set, vars.merged(), nil
}
