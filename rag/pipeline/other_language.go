package pipeline

import (
	"docent/internal/fault"
	"docent/rag/evidence"
)

// otherLanguage names the language of the passages if the question has another one and no model compared the two. Missing words
// then say nothing about the passages.
func otherLanguage(signs evidence.Signs) (fault.Text, bool) {
	if !signs.Other || signs.Similarity > 0 {
		return fault.Text{}, false
	}
	switch signs.Language {
	case "en":
		return fault.NewText("in_english", "in English"), true
	case "de":
		return fault.NewText("in_german", "in German"), true
	case "es":
		return fault.NewText("in_spanish", "in Spanish"), true
	case "fr":
		return fault.NewText("in_french", "in French"), true
	case "it":
		return fault.NewText("in_italian", "in Italian"), true
	case "nl":
		return fault.NewText("in_dutch", "in Dutch"), true
	case "pt":
		return fault.NewText("in_portuguese", "in Portuguese"), true
	}
	return fault.NewText("in_another_language", "in another language"), true
}
