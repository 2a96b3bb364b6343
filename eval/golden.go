package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"docent/internal/fault"
)

// DefaultTolerance is the default of Golden.Tolerance.
const DefaultTolerance = .01

// Golden holds metrics that must not get worse. Higher is better for all.
type Golden struct {
	// Tolerance is the allowed drop of a metric below its value here.
	Tolerance float64 `json:"tolerance"`
	// Metrics are the values under the names in reports.
	Metrics map[string]float64 `json:"metrics"`
}

// LoadGolden reads a golden file. If the file does not exist, the error is fs.ErrNotExist.
func LoadGolden(path string) (*Golden, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "eval_golden_unreadable", "cannot read the golden file %s", path)
	}
	var g Golden
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "eval_golden_invalid", "the golden file %s was not written by docent eval", path)
	}
	if g.Tolerance < 0 || len(g.Metrics) == 0 {
		return nil, fault.New(fault.Invalid, "eval_golden_negative", "the golden file %s has a negative tolerance or no metrics", path)
	}
	return &g, nil
}

// Update copies the values of the existing metrics, or all values if there are none.
func (g *Golden) Update(metrics map[string]float64) {
	if len(g.Metrics) == 0 {
		g.Metrics = maps.Clone(metrics)
		return
	}
	for name := range g.Metrics {
		if value, ok := metrics[name]; ok {
			g.Metrics[name] = value
		}
	}
}

// Save writes the golden file. It rounds values to four decimals and sorts them by name, so that diffs are short.
func (g *Golden) Save(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"tolerance\": %g,\n  \"metrics\": {\n", g.Tolerance)
	names := slices.Sorted(maps.Keys(g.Metrics))
	for i, name := range names {
		key, err := json.Marshal(name)
		if err != nil {
			return fmt.Errorf("write golden file %s: %w", path, err)
		}
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "    %s: %.4f%s\n", key, g.Metrics[name], comma)
	}
	b.WriteString("  }\n}\n")
	if err := os.WriteFile(path, []byte(b.String()), fs.FileMode(0o644)); err != nil {
		return fmt.Errorf("write golden file: %w", err)
	}
	return nil
}

// RegressionError is the error of Compare.
type RegressionError struct {
	// Drops are the metrics that dropped, one line each.
	Drops []string
}

// Error lists the drops.
func (e *RegressionError) Error() string {
	return "worse than the golden file:\n  " + strings.Join(e.Drops, "\n  ")
}

// IsRegression reports whether err is a RegressionError.
func IsRegression(err error) bool {
	var r *RegressionError
	return errors.As(err, &r)
}

// Compare fails with a RegressionError if a golden metric is missing or dropped by more than Tolerance. It ignores metrics
// that the golden file does not have.
func (g *Golden) Compare(metrics map[string]float64) error {
	const rounding = .00005 // of the file's four decimals
	var drops []string
	for _, name := range slices.Sorted(maps.Keys(g.Metrics)) {
		want := g.Metrics[name]
		got, ok := metrics[name]
		switch {
		case !ok:
			drops = append(drops, name+": not measured")
		case !(got >= want-g.Tolerance-rounding): // also NaN
			drops = append(drops, fmt.Sprintf("%s: %.4f, was %.4f (tolerance %g)", name, got, want, g.Tolerance))
		}
	}
	if drops != nil {
		return &RegressionError{Drops: drops}
	}
	return nil
}
