package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"docent/agent/chat"
	"docent/internal/fault"
)

// Limits of a session's variables.
const (
	// MaxVariables limits their number.
	MaxVariables = 1000
	// MaxVariableBytes limits the total size of keys and values, in bytes.
	MaxVariableBytes = 1 << 20
)

// variables are a session's variables with the changes of a turn.
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
	if err := chat.CheckJSON(value); err != nil {
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

// merged returns the variables with the changes of the turn.
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

// Get decodes the variable key into to. found reports whether the variable exists. Without it, to does not change.
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

// Variables returns a copy of the variables as JSON, as BAF's get_dictionary does. It leaves out those of docent: the
// context for models, the documents of the session, its sessions at other agents, and its open approval.
func (s *Session) Variables() map[string]json.RawMessage {
	vars := allVariables(s)
	maps.DeleteFunc(vars, func(name string, _ json.RawMessage) bool {
		own := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		return own(modelContext) || own(sessionDocument) || own(peerSession) || own(approvalPrefix)
	})
	return vars
}

// allVariables returns a copy of all variables.
func allVariables(s *Session) map[string]json.RawMessage {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	return maps.Clone(s.turn.vars.merged())
}

// Get returns a session variable. It returns def if the variable is missing, null, or of another type.
func Get[T any](s *Session, key string, def T) T {
	var value *T
	if _, err := s.Get(key, &value); err != nil || value == nil {
		return def
	}
	return *value
}

// Set stores value as JSON under key. The store receives it at the end of the turn.
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

// Delete removes the variable key, if it exists.
func (s *Session) Delete(key string) {
	s.turn.mu.Lock()
	defer s.turn.mu.Unlock()
	if !s.turn.over {
		s.turn.vars.remove(key)
	}
}

// ErrReserved is the cause of refused writes to the runtime's variables.
var ErrReserved = errors.New("a variable of the runtime")

// peerSession is the prefix of variables with the sessions at other agents.
const peerSession = "peer_session_"

// UserVariables returns the variables that are not of the runtime.
func UserVariables(all map[string]json.RawMessage) map[string]json.RawMessage {
	out := maps.Clone(all)
	maps.DeleteFunc(out, func(key string, _ json.RawMessage) bool { return reserved(key) })
	return out
}

// reserved reports whether a variable is of the runtime.
func reserved(key string) bool {
	return key == previousState || slices.ContainsFunc(reservedPrefixes, func(p string) bool { return strings.HasPrefix(key, p) })
}

// reservedPrefixes begin the names of the runtime's variables.
var reservedPrefixes = []string{peerSession, "reasoning_", modelContext, sessionDocument, approvalPrefix}

// CheckReserved fails with fault.Invalid for the runtime's variables: prev_state, and names that begin with peer_session_,
// reasoning_, model_context_, session_document_, or approval_. size is that of the keys and values, in bytes.
func CheckReserved(values map[string]json.RawMessage) (size int, err error) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if reserved(key) {
			return 0, fault.Wrap(fault.Invalid, ErrReserved,
				"variable_reserved", "the variable %.64q is the agent's own and cannot be set", key)
		}
		size += len(key) + len(values[key])
	}
	return size, nil
}

// SetVariables merges outside changes into a session's variables. It returns the changed variables alone, and all
// variables.
func SetVariables(stored, values map[string]json.RawMessage) (set, all map[string]json.RawMessage, err error) {
	vars := variables{stored: stored}
	for key, value := range values {
		if err := vars.put(key, value); err != nil {
			return nil, nil, err
		}
	}
	return vars.set, vars.merged(), nil
}
