package quote

import (
	"strings"
	"testing"
)

// TestEmptyCell checks that the bar behind an empty cell, such as that of a picture beside a warning, is not quoted.
func TestEmptyCell(t *testing.T) {
	t.Parallel()
	results := []Passage{passage(1, "Manual", "USB stick", "| Warning\n| Write the image to the whole stick. Do not write it to a partition.\n\nThe stick needs 4 GB.")}
	answer, _ := Answer(testStatic, Query{Question: "do I write the image to a partition of the stick", Searched: "do I write the image to a partition of the stick", Passages: results})
	if strings.Contains(answer, "|") || !strings.Contains(answer, "Do not write it to a partition.") {
		t.Errorf("the answer is %q", answer)
	}
}
