package main

import "testing"

// Memory is given back once after work, when that is over, and not again
// before there was more.
func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	var a activity
	var allocated uint64
	for i, step := range []struct {
		more uint64
		want bool
	}{
		{quietBytes, false},
		{1, false}, // too little to matter
		{stirredBytes, false},
		{stirredBytes, false}, // it goes on
		{1, true},
		{1, false},
		{stirredBytes / 2, false},
		{1, false},
		{stirredBytes, false},
		{quietBytes - 1, true},
	} {
		allocated += step.more
		if got := a.ended(allocated); got != step.want {
			t.Errorf("look %d, after %d more bytes: %t", i, step.more, got)
		}
	}
}
