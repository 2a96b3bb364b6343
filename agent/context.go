package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"docent/internal/fault"
)

// modelContext is the prefix of variables with context for models.
const modelContext = "model_context_"

// MaxModelContext limits each text of ModelContext and SetModelContext, in bytes.
const MaxModelContext = 8 << 10

// ModelContext adds a text to the instruction of models, in all sessions: RunRAG, reasoning, and the action llm of agent files
// send it with every call. It corresponds to the global context of BAF's models. A longer text than MaxModelContext is an
// error of Validate.
func (a *Agent) ModelContext(text string) { a.context = text }

// SetModelContext adds a named text to the instruction of models, in this session. Another text under the same name replaces
// it, and "" removes it. It corresponds to BAF's add_user_context and remove_user_context. It fails with fault.Invalid if the
// text is longer than MaxModelContext.
func SetModelContext(s *Session, name, text string) error {
	if len(text) > MaxModelContext {
		return fault.New(fault.Invalid, "model_context_too_long",
			"the context for the model has %d bytes; at most %d are allowed", len(text), MaxModelContext)
	}
	if text == "" {
		s.Delete(modelContext + name)
		return nil
	}
	return s.Set(modelContext+name, text)
}

// ModelContext returns the context of the agent, followed by those of the session in the order of their names.
func ModelContext(s *Session) string {
	var texts []string
	if text := s.turn.part().context; text != "" {
		texts = append(texts, text)
	}
	vars := allVariables(s)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		var text string
		if strings.HasPrefix(name, modelContext) && json.Unmarshal(vars[name], &text) == nil {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}
