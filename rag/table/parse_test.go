package table

import (
	"fmt"
	"strings"
	"testing"
)

// described returns the columns of a table with their types.
func described(t *Table) string {
	var list []string
	for _, c := range t.Columns {
		s := c.Name + ":" + string(c.Kind)
		if c.Unit != "" {
			s += "(" + c.Unit + ")"
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text, language string
		columns        string // "" for no table
		rows           int    // of data
	}{
		"reader": {
			"A title.\n\nItem | Price (EUR) | Weight [kg] | Since\nBolt | 1.50 | 2 | 2024-03-01\nNut | 0.75 | 1.5 | 2025-11-30", "en",
			"Item:text Price:money(EUR) Weight:number(kg) Since:date", 2,
		},
		"markdown": {
			"| Name | Anteil | Preis |\n|---|--:|---|\n| A | 12,5 % | 1.234,50 € |\n| B | 7 % | 19,90 € |", "de",
			"Name:text Anteil:percent(%) Preis:money(EUR)", 2,
		},
		"units below the header": {
			"Ort | Stand | Temperatur\n| cm | °C\nA | 87 | 14,2\nB | – | 3,5", "de", "Ort:text Stand:number(cm) Temperatur:number(°C)", 2,
		},
		"header of two rows": {
			"Consumption\nHouse | Power | Heat\nHouse | 2024 | 2025 | 2024 | 2025\nA | 1.5 | 2.5 | 3 | 4", "en",
			"House:text Power 2024:number Power 2025:number Heat 2024:number Heat 2025:number", 1,
		},
		"header with empty cells": {
			"House | Power |  | Heat\nHouse | 2024 | 2025 | 2025\nA | 1.5 | 2.5 | 4", "en",
			"House:text Power 2024:number Power 2025:number Heat 2025:number", 1,
		},
		"groups that cannot be told": {
			"House | Power | Heat\nHouse | 2024 | 2025 | 2026\nA | 1.5 | 2.5 | 4", "en", "House:text 2024:number 2025:number 2026:number", 1,
		},
		"snake case": {
			"article,x\n\narticle | price_eur\n10021 | 48.50\n10022 | 61.00", "en",
			"article:text price:money(EUR)", 2,
		},
		"total row":             {"Item | Count\nA | 3\nB | 4\nTotal | 7", "en", "Item:text Count:number", 2},
		"total without a label": {"Item | Count\nA | 3\nB | 4\n| 7", "en", "Item:text Count:number", 2},
		"times": {
			"Stop | Train 1 | Ride\nA | 5:52 | 2 h 5 min\nB | — | 40 min", "en",
			"Stop:text Train 1:time Ride:duration(s)", 2,
		},
		"flags":                     {"Planet | Rings\nMars | No\nSaturn | Yes", "en", "Planet:text Rings:flag", 2},
		"mixed units":               {"Item | Size\nA | 3 kg\nB | 4 g", "en", "Item:text Size:text", 2},
		"thousands or decimals":     {"Item | Count\nA | 1.234\nB | 2.500", "", "Item:text Count:text", 2},
		"German thousands":          {"Item | Count | Price\nA | 1.234 | 0,5\nB | 2.500 | 1,25", "", "Item:text Count:number Price:number", 2},
		"months or days":            {"Item | Day\nA | 03/04/2026\nB | 05/06/2026", "en", "Item:text Day:text", 2},
		"day behind the month":      {"Item | Day\nA | 03/04/2026\nB | 05/16/2026", "en", "Item:text Day:date", 2},
		"no header":                 {"A | 3 | 4\nB | 4 | 5", "en", "", 0},
		"shifted row":               {"Item | Count\nA | 3 | 4\nB | 4", "en", "", 0},
		"prose":                     {"Use a | b | c for this.\n\nAnd so on.", "en", "", 0},
		"rows on the next page":     {"Item | Count\nA | 3\nB | 4\n\nPage 1\n\nC | 5\nD | 6", "en", "Item:text Count:number", 4},
		"the header on each page":   {"Item | Count\nA | 3\nB | 4\n\nItem | Count\nC | 5", "en", "Item:text Count:number", 3},
		"other rows below":          {"Item | Count\nA | 3\nB | 4\n\n3 | 4 | 5\n5 | 6 | 7", "en", "Item:text Count:number", 2},
		"a cell with several words": {"Item | Note\nA | see the note\nB | 7", "en", "Item:text Note:text", 2},
	} {
		got := Parse(test.text, test.language)
		if len(got) == 0 {
			if test.columns != "" {
				t.Errorf("%s: no table", name)
			}
			continue
		}
		if d := described(&got[0]); d != test.columns || len(got[0].Data()) != test.rows {
			t.Errorf("%s: got %s with %d rows, want %s with %d", name, d, len(got[0].Data()), test.columns, test.rows)
		}
		for _, r := range got[0].Rows {
			if line := test.text[r.Start:r.End]; strings.Contains(line, "\n") || !strings.Contains(line, r.Cells[1].Text) {
				t.Errorf("%s: the row %v is at %q", name, r.Cells, line)
			}
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for cells, want := range map[string]string{
		"1,234.50|7":                 "1234.5 7",
		"1.234,50 €|0,99 €":          "1234.5 0.99",
		"EUR 19.90|EUR 1,000.00":     "19.9 1000",
		"$5|$12.75":                  "5 12.75",
		"1'250.00|90.00":             "1250 90",
		"1 234,5|12":                 "1234.5 12",
		"−3,5|+2":                    "-3.5 2",
		"0.330|1898":                 "0.33 1898",
		"49,- €|5,50 €":              "49 5.5",
		"12. März 2026|1. Mai 2026":  "20524 20574",
		"March 12, 2026|May 1, 2026": "20524 20574",
		"12.03.2026|1.5.2026":        "20524 20574",
		"1:05:00|0:30":               "3900 1800",
		"k. A.|5":                    "- 5",
	} {
		first, second, _ := strings.Cut(cells, "|")
		tables := Parse("Name | Value\na | "+first+"\nb | "+second+"\nc | "+second+"\nd | "+second+"\ne | "+second, "en")
		if len(tables) != 1 {
			t.Errorf("%s: no table", cells)
			continue
		}
		var got []string
		for _, r := range tables[0].Rows[:2] {
			if r.Cells[1].Valued {
				got = append(got, fmt.Sprint(r.Cells[1].Value))
			} else {
				got = append(got, "-")
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: got %s, want %s (%s)", cells, s, want, described(&tables[0]))
		}
	}
}
