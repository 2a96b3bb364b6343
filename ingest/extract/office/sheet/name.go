package sheet

import (
	"regexp"
	"strings"

	"docent/ingest/outline"
)

// usualName matches the names that programs give to sheets.
var usualName = regexp.MustCompile(`^(Sheet|Tabelle|Feuil|Feuille|Hoja|Foglio|Blad|Ark|Arkusz|Planilha|Лист|工作表|シート)\s?[0-9]*$`)

// IsUsualName reports whether a program gave a sheet its name.
func IsUsualName(name string) bool { return usualName.MatchString(name) }

// AddHeading adds the name of a sheet. A single sheet with the name that the
// program gave it has none.
func AddHeading(b *outline.Builder, name string, sheets int) {
	if sheets > 1 || !IsUsualName(name) {
		b.Add(outline.Heading, 1, "\n\n", strings.Join(strings.Fields(name), " "))
	}
}
