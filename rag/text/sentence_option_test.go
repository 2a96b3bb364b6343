package text_test

import (
	"slices"
	"testing"

	"docent/rag/text"
)

// TestOptionsAreNoCode: the sign of an option looks like a comment of SQL.
func TestOptionsAreNoCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []any
	}{
		{"You keep all the changes of your files with the\n--soft option of the command.", []any{text.ProseSentence}},
		{"--soft\n\nKeeps the changes in the working tree.", []any{text.TitleSentence, text.ProseSentence}},
		{"-h, --human-readable\n    print sizes in human readable format\n\n-a, --all\n    write all counts", []any{text.ProseSentence, text.ProseSentence}},
		{"Run this:\n\n-- count the rows\nSELECT count(*) FROM t;", []any{text.ProseSentence, text.CodeSentence}},
		{"Run this:\n\npump --soft \\\n  --level=3", []any{text.ProseSentence, text.CodeSentence}},
	} {
		var got []any
		for _, s := range text.Sentences(tt.text, false) {
			got = append(got, s.Kind)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}
