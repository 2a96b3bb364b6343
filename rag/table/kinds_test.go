package table

import "testing"

// drinks has columns with zeros.
const drinks = `Getränk | Art | Energie (kcal) | Zucker (g) | Koffein (mg) | Alkohol (% vol)
Cola | Limonade | 42 | 10,6 | 10 | 0
Cola Zero | Limonade | 0,3 | 0 | 10 | 0
Apfelsaft | Saft | 46 | 10,4 | 0 | 0
Bier | alkoholisch | 42 | 0 | 0 | 4,9`

// people names people.
const people = `Name | Abteilung | Telefon | Büro | Gehalt (EUR)
Anna Berg | Vertrieb | 4711 | B12 | 4200
Jonas Klein | Einkauf | 4712 | B14 | 3900
Mira Özer | Vertrieb | 4720 | A03 | 3600`

// lands has two columns that can be large.
const lands = `Country | Area (km²) | Population | Currency
Austria | 83879 | 9100000 | Euro
Portugal | 92230 | 10400000 | Euro
Hungary | 93030 | 9600000 | Forint`

// motors has a unit as the name of a column.
const motors = `model | mpg | cyl | wt
Valiant | 18.1 | 6 | 3.46
Fiat 128 | 32.4 | 4 | 2.2`

// refused is a table below a heading with question words, whose cells are sentences.
const refused = `run | status
an answer to another interrupt than the open one | 409
an answer to an unknown interrupt | 409
a scope of a wrong type | 400
an empty body | 400`

// disks is a table about partitions without their sizes.
const disks = `Schema | Erstellte Partitionen | Ausfälle
Eine Partition | /, Swap | keine
Getrennte Partitionen | /, /home, Swap | eine je Kopie der Daten auf den Platten (Standard ist 2)`

// TestWordsByChance: words inside of different cells, and question words of a heading, do not ask a table.
func TestWordsByChance(t *testing.T) {
	t.Parallel()
	tables := Parse(refused, "en")
	sources := []Source{{&tables[0], "What is refused"}}
	if reply := Ask("my answer is wrong what can I do", sources); reply.Status != NoQuestion {
		t.Errorf("the status is %d: %s", reply.Status, reply.Said)
	}
	if reply := Ask("what is the status of a scope of a wrong type", sources); reply.Status != Answered {
		t.Errorf("the status is %d: %s", reply.Status, reply.Said)
	}
	tables = Parse(disks, "de")
	sources = []Source{{&tables[0], "Partitionen und Dateisystem"}}
	for _, question := range []string{"welches dateisystem ist standard", "wie gross soll die swap partition sein"} {
		if reply := Ask(question, sources); reply.Status == Answered {
			t.Errorf("%s: %s", question, reply.Said)
		}
	}
}

// TestKinds: what people type about tables, in their own words.
func TestKinds(t *testing.T) {
	t.Parallel()
	var all []Source
	for _, s := range []struct{ title, language, text string }{
		{"Getränke", "de", drinks},
		{"Mitarbeiter", "de", people},
		{"countries.csv", "en", lands},
		{"motors.csv", "en", motors},
	} {
		tables := Parse(s.text, s.language)
		for i := range tables {
			all = append(all, Source{&tables[i], s.title})
		}
	}
	for question, want := range map[string]string{
		"welche getränke sind zuckerfrei":                     "2 rows of `Getränke` fit `Zucker (g) = 0`.\nCola Zero | 0 | \nBier | 0 | ",
		"which drinks are caffeine-free":                      "2 rows of `Getränke` fit `Koffein (mg) = 0`.\nApfelsaft | 0 | \nBier | 0 | ",
		"getraenke ohne alkohol aber mit koffein":             "2 rows of `Getränke` fit `Alkohol (% vol) = 0`, `Koffein (mg) > 0`.\nCola | 10 | 0 | \nCola Zero | 10 | 0 | ",
		"koffeinfreie limonade":                               "No row of `Getränke` fits `Art = Limonade`, `Koffein (mg) = 0`.\nCola | Limonade | 42 | 10,6 | 10 | 0 | \nCola Zero | Limonade | 0,3 | 0 | 10 | 0 | ",
		"wer verdient am meisten":                             "The highest `Gehalt (EUR)` is `4200 EUR`, in `Anna Berg`. Compared rows: 3.\nAnna Berg | 4200 | ",
		"wie viel verdienen alle im vertrieb zusammen":        "The sum of `Gehalt (EUR)` in 2 rows is 7800 EUR. Only rows with `Abteilung = Vertrieb`.\nAnna Berg | Vertrieb | 4711 | 4200 | \nMira Özer | Vertrieb | 4720 | 3600 | ",
		"wer verdient weniger als 4000 und ist im vertrieb":   "1 row of `Mitarbeiter` fits `Abteilung = Vertrieb`, `Gehalt (EUR) < 4000`.\nMira Özer | Vertrieb | 3600 | ",
		"telefonnummer von anna":                              "`Telefon` of `Anna Berg`: `4711`.\nAnna Berg | 4711 | ",
		"wer sitzt in A03":                                    "1 row of `Mitarbeiter` fits `Büro = A03`.\nMira Özer | A03 | ",
		"which country is bigger, Austria or Portugal":        "`Area (km²)`: `83879 km²` for `Austria`, and `92230 km²` for `Portugal`. The difference is 8351 km².\nAustria | 83879 | \nPortugal | 92230 | ",
		"largest population":                                  "The highest `Population` is `10400000`, in `Portugal`. Compared rows: 3.\nPortugal | 10400000 | ",
		"which car has the best mileage":                      "The table in `motors.csv` has nothing about `car`. In all its rows: The highest `mpg` is `32.4`, in `Fiat 128`. Compared rows: 2.\nFiat 128 | 32.4 | ",
		"who is the maintainer of the Fiat 128 in the motors": "The table in `motors.csv` has nothing about `maintainer`.\nFiat 128 | 32.4 | 4 | 2.2 | ",
	} {
		if got := shown(Ask(question, all), all); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", question, got, want)
		}
	}
}
