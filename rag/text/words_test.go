package text

import (
	"slices"
	"testing"
)

func TestWordsWithoutSpaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"サーバーの設定": {"サー", "ーバ", "バー", "ーの", "の設", "設定"},
		"apt로 설치": {"apt", "로", "설치"},
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

// TestRespellCountsCharacters: two characters of a script without spaces are never a typing error for two others, although
// they may differ by one byte.
func TestRespellCountsCharacters(t *testing.T) {
	t.Parallel()
	for question, known := range map[string]string{"가격": "가곡", "株価": "株侀", "где": "гдж"} {
		for _, w := range Weigh(question, nil, map[string]bool{known: true}) {
			if w.Stem == known {
				t.Errorf("%s became %s", question, known)
			}
		}
	}
	if got := Weigh("autovacum", nil, map[string]bool{"autovacuum": true}); got[0].Stem != "autovacuum" {
		t.Errorf("got %s", got[0].Stem)
	}
}
