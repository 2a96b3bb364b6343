package table

import (
	"strings"
	"testing"
)

// These tables have headers as programs write them, names in two columns, and words that people write otherwise.
const (
	boatSales = `vin | year | make | model | kind | odometer | price
A1 | 2011 | Tern | Swift 20 | Sail | 1200 | 9500
A2 | 2015 | Tern | Gale 25 | Motor | 300 | 22000
A3 | 2019 | Osprey | Swift 22 | Motor | 90 | 41000
A4 | 2020 | Osprey | Calm 18 | Sail | 40 | 18000`

	employees = `PERS_NR | VORNAME | NACHNAME | GESCHLECHT | GEBDAT | ABTEILUNG | GEHALT
1 | Uwe | Lang | m | 20.03.64 | Werft | 41000
2 | Ina | Roth | w | 12.07.69 | Werft | 44500
3 | Eva | Kurz | w | 20.08.81 | Mitarbeiter | 39000
4 | Jan | Hell | m | 10.05.87 |  | 34500`

	cantons = `Wappen | Gebiet | Hauptort | Beitritt | Ausländer | Gemeinden | Landrätin
a.png | Nordau | Norden | 1803 | 12.5 | 30 | Ida Meer
b.png | Südau | Süden | 1803 | 25.1 | 11 | Ole Wind
c.png | Ostau | Osten | 1815 | 9.9 | 87 | Kai Sand`

	orders = `wo_number | date | item | parts_left | note
WO-11 | 2025-01-03 | pump | 4 | worn seal of the blue machine
WO-12 | 2025-04-09 | fan | KA | less noise than before
WO-13 | 2026-02-02 | valve | 7 | blue paint
WO-14 | 2026-02-03 | hose | 9
WO-15 | 2026-02-09 | belt | 6
WO-16 | 2026-03-02 | lamp | 8`

	tools = `Tag | Device | Role | Room | Price | Count | eol | eol-lts | link_url | link_text | Insured
T-1 | Lamp | Clerk | Hall | 19.50 | 120 | 2026-01-01 | 2028-01-01 | - | - | yes
T-2 | Scanner | Manager | Lab | 249.00 | 40 | 2027-01-01 | 2029-01-01 | a.example | A | no
T-3 | Scale | Manager | Lab | 99.90 | 7 | 2027-06-01 | 2029-06-01 | b.example | B | yes`

	literature = `bookID | title | pages | publication_date | publisher
7 | Deep Water | 210 | 3/30/2004 | Harbor Library Press
9 | Long Tides | 640 | 12/8/2009 | Basic
12 | The Buoy | 96 | 5/14/2004 | Basic`
)

// TestHeaders checks abbreviated headers, names in parts, participles, compounds, units, and numbers of rows.
func TestHeaders(t *testing.T) {
	t.Parallel()
	var all []Source
	for _, s := range []struct{ title, language, text string }{
		{"Used boats\nboats.csv", "en", boatSales},
		{"personal.csv", "de", employees},
		{"gebiete.csv", "de", cantons},
		{"maintenance.csv", "en", orders},
		{"library_books.csv", "en", literature},
		{"devices.csv", "en", tools},
	} {
		all = append(all, Source{&Parse(s.text, s.language)[0], s.title})
	}
	for question, want := range map[string]string{
		"cheapest used boat":                                "lowest `price` is `9500`, in `Tern Swift 20`",
		"which boats are under 20000 dollars":               "2 rows of `Used boats` fit `price < 20000 dollars`.\nA1 | Tern | Swift 20 | 9500",
		"how many miles does the Gale 25 have":              "`odometer` of `Tern Gale 25`: `300`",
		"die 2 gebiete mit den meisten gemeinden":           "2 rows by `Gemeinden`.\nc.png | Ostau",
		"welche gebiete sind 1803 beigetreten":              "2 rows of `gebiete.csv` fit `Beitritt = 1803`",
		"welches gebiet hat den höchsten ausländeranteil":   "highest `Ausländer` is `25.1`, in `Südau`",
		"gemeinden aller gebiete zusammen":                  "sum of `Gemeinden` in 3 rows is 128",
		"in wie vielen gebieten sind mehr als 20 gemeinden": "2 of the 3 rows",
		"wer verdient am meisten":                           "highest `GEHALT` is `44500`, in `Ina Roth`",
		"wie viele frauen arbeiten hier":                    "2 of the 4 rows of `personal.csv` fit `GESCHLECHT = w`",
		"welche mitarbeiter sind nach 1970 geboren":         "2 rows of `personal.csv` fit `GEBDAT > 1970`",
		"ältester mitarbeiter":                              "earliest `GEBDAT` is `20.03.64`, in `Uwe Lang`",
		"gehalt von frau kurz":                              "`GEHALT` of `Eva Kurz`: `39000`",
		"which work orders have fewer than 5 parts left":    "1 row of `maintenance.csv` fits `parts_left < 5`",
		"which work orders have no parts left":              "1 row of `maintenance.csv` fits.\nWO-12",
		"welcher mitarbeiter hat das höchste gehalt":        "highest `GEHALT` is `44500`, in `Ina Roth`. Compared rows: 4",
		"durchschnittliches gehalt pro abteilung":           "The average of `GEHALT` for each `ABTEILUNG`. Groups: 3",
		"where is the scanner":                              "`Room` of `Scanner`: `Lab`",
		"which devices have no link":                        "1 row of `devices.csv` fits.\nT-1",
		"how many devices are insured":                      "2 of the 3 rows of `devices.csv` fit `Insured = yes`",
		"when does the support of the scanner end":          "`eol` of `Scanner`: `2027-01-01`",
		"devices under 99.50":                               "1 row of `devices.csv` fits `Price < 99.50`",
		"longest book in the library":                       "highest `pages` is `640`, in `Long Tides`. Compared rows: 3",
		"how many library books were published in 2004":     "2 of the 3 rows of `library_books.csv` fit `publication_date = 2004`",
		"books with less than 100 pages":                    "1 row of `library_books.csv` fits `pages < 100`",
	} {
		got := Ask(question, all)
		if s := shown(got, all); got.Status != Answered || !strings.Contains(s, want) {
			t.Errorf("%s: got %d %q, want %q", question, got.Status, s, want)
		}
	}
}

