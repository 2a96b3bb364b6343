package agent_test

import (
	"encoding/json"
	"testing"

	"docent/agent"
	"docent/agent/chat"
	"docent/payload"
)

// An interrupted brief goes on while it advances. A section that ends the program is not tried at every start.
func TestBriefGoesOn(t *testing.T) {
	t.Parallel()
	step := func(kind payload.StepKind, summary string) chat.Reasoning {
		text, err := json.Marshal(map[string]string{"summary": summary})
		if err != nil {
			t.Fatal(err)
		}
		return chat.Reasoning{StepKind: string(kind), Payload: text}
	}
	run, section := step(payload.StepStarted, "brief started"), step(payload.StepSection, "section 1 of 3: answered")
	for name, test := range map[string]struct {
		steps []chat.Reasoning
		want  bool
	}{
		"nothing":             {nil, false},
		"another agent":       {[]chat.Reasoning{step(payload.StepStarted, "reasoning started")}, false},
		"first run":           {[]chat.Reasoning{run}, true},
		"third run":           {[]chat.Reasoning{run, run, run}, true},
		"too many":            {[]chat.Reasoning{run, run, run, run}, false},
		"each with a section": {[]chat.Reasoning{run, section, run, section, run, section, run}, true},
		"stuck at a section":  {[]chat.Reasoning{run, section, run, run, run}, false},
	} {
		if got := agent.BriefGoesOn(test.steps); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
