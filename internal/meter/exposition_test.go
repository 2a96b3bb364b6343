package meter

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

var (
	typeLine   = regexp.MustCompile(`^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram|summary|untyped)$`)
	helpLine   = regexp.MustCompile(`^# HELP ([a-z_:][a-z0-9_:]*) \S.*$`)
	sampleLine = regexp.MustCompile(`^([a-z_:][a-z0-9_:]*)(?:\{((?:[a-zA-Z_]+="(?:[^"\\]|\\.)*"(?:, ?)?)*)\})? (\S+)$`)
	leLabel    = regexp.MustCompile(`,?le="([^"]*)"`)
)

// parse reads the text format strictly by its specification and returns the
// type of each family.
func parse(t *testing.T, text string) map[string]string {
	t.Helper()
	kinds := map[string]string{}
	current, helped, series := "", "", ""
	var bound, count float64
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		if m := helpLine.FindStringSubmatch(line); m != nil {
			helped = m[1]
			continue
		}
		if m := typeLine.FindStringSubmatch(line); m != nil {
			if current, series = m[1], ""; kinds[current] != "" {
				t.Errorf("%s comes twice", current)
			}
			if kinds[current] = m[2]; helped != current && strings.HasPrefix(current, "docent_") {
				t.Errorf("%s has no help", current)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not of the format: %q", line)
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		suffix, found := strings.CutPrefix(m[1], current)
		switch {
		case !found || current == "":
			t.Errorf("%s is not of %s", line, current)
		case kinds[current] != "histogram":
			if suffix != "" {
				t.Errorf("%s is not of %s", line, current)
			}
		case suffix == "_bucket":
			le := leLabel.FindStringSubmatch(m[2])
			if le == nil {
				t.Fatalf("%s has no bound", line)
			}
			b, err := strconv.ParseFloat(le[1], 64)
			if err != nil {
				t.Error(err)
			}
			if labels := current + leLabel.ReplaceAllString(m[2], ""); labels == series && (b <= bound || value < count) {
				t.Errorf("%s comes after %g: %g", line, bound, count)
			} else {
				series = labels
			}
			bound, count = b, value
		case suffix == "_count":
			if series != current+m[2] || le(bound) != "+Inf" || value != count {
				t.Errorf("%s after the bucket %s of %s: %g", line, le(bound), series, count)
			}
		case suffix != "_sum":
			t.Errorf("%s is not of a histogram", line)
		}
	}
	return kinds
}

func le(bound float64) string { return strconv.FormatFloat(bound, 'g', -1, 64) }

// The output follows the format: each family once, with its type, and docent's
// own with help. Buckets are sorted by their bounds.
func TestExposition(t *testing.T) {
	t.Parallel()
	set := metrics.NewSet()
	for _, stage := range []string{`stage="search"`, `stage="answer"`, `stage="a}b{c"`, ""} {
		for _, took := range []time.Duration{time.Millisecond, 3 * time.Second, 11 * time.Second, time.Hour} {
			New(set, "docent_rag_seconds", stage).Observe(took)
		}
	}
	set.GetOrCreateCounter(`docent_ws_errors_total{code="busy"}`).Inc()
	set.GetOrCreateCounter(`docent_ws_errors_total{code="invalid"}`).Inc()
	set.GetOrCreateCounter("docent_ws_pings_total").Inc()
	set.GetOrCreateGauge("docent_ws_principals", func() float64 { return 1.5 })
	var b strings.Builder
	if err := Write(&b, set.WritePrometheus, metrics.WriteProcessMetrics); err != nil {
		t.Fatal(err)
	}
	kinds := parse(t, b.String())
	for name, want := range map[string]string{
		"docent_rag_seconds": "histogram", "docent_ws_errors_total": "counter", "docent_ws_pings_total": "counter", "docent_ws_principals": "gauge", "process_cpu_seconds_total": "counter",
	} {
		if kinds[name] != want {
			t.Errorf("%s is a %q, want %s", name, kinds[name], want)
		}
	}
}

// Each documented family has a help line, and no other family has one.
func TestHelp(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := regexp.MustCompile("(?m)^\\| `(docent_[a-z_]+)[`{]").FindAllStringSubmatch(string(text), -1)
	for _, m := range documented {
		if help[m[1]] == "" {
			t.Errorf("%s has no help", m[1])
		}
	}
	if len(documented) != len(help) {
		t.Errorf("%d families are documented, %d have help", len(documented), len(help))
	}
}
