package ws

import (
	"strconv"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/fault"
)

// dialect is what a client speaks.
type dialect uint8

const (
	bafDialect dialect = iota
	v1Dialect
	typedDialect
	dialects // how many there are
)

// String is the dialect in metrics.
func (d dialect) String() string {
	return [dialects]string{"baf", "docent.v1", "agent_websocket"}[d]
}

// Why a handshake is refused, in metrics.
const (
	refusedFull      = "full"
	refusedPrincipal = "principal"
	refusedAccess    = "access"    // no or a bad token, or one without the scope
	refusedHandshake = "handshake" // all else: origin, names, no WebSocket
)

// How a connection ended that the server did not close, in metrics.
const (
	closedByPeer = "peer"
	closedLost   = "lost"
)

// meters counts. What is counted often is found without a look-up.
type meters struct {
	accepted, framesIn, framesOut [dialects]*metrics.Counter

	bytesIn, bytesOut, slow, pings, joined, limited *metrics.Counter
	refused, errors, closes                         map[string]*metrics.Counter
}

func newMeters(set *metrics.Set) *meters {
	m := &meters{
		bytesIn:  set.GetOrCreateCounter("docent_ws_received_bytes_total"),
		bytesOut: set.GetOrCreateCounter("docent_ws_sent_bytes_total"),
		slow:     set.GetOrCreateCounter("docent_ws_slow_clients_total"),
		pings:    set.GetOrCreateCounter("docent_ws_pings_total"),
		joined:   set.GetOrCreateCounter("docent_ws_deltas_joined_total"),
		limited:  set.GetOrCreateCounter("docent_ws_rate_limited_total"),
		refused:  map[string]*metrics.Counter{}, errors: map[string]*metrics.Counter{}, closes: map[string]*metrics.Counter{},
	}
	for d := range dialects {
		m.accepted[d] = labelled(set, "docent_ws_accepted_total", "dialect", d.String())
		m.framesIn[d] = labelled(set, "docent_ws_frames_in_total", "dialect", d.String())
		m.framesOut[d] = labelled(set, "docent_ws_frames_out_total", "dialect", d.String())
	}
	for _, reason := range []string{refusedFull, refusedPrincipal, refusedAccess, refusedHandshake} {
		m.refused[reason] = labelled(set, "docent_ws_refused_total", "reason", reason)
	}
	for _, kind := range fault.Kinds() {
		m.errors[string(kind)] = labelled(set, "docent_ws_errors_total", "code", string(kind))
	}
	for _, code := range CloseCodes() {
		m.closes[strconv.Itoa(code.Code)] = labelled(set, "docent_ws_closes_total", "code", strconv.Itoa(code.Code))
	}
	for _, end := range []string{closedByPeer, closedLost} {
		m.closes[end] = labelled(set, "docent_ws_closes_total", "code", end)
	}
	return m
}

func labelled(set *metrics.Set, name, label, value string) *metrics.Counter {
	return set.GetOrCreateCounter(name + "{" + label + "=" + strconv.Quote(value) + "}")
}

// count adds one to a counter by its label; of one that is not known nothing.
func count(of map[string]*metrics.Counter, label string) {
	if c := of[label]; c != nil {
		c.Inc()
	}
}

// gauges are read when somebody asks.
func (s *Server) gauges(set *metrics.Set) {
	for d := range dialects {
		set.GetOrCreateGauge(`docent_ws_connections{dialect="`+d.String()+`"}`, func() float64 { return float64(s.speaking(d)) })
	}
	set.GetOrCreateGauge("docent_ws_outbox_bytes", func() float64 { return float64(s.waiting()) })
	set.GetOrCreateGauge("docent_ws_upload_bytes", func() float64 { return float64(s.uploads.bytes()) })
	set.GetOrCreateGauge("docent_ws_principals", func() float64 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return float64(s.ledger.principals())
	})
}

// speaking counts the connections of a dialect.
func (s *Server) speaking(d dialect) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.dialect() == d {
			n++
		}
	}
	return n
}

// waiting is how much waits for all clients, in bytes.
func (s *Server) waiting() (bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.out.mu.Lock()
		bytes += c.out.bytes + c.out.long
		c.out.mu.Unlock()
	}
	return bytes
}

// dialect is what the client speaks.
func (c *connection) dialect() dialect {
	switch {
	case c.typed:
		return typedDialect
	case c.v1:
		return v1Dialect
	}
	return bafDialect
}
