package table

import (
	"strings"
)

// participlePrefixes are German prefixes of verbs in front of "ge".
var participlePrefixes = []string{
	"", "ab", "an", "auf", "aus", "bei", "ein", "her", "hin", "mit", "nach", "um", "vor",
	"weg", "zu", "zuruck",
}

// nounEndings are the endings of English nouns made from verbs.
var nounEndings = []string{"ion", "ment", "al", "ance", "ing", "ure", "ery", "or"}

// minStem is the minimum length of the common beginning of an English verb and its noun.
const minStem = 5

// participle reports whether a word is the participle of the verb of a noun in a header, such as "beigetreten" and "Beitritt", and
// "published" and "publication".
func participle(w, header word) bool {
	if stem, ok := strings.CutSuffix(w.text, "ed"); ok && len(stem) >= minStem {
		for _, ending := range nounEndings {
			if strings.HasSuffix(header.text, ending) && strings.HasPrefix(header.text, stem[:minStem]) {
				return true
			}
		}
	}
	for _, prefix := range participlePrefixes {
		rest, ok := strings.CutPrefix(w.text, prefix+"ge")
		if ok && header.text == prefix && len(prefix) >= minPart { // "zurückgegeben" for "Zurück am"
			return true
		}
		noun, begins := strings.CutPrefix(header.text, prefix)
		if ok && begins && (strings.HasSuffix(rest, "t") || strings.HasSuffix(rest, "en")) {
			const n = 3 // consonants of the stem; its vowels change
			if a, b := consonants(rest), consonants(noun); len(a) >= n && len(b) >= n && a[:n] == b[:n] {
				return true
			}
		}
	}
	return false
}

// consonants returns the letters of a word without vowels. Double ones count once.
func consonants(s string) string {
	var out []byte
	for _, c := range []byte(s) {
		if !strings.ContainsRune("aeiouy", rune(c)) && (len(out) == 0 || out[len(out)-1] != c) {
			out = append(out, c)
		}
	}
	return string(out)
}

// person returns the first part of a compound for a person, such as "landeshaupt" of "Landeshauptmann" and "Landeshauptperson", or "".
func person(w word) string {
	for _, end := range []string{"mann", "frau", "person", "leute"} {
		if first, ok := strings.CutSuffix(w.text, end); ok && len(first) >= minPart {
			return first
		}
	}
	return ""
}
