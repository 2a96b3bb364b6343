package relay

import (
	"context"
	"encoding/json"
	"fmt"

	"docent/agent/session"
	"docent/agent/session/journal"
	"docent/agent/session/replica"
	"docent/internal/fault"
)

// guest is a client on another replica.
type guest struct {
	*session.Subscription
	runtime *session.Runtime
}

// operation runs an operation for a guest.
type operation func(ctx context.Context, g guest, in json.RawMessage) (any, error)

var operations = map[replica.Op]operation{
	replica.OpSend: does(func(ctx context.Context, g guest, m session.Message) error { return g.Send(ctx, m) }),
	replica.OpFile: does(func(ctx context.Context, g guest, f session.File) error { return g.SendFile(ctx, f) }),
	replica.OpEvent: does(func(ctx context.Context, g guest, e replica.UserEvent) error {
		return g.SendEvent(ctx, e.Name, e.Data, e.Wait)
	}),
	replica.OpRevise: does(func(ctx context.Context, g guest, r session.Revision) error {
		if string(r.Content) == "null" { // no content
			r.Content = nil
		}
		return g.Revise(ctx, r)
	}),
	replica.OpShow:  does(func(ctx context.Context, g guest, show session.Show) error { return g.Show(ctx, show) }),
	replica.OpSet:   does(func(ctx context.Context, g guest, v map[string]json.RawMessage) error { return g.SetVariables(ctx, v) }),
	replica.OpStop:  does(func(ctx context.Context, g guest, turn int64) error { return g.Stop(ctx, turn) }),
	replica.OpReset: does(func(ctx context.Context, g guest, _ any) error { return g.Reset(ctx) }),
	replica.OpDispatch: does(func(ctx context.Context, g guest, d replica.Dispatched) error {
		return g.runtime.DispatchOnce(ctx, g.SessionID(), d.ID, d.Event)
	}),
	replica.OpCheck:    does(func(ctx context.Context, g guest, _ any) error { return g.runtime.Check(ctx, g.SessionID()) }),
	replica.OpFeedback: reads(func(ctx context.Context, g guest, f journal.Feedback) (any, error) { return g.Feedback(ctx, f) }),
	replica.OpCatchUp:  reads(func(ctx context.Context, g guest, at int64) (any, error) { return g.Remaining(ctx, at) }),
	replica.OpBefore:   reads(func(ctx context.Context, g guest, _ any) (any, error) { return g.Before(ctx) }),
	replica.OpProgress: reads(func(_ context.Context, g guest, _ any) (any, error) { return g.Progress(), nil }),
}

// reads returns an operation that decodes its argument.
func reads[T any](f func(context.Context, guest, T) (any, error)) operation {
	return func(ctx context.Context, g guest, raw json.RawMessage) (any, error) {
		var in T
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, fmt.Errorf("call of another replica: %w", err)
		}
		return f(ctx, g, in)
	}
}

// does returns an operation without a result.
func does[T any](f func(context.Context, guest, T) error) operation {
	return reads(func(ctx context.Context, g guest, in T) (any, error) { return nil, f(ctx, g, in) })
}

// Call implements replica.Guest.
func (g guest) Call(ctx context.Context, op replica.Op, in json.RawMessage) (any, error) {
	do := operations[op]
	if do == nil { // of another version
		return nil, fault.New(fault.Conflict, "replica_call_unknown", "the server with this conversation cannot do this; try again later")
	}
	return do(ctx, g, in)
}
