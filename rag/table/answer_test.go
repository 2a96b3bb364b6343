package table

import (
	"strings"
	"testing"
)

// fleet is a table with units in the header and empty cells.
const fleet = `No | Boat | Class | Length (m) | Day rate (EUR) | Week rate (EUR) | Next check | Harbor
1 | Heron 30 | Sail | 9.1 | 180.00 | 1100.00 | 2026-04-02 | North
2 | Heron 36 | Sail | 10.9 | 260.00 | 1650.00 | 2026-03-18 | South
3 | Tern 22 | Motor | 6.7 | 95.50 |  | 2026-06-30 | North
4 | Tern 26 | Motor | 7.9 | 140.00 | 820.00 |  | South
5 | Skiff | Row | 4.2 | 25.00 | 120.00 | 2027-01-09 | North`

// lager is a German table.
const lager = `| Artikel | Bestand (Stück) | Mindestbestand | Preis je Stück (€) | Lieferant | Letzter Zugang |
|---|---|---|---|---|---|
| Ankerkette 8 mm | 1.200 | 1.500 | 4,95 | Möller | 12.03.2026 |
| Festmacher | 85 | 60 | 19,90 | Tau & Co | 05.11.2025 |
| Fender klein | 40 | 50 | 12,50 | Möller | 20.01.2026 |
| Impeller | 12 | 10 | 48,50 | – | 28.08.2025 |
| Summe | 1.337 |  |  |  |  |`

// sales has several rows for each customer.
const sales = `Order | Date | Customer | Product | Quantity | Unit price (USD) | Total (USD) | Status
A-101 | 2026-01-05 | Dunmore & Sons | Lamp | 2 | 64.00 | 128.00 | open
A-102 | 2026-01-08 | Farrow | Desk | 1 | 420.00 | 420.00 | shipped
A-103 | 2026-03-11 | Farrow | Lamp | 3 | 64.00 | 192.00 | returned
A-104 | 2026-03-16 | Dunmore & Sons | Shelf | 4 | 135.50 | 542.00 | shipped
A-105 | 2026-04-20 | Ebner | Desk | 5 | 420.00 | 2100.00 | open`

// years has years as the names of rows.
const years = `Jahr | Umsatz (EUR) | Gewinn (EUR)
2023 | 1.250.000 | 98.500,50
2024 | 1.310.000 | 101.200,00
2025 | 1.290.500 | 87.000,25`

func sources() []Source {
	var out []Source
	for _, s := range []struct{ title, language, text string }{
		{"Fleet\nfleet.csv", "en", fleet},
		{"Lagerliste\nlager.md", "de", lager},
		{"orders.csv", "en", sales},
		{"plant.csv", "en", "Part | Interval | Spare part no.\nbearing of the pump | 400 h | P-1014\nfan of the boiler | 4,000 h | P-1021"},
		{"Zahlen\nzahlen.csv", "de", years},
	} {
		tables := Parse(s.text, s.language)
		for i := range tables {
			out = append(out, Source{&tables[i], s.title})
		}
	}
	return out
}

// shown returns a reply with its rows as text.
func shown(r Reply, all []Source) string {
	var b strings.Builder
	b.WriteString(r.Said.Message)
	for _, n := range r.Rows {
		b.WriteString("\n")
		for _, c := range r.Columns {
			b.WriteString(all[r.Source].Table.Rows[n].Cells[c].Text + " | ")
		}
	}
	return b.String()
}

