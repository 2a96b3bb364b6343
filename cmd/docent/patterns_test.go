package main

import (
	"regexp"
	"testing"

	"docent/internal/lazyregexp"
)

// TestPatterns compiles the regular expressions of docent, which otherwise fail at their first use.
func TestPatterns(t *testing.T) {
	t.Parallel()
	all := lazyregexp.All()
	if len(all) < 300 {
		t.Errorf("there are only %d patterns", len(all))
	}
	for _, pattern := range all {
		if _, err := regexp.Compile(pattern); err != nil {
			t.Error(err)
		}
	}
}
