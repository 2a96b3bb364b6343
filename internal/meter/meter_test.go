package meter

import (
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

func TestSeconds(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	New(set, "plain_seconds", "").Observe(time.Hour)
	for _, took := range []time.Duration{-time.Second, time.Millisecond, 40 * time.Millisecond, 3 * time.Minute} {
		New(set, "x_seconds", `stage="search"`).Observe(took)
	}
	var b strings.Builder
	set.WritePrometheus(&b)
	for _, want := range []string{
		`x_seconds_bucket{stage="search",le="0.001"} 2`, `x_seconds_bucket{stage="search",le="0.025"} 2`,
		`x_seconds_bucket{stage="search",le="0.05"} 3`, `x_seconds_bucket{stage="search",le="120"} 3`,
		`x_seconds_bucket{stage="search",le="+Inf"} 4`, `x_seconds_count{stage="search"} 4`, `x_seconds_sum{stage="search"} 179.041`,
		`plain_seconds_bucket{le="120"} 0`, `plain_seconds_bucket{le="+Inf"} 1`, `plain_seconds_count 1`, `plain_seconds_sum 3600`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("%s is not in\n%s", want, b.String())
		}
	}
}
