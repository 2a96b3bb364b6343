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
	// thread is the thread of the request; see threadOf.
	thread string
	// cause is the id of an incoming request whose answer needs this request, or "". It came from the agent that is this
	// agent's client.
	cause string
	// written receives one value: nil after writing, or an error.
	written chan error
	// writes counts the attempts to write the request.
	writes int
	// abandoned reports that the caller gave up during writing.
	abandoned bool
	// told reports that written has received its value.
	told bool
}

// tell reports to the caller that its request was written or has failed.
func (r *request) tell(err error) {
	if !r.told {
		r.told = true
		r.written <- err
	}
}

// exchange holds the unanswered requests to a peer. The link's lock guards it.
type exchange struct {
	// echoes reports that the peer repeats correlation ids, which only docent does. Ids then match answers with requests.
	// Otherwise the order does.
	echoes bool
	// waiting are the requests to write, oldest first.
	waiting []*request
	// sent are the written and unanswered requests, oldest first.
	sent []*request
	// past are requests that nobody waits for: answered ones, and ones written to a broken connection. Later messages of the
	// peer match them only by id.
	past []*request
	// hops and thread belong to the last written request. Before the first request,
	// hops come from the event that began the link, and thread is "".
	hops   int
	thread string
}

// maxWrites is the maximum number of times that a request is written. After a
// broken connection, a request is repeated if the peer recognizes repetitions.
const maxWrites = 3

// add queues a request. It returns false if too many wait.
func (x *exchange) add(r *request) bool {
	if len(x.waiting) >= MaxPeerQueue {
		return false
	}
	x.waiting = append(x.waiting, r)
	return true
}

// next returns the request to write, or nil. The request counts as sent at once, because the answer may arrive before the
// write returns.
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

// unwritten returns a request of next to the queue, for the next connection.
func (x *exchange) unwritten(r *request) {
	r.writes--
	x.sent = without(x.sent, r)
	if r.abandoned {
		r.tell(errAbandoned)
		return
	}
	x.waiting = slices.Insert(x.waiting, 0, r)
}

// errAbandoned is never shown, because no caller waits anymore.
var errAbandoned = errors.New("the request was abandoned")

// withdraw removes a request. It returns false if writing has begun.
func (x *exchange) withdraw(r *request) bool {
	if r.writes > 0 || !slices.Contains(x.waiting, r) {
		r.abandoned = true
		return false
	}
	x.waiting = without(x.waiting, r)
	return true
}

// broken records the end of a connection. Written and unanswered requests are repeated if the peer recognizes them by
// their id. Otherwise it is unknown whether they arrived. They are not repeated, and the order of later answers ignores
// them. broken reports whether answers or requests are outstanding.
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

// retire records a request for which no caller waits anymore.
func (x *exchange) retire(r *request) {
	if len(x.past) == MaxPeerQueue {
		x.past = slices.Delete(x.past, 0, 1)
	}
	x.past = append(x.past, r)
}

// match returns the request that a frame of the peer answers, or nil. It matches by id. For peers that do not repeat ids,
// it returns the oldest request.
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

// without returns list without r.
func without(list []*request, r *request) []*request {
	return slices.DeleteFunc(list, func(other *request) bool { return other == r })
}
