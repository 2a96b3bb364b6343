package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docent/internal/fault"
)

// ErrStale is the cause of a fault.Unavailable about a write with an old fence: another process
// has loaded the session since.
var ErrStale = errors.New("another process runs the session")

// HeldError is the cause of a fault.Unavailable about a session that another live replica runs.
type HeldError struct {
	// Session is the session's row id.
	Session int64
	// Replica is the id of the other replica.
	Replica string
}

// Error implements error.
func (e *HeldError) Error() string {
	return fmt.Sprintf("replica %s runs session %d", e.Replica, e.Session)
}

// Stale returns the error about a write with an old fence.
func Stale() error {
	return fault.Wrap(fault.Unavailable, ErrStale, "session_moved", "this conversation has moved to another server; connect again")
}

// Held returns the error about a session that another live replica runs.
func Held(session int64, replica string) error {
	return fault.Wrap(fault.Unavailable, &HeldError{session, replica},
		"session_elsewhere", "another server runs this conversation; try again in a moment")
}

// HeldBy returns the HeldError in err, or nil.
func HeldBy(err error) *HeldError {
	var held *HeldError
	if errors.As(err, &held) {
		return held
	}
	return nil
}

// Leases is the part of a database that says which processes are alive. Each process is a replica
// with an id of its own. A replica runs the sessions that it opened with SessionRecord.Replica,
// while its row exists. Leases is safe for concurrent use.
type Leases interface {
	// JoinReplicas adds a new replica until ttl from now.
	JoinReplicas(ctx context.Context, id string, ttl time.Duration) error
	// RenewReplica keeps a replica until ttl from now. It removes expired replicas, but not this
	// one, and returns the ids of all others that are left. It returns false if this replica was
	// removed. Others may then run its sessions, and it needs a new id.
	RenewReplica(ctx context.Context, id string, ttl time.Duration) (others []string, renewed bool, err error)
	// LeaveReplicas removes a replica.
	LeaveReplicas(ctx context.Context, id string) error
	// ListReplicas returns the live replicas, ordered by id.
	ListReplicas(ctx context.Context) ([]Replica, error)
	// ReleaseSession makes a session free if this replica runs it.
	ReleaseSession(ctx context.Context, key SessionKey, replica string) error
}

// Replica is a process that shares the database.
type Replica struct {
	// ID identifies it.
	ID string
	// Until is the end of its lease.
	Until time.Time
}
