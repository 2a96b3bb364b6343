package metadata

import (
	"strings"

	"docent/internal/lazyregexp"
)

// maxVersion bounds a version, in bytes.
const maxVersion = 40

const numbers = `\d+(?:\.\d+)+(?:[-+.]?(?:alpha|beta|rc|a|b|lts)\.?\d*)?`

var (
	// named is a version after a word that says so, such as "version 3" and v2.1.
	named = lazyregexp.New(`(?i)(?:^|[\s(\[,_-])(?:version|release|rev(?:ision)?\.?|ver\.?|fassung|(?-i:v)\.?)\s*(\d+(?:\.\d+)*(?:[-+.]?(?:alpha|beta|rc|lts)\.?\d*)?)(?:$|[\s)\],;:_])`)
	// dotted is a version as a number with dots behind a name, such as "PostgreSQL 16.2".
	dotted = lazyregexp.New(`(?i)(\pL[\pL\d+#]*)[\s-](` + numbers + `)(?:$|[\s)\],;:])`)
	// counted are words before the number of a part of the document, or before an amount.
	counted = lazyregexp.New(`(?i)^(?:section|sections|chapter|part|figure|table|appendix|article|clause|step|item|paragraph|equation|lesson|page|exercise|example|abschnitt|kapitel|teil|abbildung|tabelle|anhang|artikel|ziffer|punkt|seite|schritt|eur|usd|chf|price|preis|at|um|ab|from|to|until|for|bis|von|am|on|by|over|under|about|than)$`)
	// unit is a unit or a currency behind an amount.
	unit = lazyregexp.New(`(?i)^\s*(?:[€$£%°]|(?:eur|euros?|usd|chf|percent|prozent|mm|cm|m|km|kg|g|t|l|bar|psi|v|a|w|kw|hz|khz|mhz|ghz|kb|mb|gb|tb|inch|inches|hours?|stunden?|days?|million|millionen)\b)`)
	// stated is a whole field with a version.
	stated = lazyregexp.New(`(?i)^v?\.?\s*(\d[\w.+-]*)$`)
)

// VersionIn returns the version that a title states, such as 16.2 in "PostgreSQL 16.2 Documentation";
// "" if it states none.
func VersionIn(title string) string {
	if m := named.FindStringSubmatch(title); m != nil && len(m[1]) <= maxVersion {
		return m[1]
	}
	for _, at := range dotted.FindAllStringSubmatchIndex(title, -1) {
		word, number := title[at[2]:at[3]], title[at[4]:at[5]]
		if !counted.MatchString(word) && !unit.MatchString(title[at[5]:]) && len(number) <= maxVersion && !dottedDate.MatchString(number) {
			return number
		}
	}
	return ""
}

// CheckVersion returns the version in a field of a document, without a v before it; "" if the
// field has no version.
func CheckVersion(field string) string {
	if m := stated.FindStringSubmatch(strings.TrimSpace(field)); m != nil && len(m[1]) <= maxVersion {
		return m[1]
	}
	return ""
}