func TestAsk(t *testing.T) {
	t.Parallel()
	all := sources()
	for question, want := range map[string]string{
		// cells
		"How much is the day rate of the Skiff?":    "Day rate (EUR)` of `Skiff`: `25.00 EUR`",
		"how long is the heron 36":                  "Length (m)` of `Heron 36`: `10.9 m`",
		"which harbor is tern 22 in":                "Harbor` of `Tern 22`: `North`",
		"when was order A-103":                      "Date` of `A-103`: `2026-03-11`",
		"status of 102":                             "Status` of `A-102`: `shipped`",
		"was kostet der impeller?":                  "Preis je Stück (€)` of `Impeller`: `48,50 EUR`",
		"wer liefert den Festmacher":                "Lieferant` of `Festmacher`: `Tau & Co`",
		"wieviel ankerkette haben wir":              "Bestand (Stück)` of `Ankerkette 8 mm`: `1.200 Stück`",
		"Umsatz 2024":                               "`1.310.000 EUR`",
		"wann war der letzte zugang vom festmacher": "`05.11.2025`",
		// comparisons
		"is the heron 36 longer than the heron 30":         "The difference is 1.8 m",
		"difference in day rate between skiff and tern 26": "The difference is 115 EUR",
		// extremes
		"cheapest boat per day":      "lowest `Day rate (EUR)` is `25.00 EUR`, in `Skiff`",
		"What is the longest boat?":  "highest `Length (m)` is `10.9 m`, in `Heron 36`",
		"which check is due first":   "earliest `Next check` is `2026-03-18`, in `Heron 36`. Compared rows: 5. Rows without a value: 1",
		"newest order of farrow":     "A-103",
		"biggest order":              "A-105",
		"teuerster artikel":          "`48,50 EUR`, in `Impeller`",
		"die zwei teuersten artikel": "2 rows by `Preis je Stück (€)`.\nImpeller",
		"höchster gewinn":            "`101.200,00 EUR`, in `2024`",
		"shortest motor boat":        "in `Tern 22`",
		"second longest boat":        "Rank 2 by `Length (m)`: `9.1 m`, in `Heron 30`",
		"zweitteuerster artikel":     "Rank 2 by `Preis je Stück (€)`: `19,90 EUR`, in `Festmacher`",
		// counts
		"how many boats are in the north harbor":     "3 of the 5 rows",
		"How many orders are open?":                  "2 of the 5 rows",
		"orders in march":                            "2 rows of `orders.csv` fit `Date = march`",
		"how many orders since february 2026":        "3 of the 5 rows",
		"wie viele artikel von möller":               "2 of the 4 rows",
		"how many lamps were ordered in total":       "sum of `Quantity` in 2 rows is 5",
		"how many boats are longer than the tern 26": "2 of the 5 rows",
		// sums and averages
		"total of the orders of farrow":      "sum of `Total (USD)` in 2 rows is 612 USD",
		"average day rate of the sail boats": "average of `Day rate (EUR)` in 2 rows is 220 EUR",
		"bestand insgesamt":                  "sum of `Bestand (Stück)` in 4 rows is 1337 Stück",
		"durchschnittlicher preis":           "average of `Preis je Stück (€)` in 4 rows is 21,46 EUR",
		"summe gewinn":                       "286700,75 EUR",
		"average week rate":                  "in 4 rows is 922.50 EUR. Rows without a value: 1",
		// lists
		"list all boats under 150 euro a day":      "3 rows of `Fleet` fit `Day rate (EUR) < 150 euro`",
		"boats between 100 and 200 euro per day":   "2 rows",
		"which boat has a week rate of 1,650 euro": "1 row of `Fleet` fits `Week rate (EUR) = 1,650 euro`.\n2 | Heron 36",
		"which part has an interval of 4,000 h":    "1 row of `plant.csv` fits `Interval = 4,000 h`.\nfan of the boiler | 4,000 h | ",
		"what was returned":                        "A-103",
		"was ist unter mindestbestand":             "2 rows of `Lagerliste` fit `Bestand (Stück) < Mindestbestand`.\nAnkerkette 8 mm | 1.200 | 1.500 | ",
		"which customer has the most orders":       "Rows of `orders.csv` for each `Customer`. Groups: 3",
		"how many orders per customer":             "Rows of `orders.csv` for each `Customer`. Groups: 3",
		"total per customer":                       "The sum of `Total (USD)` for each `Customer`. Groups: 3",
		"average total by product":                 "The average of `Total (USD)` for each `Product`. Groups: 3",
		"which boats have no next check":           "1 row of `Fleet` fits `Next check = –`.\n4 | Tern 26",
		"boats over 700 cm":                        "3 rows",
		"orders not shipped":                       "3 rows of `orders.csv` fit `Status ≠ shipped`",
		"welche artikel kosten mehr als 15 euro":   "2 rows",
		"artikel die teurer als 15 euro sind":      "2 rows",
		"orders over 500 dollars":                  "2 rows of `orders.csv` fit `Total (USD) > 500 dollars`",
		"was ist der bestand der ankerkette wert":  "",
	} {
		got := Ask(question, all)
		if s := shown(got, all); want != "" && (got.Status != Answered || !strings.Contains(s, want)) {
			t.Errorf("%s: got %d %q, want %q", question, got.Status, s, want)
		}
	}
}

