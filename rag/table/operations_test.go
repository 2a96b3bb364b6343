package table

import (
	"strings"
	"testing"
)

// The tables of questions with several conditions, differences, and gaps.
const (
	lent = `Tool | Power | Day rate GBP | Week rate GBP | Last service
Lawn scarifier | petrol | 24.00 | 72.00 | 2025-07-28
Wacker plate | petrol | 32.00 | 96.00 | 2025-11-03
Belt sander | mains | 11.00 | 33.00 | 2026-01-20
Floor sander | mains | 29.00 | 87.00 | 2025-12-01`

	loans = `Leser | Titel | Fällig am | Zurück am | Gebühr EUR
Jonas Wieck | Momo | 29.01.2026 | 12.02.2026 | 2,80
Mehmet Aydin | Tschick | 23.02.2026 |  | 0,00
Lotte Brandt | Die Siedler | 16.02.2026 |  | 1,50
Ruth Engel | Emil | 09.03.2026 |  | 0,00
Anna Petersen | Winterreise | 03.02.2026 | 03.02.2026 | 0,00`

	plots = `Parzelle | Pächter | Pacht EUR/Jahr | Wasser 2024 m³ | Wasser 2025 m³ | Gartendienst Herbst
P1 | Familie Kaya | 186,00 | 22 | 27 | 10.10.2026
P2 | Horst Melzer | 168,00 | 18 | 15 | frei
P3 | Silke Baum | 252,00 | 31 | 30 | 10.10.2026`

	ferries = `Sailing | From | To | Departs | Arrives | Adult GBP | Bikes allowed
S5 | Skerry Isle | Port Rannoch | 12:10 | 13:20 | 9.50 | yes
S6 | Skerry Isle | Port Rannoch | 18:00 | 19:10 | 9.50 | no
S7 | Port Rannoch | Holm Island | 09:00 | 11:45 | 14.00 | yes
S8 | Holm Island | Port Rannoch | 15:30 | 18:15 | 14.50 | yes`

	spending2026 = `Project | Manager | Month | Budget GBP | Spent GBP
Food bank | Nadia Cole | Jan 2026 | 2400 | 2610
Food bank | Nadia Cole | Feb 2026 | 2400 | 2290
Food bank | Nadia Cole | Mar 2026 | 2500 | 2555
Homework club | Ben Ashby | Jan 2026 | 900 | 840
Homework club | Ben Ashby | Feb 2026 | 900 | 905
Homework club | Ben Ashby | Mar 2026 | 950 | 930`

	goods = `SKU | Item | In stock | Reorder level | Cost (GBP) | Price (GBP)
K1 | D-lock | 10 | 6 | 19 | 42
T1 | Inner tube | 12 | 20 | 2.05 | 5.99
H1 | Helmet | 4 | 4 | 24 | 54.95`

	shifts2026 = `Name | Role | Fri | Sat | Sun | Hours
Priya Shah | Reception | L | off | off | 24
Ines Duarte | Porter | N | N | N | 27
Moira Kerr | Housekeeping | E | E | off | 35`

	groups2026 = `Tag | Von | Bis | Gruppe | Leitung | Plätze frei
Montag | 16:00 | 17:00 | Kinderturnen | Jana Weiß | 3
Mittwoch | 16:30 | 18:00 | Geräteturnen | Jana Weiß | 1
Donnerstag | 18:30 | 19:30 | Pilates | Miriam Scholz | 0`

	costs2026 = `Date | Supplier | Category | Net | VAT | Gross
2026-01-05 | Harrow Estates | Rent | 1450.00 | 0.00 | 1450.00
2026-01-14 | Brightline | Electricity | 143.50 | 7.18 | 150.68
2026-02-03 | Harrow Estates | Rent | 1450.00 | 0.00 | 1450.00
2026-02-13 | Brightline | Electricity | 151.20 | 7.56 | 158.76
2026-03-03 | Harrow Estates | Rent | 1490.00 | 0.00 | 1490.00`
)

