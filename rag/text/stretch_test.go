package text

import (
	"slices"
	"testing"
)

func TestStretches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"Short one.", []string{"Short one."}},
		{"Yes. The pump needs new oil each spring. Then start it again with the red key.", []string{
			"Yes. The pump needs new oil each spring.", " Then start it again with the red key.",
		}},
		{"The pump needs new oil each spring. Done.", []string{"The pump needs new oil each spring. Done."}},
	} {
		var got []string
		start := 0
		for _, end := range Stretches(c.text, false) {
			got = append(got, c.text[start:end])
			start = end
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q is divided into %q, want %q", c.text, got, c.want)
		}
	}
}
