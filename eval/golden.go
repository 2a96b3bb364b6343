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

// DefaultTolerance is how far below its golden value a number may fall.
const DefaultTolerance = .01

// Golden holds the numbers that must not get worse. All are better when higher.
type Golden struct {
	// Tolerance is how far below its value here a number may fall.
	Tolerance float64 `json:"tolerance"`
	// Metrics are the values by name, as reports name them.
	Metrics map[string]float64 `json:"metrics"`
}

// LoadGolden reads a golden file. One that is not there is fs.ErrNotExist.
func LoadGolden(path string) (*Golden, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "eval_golden_unreadable", "cannot read the golden file %s", path)
	}
	var g Golden
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "eval_golden_invalid", "the golden file %s is not what docent eval writes", path)
	}
	if g.Tolerance < 0 || len(g.Metrics) == 0 {
		return nil, fault.New(fault.Invalid, "eval_golden_negative", "the golden file %s has a negative tolerance or no metrics", path)
	}
	return &g, nil
}

// Update takes the values of metrics: those it has, or all if it has none.
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

// Save writes the golden file, rounded to four decimals and sorted by name, so
// that a change shows as a short diff.
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

// RegressionError is what Compare fails with.
type RegressionError struct {
	// Drops are the numbers that fell, one line each.
	Drops []string
}

// Error lists the drops.
func (e *RegressionError) Error() string {
	return "worse than the golden file:\n  " + strings.Join(e.Drops, "\n  ")
}

// IsRegression reports whether err is numbers that have fallen.
func IsRegression(err error) bool {
	var r *RegressionError
	return errors.As(err, &r)
}

// Compare fails with a RegressionError if a number of the golden file is
// missing from metrics or more than Tolerance lower. Numbers that are only in
// metrics do not count.
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
