package peer

import (
	"errors"
	"slices"

	"docent/payload"
)

// request is a message to a peer.
type request struct {
	frame payload.Frame
	hops  int
	// thread is what the request belongs to; see threadOf.
	thread string
	// cause is the id of the request, of the agent that this one talks to as a
	// server, for whose answer this request is made; "" if none.
	cause string
	// written gets one value: nil when it is written, or why it will not be.
	written chan error
	// writes counts how often it was written.
	writes int
	// abandoned tells that who made it gave up while it was being written.
	abandoned bool
	// told tells that written has its value.
	told bool
}

// tell ends the wait for a request to be written.
func (r *request) tell(err error) {
	if !r.told {
		r.told = true
		r.written <- err
	}
}

// exchange is what was asked of a peer and not answered. The link's lock guards
// it.
type exchange struct {
	// echoes reports that the peer repeats correlation ids, which only docent
	// does: then ids match answers, else their order does.
	echoes bool
	// waiting are to be written, oldest first.
	waiting []*request
	// sent are written, and not answered, oldest first.
	sent []*request
	// past are no longer waited for: answered, or written to a connection that
	// broke. Only their ids match what the peer still says to them.
	past []*request
	// hops are those of the request written last, before it those of the event
	// for which the link was begun; thread is that of the request, "" before it.
	hops   int
	thread string
}

// maxWrites is how often a request is written: again if the connection broke
// and the peer knows requests that it got already.
const maxWrites = 3

// add queues a request; false if too many wait.
func (x *exchange) add(r *request) bool {
	if len(x.waiting) >= MaxPeerQueue {
		return false
	}
	x.waiting = append(x.waiting, r)
	return true
}

// next takes the request to be written now; nil if there is none. It counts as
// sent from here on: the answer may be quicker than the return from writing.
func (x *exchange) next() *request {
	if len(x.waiting) == 0 {
		return nil
	}
	r := x.waiting[0]
	x.waiting = slices.Delete(x.waiting, 0, 1)
	r.writes++
	x.hops, x.thread = r.hops, r.thread
	if len(x.sent) == MaxPeerQueue { // a peer that answers nothing
		x.sent = slices.Delete(x.sent, 0, 1)
	}
	x.sent = append(x.sent, r)
	return r
}

// unwritten puts back what next returned, to be written to the next connection.
func (x *exchange) unwritten(r *request) {
	r.writes--
	x.sent = without(x.sent, r)
	if r.abandoned {
		r.tell(errAbandoned)
		return
	}
	x.waiting = slices.Insert(x.waiting, 0, r)
}

// errAbandoned is never shown: nobody waits any more.
var errAbandoned = errors.New("the request was abandoned")

// withdraw takes back a request; false if it is written, or being written.
func (x *exchange) withdraw(r *request) bool {
	if r.writes > 0 || !slices.Contains(x.waiting, r) {
		r.abandoned = true
		return false
	}
	x.waiting = without(x.waiting, r)
	return true
}

// broken is called when a connection has ended. Requests that were written and
// not answered are written again if the peer tells repeated ones by their id;
// of others nobody knows whether they arrived, so they are not, and the order of
// later answers says nothing of them. It reports whether answers or requests are
// outstanding.
func (x *exchange) broken() bool {
	outstanding := len(x.sent) > 0
	var again []*request
	if x.echoes {
		for _, r := range x.sent {
			if r.writes < maxWrites {
				again = append(again, r)
			}
		}
		outstanding = len(again) > 0
	}
	for _, r := range x.sent {
		if !slices.Contains(again, r) {
			x.retire(r)
		}
	}
	x.waiting, x.sent = append(again, x.waiting...), nil
	return outstanding || len(x.waiting) > 0
}

// retire remembers a request that is no longer waited for.
func (x *exchange) retire(r *request) {
	if len(x.past) == MaxPeerQueue {
		x.past = slices.Delete(x.past, 0, 1)
	}
	x.past = append(x.past, r)
}

// match finds the request that a frame of the peer answers: by its id, or, with
// peers that do not repeat ids, the oldest; nil if none.
func (x *exchange) match(f payload.Frame) *request {
	if f.Correlation == "" {
		if x.echoes || len(x.sent) == 0 {
			return nil
		}
		r := x.sent[0]
		x.sent = without(x.sent, r)
		x.retire(r)
		return r
	}
	of := func(r *request) bool { return r.frame.Correlation == f.Correlation }
	if i := slices.IndexFunc(x.sent, of); i >= 0 {
		r := x.sent[i]
		x.echoes = true
		x.sent = without(x.sent, r)
		x.retire(r)
		return r
	}
	if i := slices.IndexFunc(x.past, of); i >= 0 {
		x.echoes = true
		return x.past[i]
	}
	return nil
}

// without is list without r.
func without(list []*request, r *request) []*request {
	return slices.DeleteFunc(list, func(other *request) bool { return other == r })
}
