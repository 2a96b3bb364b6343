package eval

import (
	"slices"
	"testing"
)

func TestSubstitute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ranks, others, want []int }{
		{[]int{3}, []int{1}, []int{1}},
		{[]int{1}, []int{3}, []int{1}},
		{[]int{0, 2}, []int{4, 5}, []int{4, 2}},
		{[]int{0, 9}, []int{4, 5}, []int{4, 5}},
		{[]int{0, 0}, nil, []int{0, 0}},
	} {
		if got := substitute(slices.Clone(c.ranks), c.others); !slices.Equal(got, c.want) {
			t.Errorf("%v with %v: %v, want %v", c.ranks, c.others, got, c.want)
		}
	}
}

func TestOtherPassagesCount(t *testing.T) {
	t.Parallel()
	q := Question{
		Evidence: []Evidence{{File: "a.md", Quote: "The pump moves 40 liters of water in a minute"}},
		Also:     []Evidence{{File: "b.md", Quote: "forty liters pass through the pump in each minute of work"}},
	}
	j := newJudge(q)
	other := j.judge(newPassage("/b.md", "Note: forty liters pass through the pump in each minute of work."))
	if other.holds[0] || !other.also || !other.page {
		t.Errorf("another correct passage: %+v", other)
	}
	none := j.judge(newPassage("/c.md", "Nothing about it."))
	if none.holds[0] || none.also || none.page {
		t.Errorf("a wrong passage: %+v", none)
	}
}