// TestOperations names the kinds of questions that need more than one part of a table.
func TestOperations(t *testing.T) {
	t.Parallel()
	var all []Source
	for _, s := range []struct{ title, language, text string }{
		{"tools.csv\nhillside-tool-hire", "en", lent},
		{"ausleihen.csv", "de", loans},
		{"parzellen.csv", "de", plots},
		{"ferries.csv", "en", ferries},
		{"budget-2026.csv", "en", spending2026},
		{"stock.csv", "en", goods},
		{"rota.csv", "en", shifts2026},
		{"hallen.csv", "de", groups2026},
		{"expenses.csv\nshop", "en", costs2026},
	} {
		all = append(all, Source{&Parse(s.text, s.language)[0], s.title})
	}
	for _, c := range []struct{ kind, question, want string }{
		{"condition and superlative", "cheapest petrol tool for a week", "lowest `Week rate GBP` is `72.00 GBP`, in `Lawn scarifier`"},
		{"superlative in a named list", "whats the priciest item on the tool hire list by day", "`32.00 GBP`, in `Wacker plate`"},
		{"two conditions, one of dates", "which mains tools had their last service before 2026", "`Power = mains`, `Last service < 2026`.\nFloor"},
		{"difference of two named columns", "how much dearer is the belt sander for a week than for a day", "difference is 22 GBP"},
		{"difference of a named column", "um wieviel ist der wasserverbrauch bei silke baum gestiegen", "difference is 1 m³"},
		{"margin", "how much do we make on one d-lock", "`Price (GBP)` − `Cost (GBP)` of `D-lock`: 23 GBP"},
		{"change in time", "did the rent go up and by how much", "`1490.00` for `2026-03-03`. The difference is 40"},
		{"gaps", "was ist noch nicht zurück", "3 rows of `ausleihen.csv` fit `Zurück am = –`"},
		{"gaps and a date", "was war am 1. märz 2026 schon fällig und noch nicht zurückgegeben", "2 rows of `ausleihen.csv`"},
		{"late", "was wurde zu spät zurückgegeben", "1 row of `ausleihen.csv` fits `Zurück am > Fällig am`.\nJonas Wieck"},
		{"columns compared", "welche pächter haben 2025 mehr wasser verbraucht als 2024", "1 row of `parzellen.csv` fits"},
		{"column below another", "whats below the reorder level", "fits `In stock < Reorder level`.\nT1"},
		{"money in a year", "welche parzellen kosten unter 180 euro pacht im jahr", "fits `Pacht EUR/Jahr < 180 euro`.\nP2"},
		{"off duty", "wer hat im herbst keinen gartendienst", "1 row of `parzellen.csv` fits.\nP2"},
		{"day off", "who has sunday off in the rota", "2 rows of `rota.csv` fit `Sun = off`"},
		{"shift as a letter", "who is on nights on saturday", "1 row of `rota.csv` fits `Sat = N`.\nInes Duarte"},
		{"direction", "adult fare to holm island", "`Adult GBP` of `Holm Island`: `14.00 GBP`"},
		{"superlative and yes or no", "last ferry from skerry isle, and can i take my bike", "`18:00`, in `Skerry Isle`. Compared rows: 2. Only rows with `From = Skerry Isle`.\nS6 | Skerry Isle | 18:00 | 19:10 | no"},
		{"months in a row", "how much did ben ashby spend altogether in january and february", "sum of `Spent GBP` in 2 rows is 1745 GBP"},
		{"short months", "total electricity for the shop jan to march", "sum of `Gross` in 2 rows is 309.44"},
		{"amount and no year", "which projects spent more than 1000 in march", "1 row of `budget-2026.csv` fits `Spent GBP > 1000`, `Month = march`"},
		{"dates of a thing", "which months was the food bank over budget", "2 rows of `budget-2026.csv` fit"},
		{"count of values", "wieviele gruppen macht jana weiß", "2 of the 3 rows of `hallen.csv` fit `Leitung = Jana Weiß`"},
		{"when and how many", "wann ist pilates und ist da noch was frei", "1 row of `hallen.csv` fits `Gruppe = Pilates`.\nDonnerstag | 18:30 | 19:30 | Pilates | 0"},
	} {
		got := Ask(c.question, all)
		if s := shown(got, all); got.Status != Answered || !strings.Contains(s, c.want) {
			t.Errorf("%s: %s: got %d %q, want %q", c.kind, c.question, got.Status, s, c.want)
		}
	}
	for kind, question := range map[string]string{
		"months apart":           "how much did ben ashby spend altogether in january and march",
		"state that no cell has": "welche gebühren sind noch strittig, wieviel macht das",
		"a row without a date":   "how much dearer did the d-lock get",
	} {
		if got := Ask(question, all); got.Status == Answered {
			t.Errorf("%s: %s: got %q", kind, question, shown(got, all))
		}
	}
}
