package worker

import (
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"

	"docent/ingest/outline"
)

// languageSample is the number of bytes of prose from which the language is
// detected. More bytes do not improve the result. Detecting the language is the
// most expensive step of reading a page.
const languageSample = 1 << 10

// language returns the ISO 639-1 code of a document's prose, or "" without
// enough confidence.
func language(doc *outline.Document) string {
	var sample strings.Builder
	for _, b := range doc.Blocks {
		if sample.Len() >= languageSample {
			break
		}
		if b.Kind == outline.Paragraph || b.Kind == outline.Item || b.Kind == outline.Row {
			sample.WriteString(doc.Text[b.Start:min(b.End, b.Start+languageSample)])
			sample.WriteByte('\n')
		}
	}
	text := strings.ToValidUTF8(sample.String(), "")
	if code := byScript(text); code != "" {
		return code
	}
	if info := whatlanggo.Detect(text); info.IsReliable() && len(text) >= 40 {
		return info.Lang.Iso6391()
	}
	return ""
}

// byScript detects languages that have their own script.
func byScript(text string) string {
	var letters, han, kana, hangul, thai, greek, hebrew int
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case r < 0x370:
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Thai, r):
			thai++
		case unicode.Is(unicode.Greek, r):
			greek++
		case unicode.Is(unicode.Hebrew, r):
			hebrew++
		}
	}
	half := letters / 2
	switch {
	case letters == 0:
		return ""
	case kana*10 > letters && han+kana > half:
		return "ja"
	case han > half:
		return "zh"
	case hangul > half:
		return "ko"
	case thai > half:
		return "th"
	case greek > half:
		return "el"
	case hebrew > half:
		return "he"
	}
	return ""
}
