package quote

import (
	"testing"

	"docent/rag/text"
)

func TestWeakWindow(t *testing.T) {
	t.Parallel()
	e := extractor{terms: []text.Weighted{{Stem: "a", Weight: .7}, {Stem: "b", Weight: .3}}}
	for name, c := range map[string]struct {
		w    window
		want bool
	}{
		"covers":   {window{covered: []float64{1, 0}, cosine: .1}, false},
		"alike":    {window{covered: []float64{0, 1}, cosine: .8}, false},
		"neither":  {window{covered: []float64{0, 1}, cosine: .2}, true},
		"headings": {window{covered: []float64{.5, .5}, cosine: .2}, false},
	} {
		if got := e.weak(c.w); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
