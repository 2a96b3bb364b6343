package definition

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"gopkg.in/yaml.v3"

	"docent/agent"
)

// remember reads facts with their values. Null, and a placeholder without a value, remove a fact.
func (d bodies) remember(n, keep *yaml.Node) *action {
	type fact struct {
		key   string
		value source
	}
	var all []fact
	var within time.Duration
	if keep != nil {
		within = d.duration(keep, "keep")
	}
	d.entries(n, "remember", func(key *yaml.Node, name string, value *yaml.Node) {
		if name == "" || len(name) > agent.MaxFactKey {
			d.wrong(key, "the key of a fact must have 1 to %d bytes", agent.MaxFactKey)
		}
		all = append(all, fact{name, d.data(value, "fact "+name).source})
	})
	a := always(func(ctx context.Context, s *agent.Session) error {
		var errs []error
		for _, f := range all {
			if v := f.value(s); v != nil {
				errs = append(errs, agent.MemoryOf(s).Remember(ctx, f.key, v, within))
			} else {
				errs = append(errs, agent.MemoryOf(s).Forget(ctx, f.key))
			}
		}
		return errors.Join(errs...)
	})
	return &a
}

// recall reads the keys of facts, which become variables.
func (d bodies) recall(n *yaml.Node) action {
	var names []string
	if n.Kind == yaml.ScalarNode {
		names = []string{d.variableName(n, "recall")}
	} else {
		d.list(n, "recall", func(item *yaml.Node) { names = append(names, d.variableName(item, "each of recall")) })
	}
	return always(func(ctx context.Context, s *agent.Session) error {
		for _, name := range names {
			var value json.RawMessage
			found, err := agent.MemoryOf(s).Recall(ctx, name, &value)
			switch {
			case err != nil:
				return err //nolint:wrapcheck // it names the fact
			case !found:
				s.Delete(name)
			default:
				if err := s.Set(name, value); err != nil {
					return err //nolint:wrapcheck // it names the variable
				}
			}
		}
		return nil
	})
}
