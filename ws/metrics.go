package ws

import (
	"strconv"

	"github.com/VictoriaMetrics/metrics"

	"docent/internal/fault"
)

// Labels of refused handshakes in metrics.
const (
	refusedFull      = "full"
	refusedPrincipal = "principal"
	refusedAccess    = "access"    // no token, a wrong one, or one without the scope
	refusedHandshake = "handshake" // other reasons: origin, names, or not a WebSocket
)

// closedByPeer and closedLost are the labels of closed connections in metrics: the
// client closed the connection, or the connection was lost.
const (
	closedByPeer = "peer"
	closedLost   = "lost"
)

// meters are the server's counters.
type meters struct {
	dialects                                        map[string]*dialectMeters
	bytesIn, bytesOut, slow, pings, joined, limited *metrics.Counter
	refused, errors, closes                         map[string]*metrics.Counter
}

// dialectMeters are the counters of one dialect.
type dialectMeters struct{ accepted, framesIn, framesOut *metrics.Counter }

func newMeters(cfg Config) *meters {
	set := cfg.Metrics
	m := &meters{
		dialects: map[string]*dialectMeters{},
		bytesIn:  set.GetOrCreateCounter("docent_ws_received_bytes_total"),
		bytesOut: set.GetOrCreateCounter("docent_ws_sent_bytes_total"),
		slow:     set.GetOrCreateCounter("docent_ws_slow_clients_total"),
		pings:    set.GetOrCreateCounter("docent_ws_pings_total"),
		joined:   set.GetOrCreateCounter("docent_ws_deltas_joined_total"),
		limited:  set.GetOrCreateCounter("docent_ws_rate_limited_total"),
		refused:  map[string]*metrics.Counter{}, errors: map[string]*metrics.Counter{}, closes: map[string]*metrics.Counter{},
	}
	names := []string{bafName, v1Name}
	for _, d := range cfg.Dialects {
		names = append(names, d.Name)
	}
	for _, name := range names {
		m.dialects[name] = &dialectMeters{
			accepted:  labelled(set, "docent_ws_accepted_total", "dialect", name),
			framesIn:  labelled(set, "docent_ws_frames_in_total", "dialect", name),
			framesOut: labelled(set, "docent_ws_frames_out_total", "dialect", name),
		}
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

// count increments the counter with a label, if there is one.
func count(of map[string]*metrics.Counter, label string) {
	if c := of[label]; c != nil {
		c.Inc()
	}
}

// gauges adds the metrics that are read on demand.
func (s *Server) gauges(set *metrics.Set) {
	for name := range s.meters.dialects {
		set.GetOrCreateGauge(`docent_ws_connections{dialect="`+name+`"}`, func() float64 { return float64(s.speaking(name)) })
	}
	set.GetOrCreateGauge("docent_ws_outbox_bytes", func() float64 { return float64(s.waiting()) })
	set.GetOrCreateGauge("docent_ws_upload_bytes", func() float64 { return float64(s.bounds.uploads.Used()) })
	set.GetOrCreateGauge("docent_ws_principals", func() float64 { return float64(s.bounds.connections.Keys()) })
}

// speaking counts the connections of a dialect.
func (s *Server) speaking(name string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.dialect == name {
			n++
		}
	}
	return n
}

// waiting returns the number of queued bytes for all clients.
func (s *Server) waiting() (bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		bytes += c.out.waiting()
	}
	return bytes
}
