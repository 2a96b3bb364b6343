package sheet

import (
	"regexp"
	"strings"

	"docent/ingest/outline"
)

// usualName matches the default names of sheets.
var usualName = regexp.MustCompile(`^(Sheet|Tabelle|Feuil|Feuille|Hoja|Foglio|Blad|Ark|Arkusz|Planilha|Лист|工作表|シート)\s?[0-9]*$`)

// IsUsualName reports whether a name is a default name of a sheet.
func IsUsualName(name string) bool { return usualName.MatchString(name) }

// AddHeading adds the name of a sheet as a heading. It adds no heading for a
// single sheet with a default name.
func AddHeading(b *outline.Builder, name string, sheets int) {
	if sheets > 1 || !IsUsualName(name) {
		b.Add(outline.Heading, 1, "\n\n", strings.Join(strings.Fields(name), " "))
	}
}
