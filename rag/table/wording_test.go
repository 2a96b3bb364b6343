package table

import "testing"

// pumps has names that begin alike, and a currency with a note.
const pumps = `Article no. | Model | Type | Weight (kg) | Price (EUR, excl. VAT) | In stock | Waterproof
10-110 | Minnow 50 | submersible | 2.1 | 89 | 14 | yes
10-120 | Minnow 80 | submersible | 2.6 | 119.5 | 0 | yes
10-210 | Otter 200 | surface | 9.4 | 349 | 5 | no
10-220 | Otter 200 S | surface | 10.1 | 429 | 3 | no
10-310 | Beaver 600 | drainage | 19.2 | 745 | 0 | yes`

// spareParts has a column that lists models.
const spareParts = `Part no. | Part | Fits | Price (EUR)
S-01 | Impeller | Minnow 50, Minnow 80 | 18.9
S-02 | Impeller | Beaver 600 | 46
S-03 | Shaft seal | Otter 200, Otter 200 S | 22.5`

// payments has amounts with dates.
const payments = `Buchungsdatum | Empfänger | Verwendungszweck | Kategorie | Betrag (€)
05.01.2026 | Stadtwerke Lindau | Abschlag Strom Januar | Energie | -184,00
15.01.2026 | Kanzlei Vogt | Honorar Steuerberatung | Beratung | -1.190,00
22.01.2026 | Hotel Seeblick | Klausurtagung Anzahlung | Reise | -540,00
05.03.2026 | Stadtwerke Lindau | Abschlag Strom März | Energie | -191,00
12.03.2026 | Hotel Seeblick | Klausurtagung Restbetrag | Reise | -812,50`

// staff names people and a department that is written like a pronoun.
const staff = `Name | Department | Phone | Office | Joined | Hours per week
Ilse Maartens | IT | 0120 | 0.03 | 2018-01-08 | 40
Ravi Chandran | IT | 0121 | 0.04 | 2022-05-02 | 32
Dagny Roth | Workshop | 0155 | 0.20 | 2025-09-01 | 40`

// lake has values whose names people put into compounds.
const lake = `Datum | Messstelle | Nitrat (mg/l) | Sichttiefe (m)
12.05.2025 | Einlauf | 7,8 | 1,1
16.06.2025 | Einlauf | 8,4 | 0,9
16.06.2025 | Steg | 3,9 | 2,3`

// devices has two devices of one name.
const devices = `Asset tag | Device | Location | Purchased | Price (USD) | Calibration due
LA-0031 | Oscilloscope DSO 204 | Lab 1 | 2021-04-12 | 2150.00 | 2026-04-30
LA-0032 | Oscilloscope DSO 402 | Lab 2 | 2023-08-01 | 4890.00 | 2026-09-15
LA-0040 | Power supply PS 30 | Lab 1 | 2019-11-20 | 420.00 | –
LA-0060 | Multimeter M 90 | Lab 1 | 2018-01-09 | 310.00 | 2025-12-31
LA-0061 | Multimeter M 90 | Store | 2018-01-09 | 310.00 | –`

