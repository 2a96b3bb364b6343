package meter

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// family is the samples of one metric.
type family struct {
	name, kind string
	samples    []sample
}

// sample is one line.
type sample struct {
	line, labels, suffix string // labels are those without le
	bound                float64
}

// Write writes metrics in Prometheus' text format. It corrects the output of the metrics library:
// each family appears once with its help and type, and the buckets of a histogram are sorted by
// their bounds.
func Write(w io.Writer, from ...func(io.Writer)) error {
	var raw bytes.Buffer
	for _, write := range from {
		write(&raw)
	}
	families := map[string]*family{}
	var order []*family
	histograms := map[string]bool{}
	for line := range strings.Lines(raw.String()) {
		if name, _, found := strings.Cut(line, "_bucket{"); found {
			histograms[name] = true
		}
	}
	for line := range strings.Lines(raw.String()) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		name, s := split(line)
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base, found := strings.CutSuffix(name, suffix); found && histograms[base] {
				name, s.suffix = base, suffix
			}
		}
		f := families[name]
		if f == nil {
			f = &family{name: name, kind: kindOf(name, histograms[name])}
			families[name] = f
			order = append(order, f)
		}
		f.samples = append(f.samples, s)
	}
	var out bytes.Buffer
	for _, f := range order {
		f.write(&out)
	}
	_, err := out.WriteTo(w)
	return err //nolint:wrapcheck // the caller's own
}

// kindOf returns the Prometheus type of a family.
func kindOf(name string, histogram bool) string {
	switch {
	case histogram:
		return "histogram"
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case help[name] == "": // of the process: sums and counts among them
		return "untyped"
	}
	return "gauge"
}

func (f *family) write(out *bytes.Buffer) {
	if h := help[f.name]; h != "" {
		fmt.Fprintf(out, "# HELP %s %s\n", f.name, h)
	}
	fmt.Fprintf(out, "# TYPE %s %s\n", f.name, f.kind)
	if f.kind == "histogram" {
		slices.SortStableFunc(f.samples, func(a, b sample) int {
			return cmp.Or(cmp.Compare(a.labels, b.labels), cmp.Compare(rank[a.suffix], rank[b.suffix]), cmp.Compare(a.bound, b.bound))
		})
	}
	for _, s := range f.samples {
		out.WriteString(s.line)
	}
}

// rank returns the order of a line in a histogram.
var rank = map[string]int{"_bucket": 0, "_sum": 1, "_count": 2}

// split parses a line. The last bracket ends the labels, because docent's label values have no brackets.
func split(line string) (name string, s sample) {
	s.line = line
	name, rest, labelled := strings.Cut(line, "{")
	if !labelled {
		name, _, _ = strings.Cut(line, " ")
		return name, s
	}
	s.labels = rest[:max(0, strings.LastIndexByte(rest, '}'))]
	if at := strings.LastIndex(s.labels, `le="`); at >= 0 {
		bound := strings.TrimSuffix(s.labels[at+len(`le="`):], `"`)
		if le, err := strconv.ParseFloat(bound, 64); err == nil {
			s.bound, s.labels = le, strings.TrimSuffix(s.labels[:at], ",")
		}
	}
	return name, s
}
