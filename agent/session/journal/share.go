package journal

import (
	"context"
	"time"
)

// MaxShares bounds the shared links of one owner.
const MaxShares = 1000

// Share is a read-only link to a part of a session. The messages stay in the session, so its
// deletion also removes the share.
type Share struct {
	// ID is the part of the address that nobody can guess.
	ID string
	// Session is the row id of the session.
	Session int64
	// Key names the session. Only reads fill it.
	Key SessionKey
	// Owner is the principal that shares.
	Owner string
	// Name is the title at the time of sharing.
	Name string
	// Turn is the last shared turn.
	Turn int64
	// Seq is the sequence number of the last shared message. Later messages and later
	// replacements do not change the share.
	Seq int64
	// Only restricts the share to Turn.
	Only bool
	// Files includes answers from files that are attached to the session.
	Files bool
	// Public opens the link to readers who do not sign in.
	Public bool
	// CreatedAt is the time of creation.
	CreatedAt time.Time
	// ExpiresAt is the time at which the link becomes invalid. Zero means never.
	ExpiresAt time.Time
}

// Shares keeps shared links. It is safe for concurrent use.
type Shares interface {
	// AddShare stores a share. It fails with fault.Conflict if its owner has MaxShares, and with
	// fault.NotFound if the session does not exist.
	AddShare(ctx context.Context, share Share) error
	// Share returns a share, or fails with fault.NotFound. It also returns expired ones.
	Share(ctx context.Context, id string) (Share, error)
	// Shares lists the shares of an owner, newest first.
	Shares(ctx context.Context, owner string) ([]Share, error)
	// RemoveShare removes a share of an owner, or fails with fault.NotFound.
	RemoveShare(ctx context.Context, owner, id string) error
}