// TestAskUnclear checks that questions without one clear answer are not answered.
func TestAskUnclear(t *testing.T) {
	t.Parallel()
	all := sources()
	for question, want := range map[string]string{
		"day rate of the swan":                    "nothing about `swan`",
		"monthly rate of the skiff":               "nothing about `monthly`",
		"weekend rate of the skiff":               "nothing about `weekend`",
		"week rate of the tern 22":                "`Tern 22` has no value for `Week rate (EUR)`",
		"wer liefert impeller":                    "`Impeller` has no value for `Lieferant`",
		"price of the heron":                      "Several rows of `Fleet`",
		"rate of the skiff":                       "Several columns of `Fleet` fit: `Day rate (EUR)`, `Week rate (EUR)`",
		"which customer has the highest total":    "",
		"why did farrow return the lamps":         "",
		"how many orders are not paid":            "nothing about `paid`",
		"order A-106":                             "nothing about `a-106`",
		"orders of farrow over 1000 dollars":      "No row of `orders.csv` fits",
		"which boat has a week rate of 1651 euro": "nothing about `1651`",
		"umsatz 2022":                             "nothing about `2022`",
		"boats over 7 hours":                      "",
		"what is the weather":                     "",
		"how do i start the skiff":                "",
		"wieviel prozent der artikel":             "",
		"average harbor":                          "",
		"sum of next checks":                      "",
		"is the heron 36 longer than the swan":    "",
		"how many boats are longer than a whale":  "",
	} {
		got := Ask(question, all)
		if s := shown(got, all); got.Status == Answered || !strings.Contains(s, want) {
			t.Errorf("%s: got %d %q, want %q", question, got.Status, s, want)
		}
	}
}

// TestAskSimilarTables checks that a question that fits two tables is not answered from one of them.
func TestAskSimilarTables(t *testing.T) {
	t.Parallel()
	old := Parse("Item | Price (EUR)\nBolt | 1.50\nNut | 0.70", "en")
	fresh := Parse("Item | Price (EUR)\nBolt | 1.60\nNut | 0.75", "en")
	both := []Source{{&old[0], "Prices 2025"}, {&fresh[0], "Prices 2026"}}
	if got := Ask("price of the nut", both); got.Status != Unclear || !strings.Contains(got.Said.Message, "Several tables") {
		t.Errorf("got %+v", got)
	}
	if got := Ask("price of the nut 2026", both); got.Status != Answered || !strings.Contains(got.Said.Message, "0.75") {
		t.Errorf("with the year: got %+v", got)
	}
	if got := Ask("price of the nut", []Source{both[0], both[0]}); got.Status != Answered {
		t.Errorf("the same table twice: got %+v", got)
	}
}

func FuzzAsk(f *testing.F) {
	for _, question := range []string{
		"cheapest boat", "how many boats over 5 m", "between 1 and 2 euro", "top 3 boats by length",
		"less than", "not 5",
	} {
		f.Add(fleet, question)
	}
	f.Add(lager, "summe bestand")
	f.Add("a | b\n1 | \\| | 2", "a")
	f.Fuzz(func(t *testing.T, text, question string) {
		tables := Parse(text, "de")
		for i := range tables {
			got := Ask(question, []Source{{&tables[i], "Title"}})
			for _, n := range got.Rows {
				if n < 0 || n >= len(tables[i].Rows) {
					t.Fatalf("row %d of %d", n, len(tables[i].Rows))
				}
			}
		}
	})
}

