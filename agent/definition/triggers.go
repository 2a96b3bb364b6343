package definition

import (
	"gopkg.in/yaml.v3"

	"docent/agent"
)

// readTriggers reads the section triggers.
func (d *draft) readTriggers(n *yaml.Node) {
	d.entries(n, "triggers", func(key *yaml.Node, name string, value *yaml.Node) {
		t := agent.Trigger{Event: name}
		var at, days *yaml.Node
		keys := d.mapping(value, "a trigger",
			field{"at", func(n *yaml.Node) { at = n }},
			field{"days", func(n *yaml.Node) { days = n }},
			field{"for", func(n *yaml.Node) {
				if t.For = d.text(n, "for"); t.For != "" && !agent.AudienceOf(t.For) {
					d.wrong(n, "for is %q, it must be everyone, group:NAME, or user:NAME", t.For)
				}
			}},
		)
		d.require(value, keys, "a trigger", "at", "for")
		if at != nil {
			t.Clock = d.clock(at, days)
		}
		d.agent.Trigger(t)
	})
}