// TestWording: verbs, ranks, misspelled words, and words for the rows of a table.
func TestWording(t *testing.T) {
	t.Parallel()
	var all []Source
	for _, s := range []struct{ title, language, text string }{
		{"prices.xlsx\nPumps", "en", pumps},
		{"prices.xlsx\nSpare parts", "en", spareParts},
		{"umsaetze.csv", "de", payments},
		{"staff.csv", "en", staff},
		{"assets.csv", "en", devices},
		{"messungen.csv", "de", lake},
	} {
		tables := Parse(s.text, s.language)
		for i := range tables {
			all = append(all, Source{&tables[i], s.title})
		}
	}
	for question, want := range map[string]string{
		"cheapest pump we sell?":                  "The lowest `Price (EUR, excl. VAT)` is `89 EUR`, in `Minnow 50`. Compared rows: 5.\n10-110 | Minnow 50 | 89 | ",
		"how much is the Beaver 600?":             "`Price (EUR, excl. VAT)` of `Beaver 600`: `745 EUR`.\n10-310 | Beaver 600 | 745 | ",
		"is the otter 200 s waterproof":           "`Waterproof` of `Otter 200 S`: `no`.\n10-220 | Otter 200 S | no | ",
		"is the otter 200 waterproof":             "`Waterproof` of `Otter 200`: `no`.\n10-210 | Otter 200 | no | ",
		"what fits the Otter 200":                 "1 row of `prices.xlsx` fits `Fits = Otter 200, Otter 200 S`.\nS-03 | Shaft seal | Otter 200, Otter 200 S | 22.5 | ",
		"which models cant I order, not in stock": "The table in `prices.xlsx` has nothing about `order`.",
		"what does the Otter 200 contain":         "The table in `prices.xlsx` has nothing about `contain`.\n10-210 | Otter 200 | surface | 9.4 | 349 | 5 | no | ",
		"how many devices are in lab 1":           "3 of the 5 rows of `assets.csv` fit `Location = Lab 1`.\nLA-0031 | Oscilloscope DSO 204 | Lab 1 | \nLA-0040 | Power supply PS 30 | Lab 1 | \nLA-0060 | Multimeter M 90 | Lab 1 | ",
		"which devices have no calibration date": "2 rows of `assets.csv` fit `Calibration due = –`.\n" +
			"LA-0040 | Power supply PS 30 | – | \nLA-0061 | Multimeter M 90 | – | ",
		"which pumps are out of stock":                "2 rows of `prices.xlsx` fit `In stock = 0`.\n10-120 | Minnow 80 | 0 | \n10-310 | Beaver 600 | 0 | ",
		"waterprof beaver 600":                        "`Waterproof` of `Beaver 600`: `yes`.\n10-310 | Beaver 600 | yes | ",
		"wie viel haben wir für Energie ausgegeben":   "The sum of `Betrag (€)` in 2 rows is -375 EUR. Only rows with `Kategorie = Energie`.\nAbschlag Strom Januar | Energie | -184,00 | \nAbschlag Strom März | Energie | -191,00 | ",
		"wie viel ging an das Hotel Seeblick":         "The sum of `Betrag (€)` in 2 rows is -1352,50 EUR. Only rows with `Empfänger = Hotel Seeblick`.\nHotel Seeblick | Klausurtagung Anzahlung | -540,00 | \nHotel Seeblick | Klausurtagung Restbetrag | -812,50 | ",
		"wann wurde die Steuerberatung bezahlt":       "`Buchungsdatum` of `Honorar Steuerberatung`: `15.01.2026`.\n15.01.2026 | Honorar Steuerberatung | ",
		"wie viele Zahlungen an das Hotel Seeblick":   "2 of the 5 rows of `umsaetze.csv` fit `Empfänger = Hotel Seeblick`.\nHotel Seeblick | Klausurtagung Anzahlung | \nHotel Seeblick | Klausurtagung Restbetrag | ",
		"alle Buchungen im März":                      "2 rows of `umsaetze.csv` fit `Buchungsdatum = märz`.\n05.03.2026 | Abschlag Strom März | -191,00 | \n12.03.2026 | Klausurtagung Restbetrag | -812,50 | ",
		"wie viel haben wir 2025 für Energie bezahlt": "The table in `umsaetze.csv` has nothing about `2025`.\n05.01.2026 | Stadtwerke Lindau | Abschlag Strom Januar | Energie | -184,00 | \n05.03.2026 | Stadtwerke Lindau | Abschlag Strom März | Energie | -191,00 | ",
		"how many people work in IT":                  "2 of the 3 rows of `staff.csv` fit `Department = IT`.\nIlse Maartens | IT | 0120 | \nRavi Chandran | IT | 0121 | ",
		"phone number of Ilse Maartens":               "`Phone` of `Ilse Maartens`: `0120`.\nIlse Maartens | 0120 | ",
		"who joined most recently":                    "The latest `Joined` is `2025-09-01`, in `Dagny Roth`. Compared rows: 3.\nDagny Roth | 2025-09-01 | ",
		"who works less than 40 hours a week":         "1 row of `staff.csv` fits `Hours per week < 40 hours`.\nRavi Chandran | 32 | ",
		"who is in office 0.04":                       "1 row of `staff.csv` fits `Office = 0.04`.\nRavi Chandran | 0.04 | ",
		"durchschnittlicher nitratwert am einlauf":    "The average of `Nitrat (mg/l)` in 2 rows is 8,1 mg/l. Only rows with `Messstelle = Einlauf`.\nEinlauf | 7,8 | \nEinlauf | 8,4 | ",
		"wann lag Nitrat über 8 mg/l":                 "1 row of `messungen.csv` fits `Nitrat (mg/l) > 8 mg/l`.\n16.06.2025 | 8,4 | ",
		"phosphatwert am einlauf":                     "The table in `messungen.csv` has nothing about `phosphatwert`.\n12.05.2025 | Einlauf | 7,8 | 1,1 | \n16.06.2025 | Einlauf | 8,4 | 0,9 | ",
	} {
		if got := shown(Ask(question, all), all); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", question, got, want)
		}
	}
}