// TestAskLinkedNames checks that names are read without their links, and that a reply shows more than the names.
func TestAskLinkedNames(t *testing.T) {
	t.Parallel()
	const rules = "| Name | Config | Description |\n|---|---|---|\n| [`datarace`](./RULES.md#datarace) | n/a | Spots potential dataraces |\n" +
		"| [`defer`](./RULES.md#defer) | list | Warns on gotchas |"
	all := []Source{{Table: &Parse(rules, "en")[0], Title: "Rules"}}
	for _, question := range []string{"which rule is datarace", "list datarace"} {
		if got := Ask(question, all); got.Status == Answered && !strings.Contains(shown(got, all), "datarace | n/a | Spots potential dataraces") {
			t.Errorf("%s: got %q", question, shown(got, all))
		}
	}
	if got := all[0].Table.Rows[0].Cells[0].Text; got != "datarace" {
		t.Errorf("the first cell is %q", got)
	}
}

// TestAskNear checks that an unclear question is near a table only if a row or a column is named.
func TestAskNear(t *testing.T) {
	t.Parallel()
	const limits = "what | limit\nfiles of a conversation | 20\nkeys of an agent file | 20000\nerrors of a file in a report | 20\nerrors in the log | 9"
	all := []Source{{Table: &Parse(limits, "en")[0], Title: "Limits"}}
	for question, want := range map[string]bool{
		"what is the largest file size":    false, // three rows have a file, and none a size
		"file permissions":                 false,
		"limit of swans":                   true,
		"errors in the log of the printer": true,
	} {
		if got := Ask(question, all); got.Status != Unclear || got.Near != want {
			t.Errorf("%s: got status %d, near %v, %q", question, got.Status, got.Near, got.Said.Message)
		}
	}
}

// TestAskQuery checks the description of the operation, and the places of the cells.
func TestAskQuery(t *testing.T) {
	t.Parallel()
	all := sources()
	for question, want := range map[string]string{
		"cheapest boat per day":                  `SELECT "No", "Boat", "Day rate (EUR)" FROM "Fleet" ORDER BY "Day rate (EUR)" ASC LIMIT 1`,
		"how many orders are open":               `SELECT COUNT(*) FROM "orders.csv" WHERE "Status" = 'open'`,
		"average day rate of the sail boats":     `SELECT AVG("Day rate (EUR)") FROM "Fleet" WHERE "Class" = 'Sail'`,
		"boats between 100 and 200 euro per day": `WHERE "Day rate (EUR)" BETWEEN 100 AND 200`,
		"was ist unter mindestbestand":           `WHERE "Bestand (Stück)" < "Mindestbestand"`,
		"orders in march":                        `WHERE "Date" = 'march'`,
		"which boats have no next check":         `WHERE "Next check" IS NULL`,
		"summe gewinn":                           `SELECT SUM("Gewinn (EUR)") FROM "Zahlen"`,
	} {
		if got := Ask(question, all); got.Status != Answered || !strings.Contains(got.Query, want) {
			t.Errorf("%s: got %d %q, want %q", question, got.Status, got.Query, want)
		}
	}
}

// TestCellPlaces checks that each cell stands at its place in the text.
func TestCellPlaces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{fleet, lager, sales, "  | a | b |\n|---|---|\n|  **1 \\| 2**  |3 kg|\n| | 4 kg |\n", "A | B\n| 7\n1 |"} {
		for _, table := range Parse(text, "en") {
			for _, row := range table.Rows {
				for _, c := range row.Cells {
					got := strings.ReplaceAll(strings.Trim(text[c.Start:c.End], "*"), `\|`, "|")
					if got != c.Text {
						t.Errorf("got %q at %d to %d, want %q", got, c.Start, c.End, c.Text)
					}
				}
			}
		}
	}
}
