package markup_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/markup"
)

func TestSubtitles(t *testing.T) {
	t.Parallel()
	golden(t, markup.Subtitles, "talk.vtt", "talk.srt")
	extracttest.Check(t, markup.Subtitles, []byte("WEBVTT\n\n0:0:0.0 --> 0:0:2.5\nIt starts.\n\n0:1:9.5 --> 0:1:10.0\nIt stops.\n"), "",
		"h1 00:00:00\np It starts.\nh1 00:01:09\np It stops.\n")
}

func FuzzSubtitles(f *testing.F) {
	fuzz(f, markup.Subtitles, "1\n00:00:01,000 --> 00:00:02,000\na\n")
}
