package definition

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/internal/fault"
)

// test is the condition of the action if.
type test struct {
	have, want source
	op         agent.Operator // "" asks whether there is a value
}

// test reads a condition on a variable or on a parameter of the intent.
func (d bodies) test(n *yaml.Node) test {
	var t test
	var want data
	what := ""
	names := func(kind string, find func(name string) source) field {
		return field{kind, func(n *yaml.Node) {
			name := d.text(n, kind)
			if what != "" {
				d.wrong(n, "if compares one thing: write one for %s and another for %s", what, kind)
			}
			if what, t.have = kind, find(name); t.have == nil && name != "" {
				d.wrong(n, "there is no %s %q; the intents have %s", kind, name, named(d.parameters))
			}
		}}
	}
	keys := d.mapping(n, "if",
		names("variable", variable),
		names("parameter", d.parameter),
		field{"is", func(n *yaml.Node) { t.op = d.operator(n) }},
		field{"value", func(n *yaml.Node) { want = d.data(n, "value") }},
	)
	switch {
	case len(keys) > 0 && what == "":
		d.wrong(n, "if needs variable or parameter, as in {variable: count, is: \">=\", value: 3}")
	case keys["is"] != nil && keys["value"] == nil:
		d.wrong(n, "if needs value with is; without both, it asks whether there is a value")
	case keys["value"] != nil && keys["is"] == nil:
		t.op = agent.Equal
	}
	if keys["value"] != nil && want.fixed {
		d.ordered(n, t.op, want.constant)
	}
	t.want = want.source
	return t
}

func (t test) holds(s *agent.Session) (bool, error) {
	if t.op == "" {
		return t.have(s) != nil, nil
	}
	return t.op.Holds(t.have(s), t.want(s))
}

// branch reads the action if with its keys then and else.
func (d bodies) branch(condition, then, otherwise *yaml.Node) *action {
	t := d.test(condition)
	var yes, no []action
	if then != nil {
		yes = d.actions(then, "then")
	}
	if otherwise != nil {
		no = d.actions(otherwise, "else")
	}
	if len(yes)+len(no) == 0 {
		d.wrong(condition, "if needs then: a list of actions for when the condition holds")
	}
	return &action{history: mostHistory(slices.Concat(yes, no)), make: func() (agent.Body, error) {
		holding, err := sequence(yes)
		if err != nil {
			return nil, err
		}
		other, err := sequence(no)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, s *agent.Session) error {
			way, resumes := agent.Resumes(ctx, s)
			if !resumes {
				ok, err := t.holds(s)
				switch {
				case err != nil:
					return err
				case ok:
					way = 1
				}
			}
			if way == 1 {
				return holding(agent.WithPlace(ctx, 1), s)
			}
			return other(agent.WithPlace(ctx, 0), s)
		}, nil
	}}
}

// variableName reads the name of a variable that an action sets.
func (d bodies) variableName(n *yaml.Node, what string) string {
	name := d.text(n, what)
	if _, err := agent.CheckReserved(map[string]json.RawMessage{name: nil}); err != nil {
		d.wrong(n, "%s: choose another name", fault.Message(err))
	}
	return name
}

// set reads variables with their values. Null, and a placeholder without a value,
// remove a variable.
func (d bodies) set(n *yaml.Node) action {
	type assignment struct {
		name  string
		value source
	}
	var all []assignment
	d.entries(n, "set", func(key *yaml.Node, name string, value *yaml.Node) {
		d.variableName(key, "the name of a variable")
		all = append(all, assignment{name, d.data(value, "variable "+name).source})
	})
	return always(func(_ context.Context, s *agent.Session) error {
		var errs []error
		for _, a := range all {
			if v := a.value(s); v != nil {
				errs = append(errs, s.Set(a.name, v))
			} else {
				s.Delete(a.name)
			}
		}
		return errors.Join(errs...)
	})
}
