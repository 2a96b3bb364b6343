package table

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile are questions that are expensive for some step, without end.
var hostile = map[string]func(i int) string{
	"columns": func(int) string { return "day rate week rate length " },
	"cells": func(i int) string {
		return []string{"Heron 30 ", "Dunmore & Sons ", "Lamp ", "Impeller ", "North "}[i%5]
	},
	"numbers":      func(i int) string { return fmt.Sprintf("%d ", i) },
	"comparisons":  func(i int) string { return fmt.Sprintf("more than %d EUR ", i) },
	"between":      func(i int) string { return fmt.Sprintf("between %d and %d ", i, i+5) },
	"superlatives": func(int) string { return "most expensive cheapest longest " },
	"counts":       func(int) string { return "how many boats " },
	"sums":         func(int) string { return "total of the average of the sum " },
	"groups":       func(int) string { return "per customer by product for each status " },
	"dates":        func(i int) string { return fmt.Sprintf("2026-%02d-%02d ", 1+i%12, 1+i%28) },
	"months":       func(int) string { return "in March or April and in January 2026 " },
	"units":        func(i int) string { return fmt.Sprintf("%d m %d EUR %d hours ", i, i, i) },
	"negations":    func(int) string { return "not without no except " },
	"or":           func(int) string { return "Lamp or Desk or " },
	"and":          func(int) string { return "Heron 30 and Tern 22 and " },
	"commas":       func(int) string { return "Lamp, Desk, " },
	"quotes":       func(i int) string { return fmt.Sprintf("\"Lamp %d\" ", i) },
	"German":       func(int) string { return "wie viel kostet der Fender und die Ankerkette " },
	"compounds":    func(int) string { return "Mindestbestandslieferantenartikel " },
	"one word":     func(int) string { return "Lieferanten" },
	"hyphens":      func(int) string { return "A-101-A-102-" },
	"brackets":     func(int) string { return "(length (m) " },
	"questions":    func(int) string { return "what? which? who? " },
	"punctuation":  func(int) string { return "?!.,;:" },
}

func hostileText(kind string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(hostile[kind](i))
	}
	return b.String()[:n]
}

// allocated returns the bytes that f allocates, the least of two runs. They count the steps of the work.
func allocated(f func()) float64 {
	least := ^uint64(0)
	for range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return float64(least)
}

// TestWorkGrowsWithTheQuestion does not run beside other tests, because it counts what the process allocates. Up to the limit,
// twice the length needs at most 2.5 times the work. Above it, there is none.
func TestWorkGrowsWithTheQuestion(t *testing.T) { //nolint:paralleltest // see above
	const growth, noise = 2.5 * 2.5, 512 << 10
	var rows strings.Builder
	rows.WriteString("Part | Price (EUR) | Stock | Place | Date\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "part %d of the pump | %d.50 | %d | shelf %d | 2026-%02d-%02d\n", i, i, i*3, i%20, 1+i%12, 1+i%28)
	}
	parts := Parse(rows.String(), "en")
	all := append(sources(), Source{&parts[0], "parts.csv"})
	for kind := range hostile {
		work := func(n int) float64 {
			question := hostileText(kind, n)
			return allocated(func() {
				Asks(question)
				Ask(question, all)
			})
		}
		once, fourfold := work(maxQuestion/4), work(maxQuestion)
		if fourfold > growth*once+noise {
			t.Errorf("%s: %.0f bytes for %d, %.0f for four times as many", kind, once, maxQuestion/4, fourfold)
		}
		if long := work(32 * maxQuestion); long > noise {
			t.Errorf("%s: %.0f bytes for a long question", kind, long)
		}
	}
}
