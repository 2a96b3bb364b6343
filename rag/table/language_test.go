package table

import (
	"strings"
	"testing"
)

// houses has an English header, and vans a German one.
const (
	houses = `Unit | District | Rooms | Living area (m²) | Monthly rent (EUR) | Heating costs (EUR) | Balcony
A-1 | North | 2 | 54.5 | 780.00 | 95.00 | yes
A-2 | North | 3 | 72.0 | 990.00 | 120.00 | no
B-1 | Harbor | 4 | 104.0 | 1650.00 | 140.00 | yes`
	vans = `Kennzeichen | Fahrzeug | Antrieb | Kilometerstand | Verbrauch (l/100 km) | Reparaturkosten (€)
HH-1 | Caddy | Diesel | 98.450 | 5,9 | 1.240,50
HH-2 | Kangoo | Elektro | 22.100 |  | 0,00
HH-3 | Transit | Diesel | 143.900 | 9,4 | 3.875,20`
	meals = `Dish | Energy (kcal) | Fat (g) | Salt (g) | Rating
Soup | 120 | 3.5 | 1.9 | 4.1
Pizza | 820 | 31.0 | 3.2 | 4.6
Salad | 210 | 12.4 | 0.8 | 3.9`
	athletes = `Name | Highjump | Shotput | Transport | Points
Kersee | 1.86 | 15.8 | car | 7291
John | 1.80 | 16.2 | train | 6897`
)

// TestAskLanguages: questions in German find English headers, and the reverse. Compounds are read by their parts.
func TestAskLanguages(t *testing.T) {
	t.Parallel()
	var all []Source
	for _, s := range []struct{ title, language, text string }{
		{"Apartments", "en", houses}, {"Fuhrpark", "de", vans}, {"Meals", "en", meals}, {"Athletes", "en", athletes},
	} {
		all = append(all, Source{&Parse(s.text, s.language)[0], s.title})
	}
	for _, test := range []struct {
		question string
		status   Status
		want     string
	}{
		{"Wie hoch ist die Miete von A-2?", Answered, "`Monthly rent (EUR)` of `A-2`: `990.00 EUR`"},
		{"Was kostet A-1 im Monat?", Answered, "`780.00 EUR`"},
		{"Wohnung mit der größten Wohnfläche", Answered, "in `B-1`"},
		{"Heizkosten in North insgesamt", Answered, "2 rows is 215 EUR"},
		{"average mileage of the diesel vehicles", Answered, "in 2 rows is 121175"},
		{"lowest consumption", Answered, "in `Caddy`"},
		{"Wie viele Dieselfahrzeuge gibt es?", Answered, "2 of the 3 rows"},
		{"repair costs of the Transit", Answered, "`3.875,20 EUR`"},
		{"which is saltier, the soup or the pizza?", Answered, "The difference is 1.3 g"},
		{"saltiest dish", Answered, "in `Pizza`"},
		{"Wie viel Fett hat die Soup?", Answered, "`3.5 g`"},
		{"dish with the best rating", Answered, "in `Pizza`"},
		{"worst rating", Answered, "in `Salad`"},
		{"best mileage", Unclear, "I cannot tell what `best` means for `Kilometerstand`"},
		{"best salt", Unclear, "Ask for the highest or the lowest value"},
		{"how tall is Kersee", Unclear, ""},
		{"port of Kersee", Unclear, "nothing about `port`"},
		{"how high did John jump", Answered, "`1.80`"},
	} {
		got := Ask(test.question, all)
		if said := shown(got, all); got.Status != test.status || !strings.Contains(said, test.want) {
			t.Errorf("%s: status %d, want %d\n%s\nwant %s", test.question, got.Status, test.status, said, test.want)
		}
	}
}