// TestTextTables checks tables of texts, calendars, first and last names together, and things that are not counted.
func TestTextTables(t *testing.T) {
	t.Parallel()
	var all []Source
	for _, s := range []struct{ title, language, text string }{
		{"firmen.csv", "de", "Firma | Bundesland | Ort\nHafen GmbH | Bremen | Bremen\nWerft AG | Hessen | Kassel\nTau KG | Hessen | Fulda"},
		{"geraete.csv", "de", "nummer | hersteller | status | geraetetyp\nG1 | Dell | Lager | Laptop\nG2 | HP | Lager | Monitor\nG3 | HP | weg | Laptop"},
		{"termine.csv", "de", "datum_von | datum_bis | titel\n2026-06-04 | 2026-06-07 | Regatta\n2026-09-25 | 2026-09-27 | Herbstmarkt"},
		{"lohn.csv", "de", "id | nachname | vorname | rolle | gehalt\n1 | Roth | Ina | Fahrerin | 4000\n2 | Kurz | Ina | Koch | 3500\n3 | Roth | Jan | Koch | 3700"},
		{"films.csv", "en", "Title | Director | Minutes\nDeep Water | Ann Poe | 92\nLong Tides | Ed Rui | 120"},
		{"vending.md", "en", "Name | Price | Stock Volume\nCola | 2.00 | 9\nTonic | 1.30 | 0\nWater | 0.80 | 4"},
	} {
		all = append(all, Source{&Parse(s.text, s.language)[0], s.title})
	}
	for question, want := range map[string]string{
		"wie viele firmen sind in hessen":     "2 of the 3 rows of `firmen.csv` fit `Bundesland = Hessen`",
		"anzahl firmen je bundesland":         "Rows of `firmen.csv` for each `Bundesland`. Groups: 2",
		"wie viele geräte sind auf lager":     "2 of the 3 rows of `geraete.csv` fit `status = Lager`",
		"welche termine sind im september":    "1 row of `termine.csv` fits `datum_von = september`.\n2026-09-25",
		"verdient ina roth mehr als jan roth": "`gehalt`: `4000` for `Roth Ina`, and `3700` for `Roth Jan`. The difference is 300",
		"gehaltssumme insgesamt":              "The sum of `gehalt` in 3 rows is 11200",
		"who directed deep water":             "`Director` of `Deep Water`: `Ann Poe`",
		"how many colas are left":             "`Stock Volume` of `Cola`: `9`",
		"average price in the vending list":   "The average of `Price` in 3 rows is 1.37",
	} {
		got := Ask(question, all)
		if s := shown(got, all); got.Status != Answered || !strings.Contains(s, want) {
			t.Errorf("%s: got %d %q, want %q", question, got.Status, s, want)
		}
	}
}
