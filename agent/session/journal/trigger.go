package journal

import (
	"context"
	"time"
)

// TriggerID begins the ids of the events of triggers.
const TriggerID = "trigger "

// TriggerKey names a trigger of an agent.
type TriggerKey struct {
	// Agent is the name of the agent.
	Agent string
	// Event is the name of the event.
	Event string
}

// Recipient is a user who gets the event of a trigger.
type Recipient struct {
	// Owner is the principal, or "" without authentication.
	Owner string
	// Session is the id of the conversation that the user used last with the agent, or "". It is not
	// archived, and has a message of the user or an event of a trigger.
	Session string
}

// TriggerDelivery is the event of a trigger for one user.
type TriggerDelivery struct {
	// Session is the id of the session that gets the event.
	Session string
	// Done reports that it has got the event.
	Done bool
}

// Triggers keeps what the triggers of agents have done. It is safe for concurrent use.
type Triggers interface {
	// LastTrigger returns the last time of a trigger that is done. A new trigger, and one with another
	// plan, begins at now. So does one whose last time is more than lease.Max after now, because that
	// time is from before the clock was set back.
	LastTrigger(ctx context.Context, key TriggerKey, plan string, now time.Time) (time.Time, error)
	// KeepTriggers removes everything about the triggers of an agent with other events than these.
	KeepTriggers(ctx context.Context, agent string, events []string) error
	// EndTrigger stores that a time of a trigger is done, and removes its deliveries.
	EndTrigger(ctx context.Context, key TriggerKey, due time.Time) error
	// Recipients returns the users of an audience, ordered by owner, after an owner, and at most limit;
	// see agent.Trigger. Disabled users get nothing. With the audience "", the only user is "".
	Recipients(ctx context.Context, agent, audience, after string, limit int) ([]Recipient, error)
	// BeginDelivery returns the delivery for a user and a time. The first call chooses the session. If the
	// time of the trigger is done, the delivery is done, too.
	BeginDelivery(ctx context.Context, key TriggerKey, owner string, due time.Time, session string) (TriggerDelivery, error)
	// EndDelivery stores that a session has got the event.
	EndDelivery(ctx context.Context, key TriggerKey, owner string, due time.Time) error
	// EventWaits reports whether an event with a name waits in a session.
	EventWaits(ctx context.Context, key SessionKey, event string) (bool, error)
}
