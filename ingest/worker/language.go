package worker

import (
	"strings"

	"github.com/abadojack/whatlanggo"

	"docent/ingest/outline"
	"docent/rag/text"
)

// languageSample is the number of bytes of prose from which the language is
// detected. More bytes do not improve the result. The language model is the most
// expensive step of reading a page, so it decides only if stop words do not.
const languageSample = 1 << 10

// minSample is the number of bytes below which no language is detected.
const minSample = 40

// language returns the ISO 639-1 code of a document's prose, or "" without
// enough confidence.
func language(doc *outline.Document) string {
	var prose strings.Builder
	for _, b := range doc.Blocks {
		if prose.Len() >= languageSample {
			break
		}
		if b.Kind == outline.Paragraph || b.Kind == outline.Item || b.Kind == outline.Row {
			prose.WriteString(doc.Text[b.Start:min(b.End, b.Start+languageSample)])
			prose.WriteByte('\n')
		}
	}
	sample := strings.ToValidUTF8(prose.String(), "")
	if code := text.Script(sample); code != "" {
		return code
	}
	if len(sample) < minSample {
		return ""
	}
	if code := text.ClearLanguage(sample); code != "" {
		return code
	}
	if info := whatlanggo.Detect(sample); info.IsReliable() {
		return info.Lang.Iso6391()
	}
	return ""
}
