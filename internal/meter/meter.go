// Package meter measures durations in Prometheus' histogram format. It replaces the histograms of the metrics library,
// whose buckets only VictoriaMetrics understands, and its summaries, which leak a goroutine.
package meter

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// bounds are the upper bounds of the buckets, in seconds. They range from a search to the longest model call.
var bounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120}

// Seconds is a histogram of durations. It is safe for concurrent use.
type Seconds struct {
	buckets [len(bounds)]*metrics.Counter
	all     *metrics.Counter // the bucket without a bound
	count   *metrics.Counter
	sum     *metrics.FloatCounter
}

// New returns the histogram with that name and labels, such as stage="search", in a set. It creates it if necessary.
func New(set *metrics.Set, name, labels string) *Seconds {
	full := func(suffix string, labels ...string) string {
		list := strings.Trim(strings.Join(labels, ","), ",")
		if list != "" {
			list = "{" + list + "}"
		}
		return name + suffix + list
	}
	bucket := func(le string) *metrics.Counter {
		return set.GetOrCreateCounter(full("_bucket", labels, fmt.Sprintf("le=%q", le)))
	}
	s := &Seconds{
		all:   bucket("+Inf"),
		count: set.GetOrCreateCounter(full("_count", labels)),
		sum:   set.GetOrCreateFloatCounter(full("_sum", labels)),
	}
	for i, le := range bounds {
		s.buckets[i] = bucket(strconv.FormatFloat(le, 'g', -1, 64))
	}
	return s
}

// Observe adds a duration.
func (s *Seconds) Observe(took time.Duration) {
	seconds := took.Seconds()
	for i := len(bounds) - 1; i >= 0 && seconds <= bounds[i]; i-- {
		s.buckets[i].Inc()
	}
	s.all.Inc()
	s.count.Inc()
	s.sum.Add(seconds)
}
