package retrieve

import (
	"slices"

	"docent/rag/corpus"
)

const (
	// duplicateShare is the minimum share of common tokens of near duplicates.
	duplicateShare = 0.95
	// duplicateWindow is the maximum number of better passages to compare a passage with.
	duplicateWindow = 64
)

// distinct returns the first n candidates without near duplicates of better
// ones.
func distinct(candidates []candidate, n int) []candidate {
	out := make([]candidate, 0, min(n, len(candidates)))
	var sorted [][]uint16
	for _, c := range candidates {
		if len(out) == n {
			break
		}
		mine := slices.Clone(c.Tokens[c.Heading:])
		slices.Sort(mine)
		same := func(other []uint16) bool { return sameTokens(mine, other, c.Kind) }
		if slices.ContainsFunc(sorted[max(0, len(sorted)-duplicateWindow):], same) {
			continue
		}
		out, sorted = append(out, c), append(sorted, mine)
	}
	return out
}

// sameTokens reports whether two sorted lists of tokens are nearly the same.
// Table rows and code must have equal tokens, because one number makes the
// difference.
func sameTokens(a, b []uint16, kind corpus.Kind) bool {
	if kind != corpus.Prose {
		return slices.Equal(a, b)
	}
	longer := max(len(a), len(b))
	if float64(min(len(a), len(b))) < duplicateShare*float64(longer) {
		return false
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(common) >= duplicateShare*float64(longer)
}
