package journal

import (
	"context"
	"slices"

	"docent/payload"
)

// Branches is the tree of the turns of a session. An edited or repeated question begins a branch
// next to the turn that it replaces. One branch is shown, and the turns of the others are hidden.
type Branches struct {
	// Turn is the newest turn.
	Turn int64
	// Replaces has the replaced turn of each turn that replaces one.
	Replaces map[int64]int64
	// Parents has the turn that a turn follows, if another branch was shown before it.
	Parents map[int64]int64
	// Hidden are the turns that are not shown.
	Hidden []payload.TurnRange
}

// Parent returns the turn that a turn follows, or 0 for the first one.
func (b Branches) Parent(turn int64) int64 {
	for b.Replaces[turn] > 0 { // versions follow the same turn
		turn = b.Replaces[turn]
	}
	if parent, ok := b.Parents[turn]; ok {
		return parent
	}
	return turn - 1
}

// To returns the turns from the first one to a turn, in order, or none if the turn does not exist.
func (b Branches) To(turn int64) []int64 {
	if turn > b.Turn {
		return nil
	}
	var path []int64
	for ; turn > 0; turn = b.Parent(turn) {
		path = append(path, turn)
	}
	slices.Reverse(path)
	return path
}

// Through returns the turns of the branch with a turn that has the newest last turn, in order.
func (b Branches) Through(turn int64) []int64 {
	newest := make(map[int64]int64, b.Turn) // the next turn toward the newest one
	for last := b.Turn; last > 0; last-- {
		for t := last; t > 0; {
			parent := b.Parent(t)
			if newest[parent] > 0 {
				break
			}
			newest[parent] = t
			t = parent
		}
	}
	path := b.To(turn)
	for next := newest[turn]; next > 0; next = newest[next] {
		path = append(path, next)
	}
	return path
}

// Others returns the turns of the session that a path does not have.
func (b Branches) Others(path []int64) []payload.TurnRange {
	var out []payload.TurnRange
	next := int64(1)
	for _, turn := range append(slices.Clone(path), b.Turn+1) {
		if turn > next {
			out = append(out, payload.TurnRange{First: next, Until: turn})
		}
		next = turn + 1
	}
	return out
}

// Versions is a Store that shows one of several branches. It is safe for concurrent use.
type Versions interface {
	// Branches returns the tree of the turns of a session. It has no turns for a missing session.
	Branches(ctx context.Context, session int64) (Branches, error)
	// ShowTurn shows the newest branch with a turn that a user's message began, and returns the
	// turns of the others. Later turns follow the last turn of this branch. ShowTurn fails with
	// fault.NotFound (ErrNoTurn) if the turn does not exist, with fault.Invalid if no user's message
	// began it, and with ErrStale for an old fence, unless fence is 0.
	ShowTurn(ctx context.Context, session, fence, turn int64) (hidden []payload.TurnRange, err error)
	// CopySession creates the session to with the shown form of another session up to a turn: its
	// messages, steps, and documents. The other fields of to are as in OpenSession. CopySession fails
	// with fault.NotFound (ErrNoTurn) if the turn does not exist, with fault.Invalid if no user's
	// message began it or the copy would exceed MaxCopy, and with fault.Conflict while the turn has not
	// ended. allow gets the size of the copy in bytes, may use the store, and its error ends CopySession.
	CopySession(ctx context.Context, session, turn int64, to SessionRecord, allow func(bytes int) error) error
}

// MaxCopy bounds the content of messages in a copy, in bytes.
const MaxCopy = 16 << 20
