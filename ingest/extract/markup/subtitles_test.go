package markup_test

import (
	"testing"

	"docent/ingest/extract/markup"
)

func TestSubtitles(t *testing.T) {
	t.Parallel()
	golden(t, markup.Subtitles, "talk.vtt", "talk.srt")
}

func FuzzSubtitles(f *testing.F) {
	fuzz(f, markup.Subtitles, "1\n00:00:01,000 --> 00:00:02,000\na\n")
}
