package text

import (
	"slices"
	"testing"
)

func TestWordsWithoutSpaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"サーバーの設定": {"サー", "ーバ", "バー", "ーの", "の設", "設定"},
		"apt로 설치":  {"apt", "로", "설치"},
		"패키지란":    {"패키", "키지", "지란"},
	} {
		var got []string
		for _, w := range Words(text) {
			got = append(got, w.Stem)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q", text, got)
		}
	}
}
