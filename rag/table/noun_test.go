package table

import (
	"strings"
	"testing"
)

// cars has one name with the noun for all rows, and no units.
const cars = ` | Price | Country | Mileage
Subaru Justy 3 | 5866 | Japan | 34
Saab 900 4 | 16995 | Sweden | NA
Lincoln Town Car V8 | 27986 | USA | 20
Volvo 240 4 | 18450 | Sweden | 23`

// hills has names with a word of its title.
const hills = `Race | Distance (miles) | Climb (feet) | Time (minutes)
Seven Hills | 14.0 | 2200 | 98.4
Bens of Jura | 16.0 | 7500 | 204.6
Cow Hill | 2.0 | 900 | 17.9
Kildcon Hill | 3.0 | 300 | 15.9`

// animals has two columns about sleep, and short words for weight.
const animals = `name | sleep_total | sleep_rem | brainwt | bodywt
Giraffe | 1.9 | 0.4 | 0.68 | 899.9
Cow | 4.0 | 0.7 | 0.42 | 600
Little brown bat | 19.9 | 2.0 | 0.00025 | 0.01`

// districts has an English header for German questions.
const districts = `name;population;population_male;area_km2
Görlitz;254894;124905;2111.4
Greiz;98159;48326;845.98`

// nameless has no names of rows.
const nameless = "mpg | cyl\n21 | 6\n21 | 6\n22.8 | 4\n18.1 | 6"

// TestAskNouns checks the words for the rows that the table does not have, or has only in some names.
func TestAskNouns(t *testing.T) {
	t.Parallel()
	var all []Source
	for title, text := range map[string]string{
		"cars.txt": cars, "Scottish hill races": hills, "msleep.csv": animals, "Kreise": strings.ReplaceAll(districts, ";", " | "), "mtcars.ods": nameless,
	} {
		all = append(all, Source{&Parse(text, "en")[0], title})
	}
	for _, test := range []struct {
		question string
		status   Status
		want     string
	}{
		{"which hill race is the longest", Answered, "`16.0 miles`, in `Bens of Jura`. Compared rows: 4"},
		{"hill races longer than 15 miles", Answered, "1 row"},
		{"how much longer is bens of jura than cow hill", Answered, "The difference is 14 miles"},
		{"race with the shortest time", Answered, "in `Kildcon Hill`"},
		{"what is the cheapest car", Answered, "in `Subaru Justy 3`"},
		{"which mammal sleeps the most", Unclear, "nothing about `mammal`. In all its rows: The highest `sleep_total` is `19.9`"},
		{"which mammal has the heaviest brain", Unclear, "The highest `brainwt` is `0.68`, in `Giraffe`"},
		{"body weight of the cow", Answered, "`bodywt` of `Cow`: `600`"},
		{"which mammals sleep less than 3 hours", Unclear, "1 row of `msleep.csv` fits `sleep_total < 3 hours`"},
		{"Wie viele Einwohner hat Görlitz?", Answered, "`population` of `Görlitz`: `254894`"},
		{"mean mpg in mtcars.ods", Answered, "The average of `mpg` in 4 rows is 20.73"},
		{"who won the cow hill race", Unclear, ""},
		{"what color is the giraffe", Unclear, "nothing about `color`."},
	} {
		got := Ask(test.question, all)
		if s := shown(got, all); got.Status != test.status || !strings.Contains(s, test.want) {
			t.Errorf("%s: got %d %q, want %d %q", test.question, got.Status, s, test.status, test.want)
		}
	}
}

// TestAskPartOfName checks a noun that is in the name of one row only: that row is named beside the result of all rows.
func TestAskPartOfName(t *testing.T) {
	t.Parallel()
	all := []Source{{&Parse(cars, "en")[0], "cu-summary"}}
	for question, want := range map[string]string{
		"what is the cheapest car":            "Only `Lincoln Town Car V8` in `cu-summary` is named `…car…`. In all its rows: The lowest `Price` is `5866`",
		"how many cars come from Sweden":      "2 of the 4 rows of `cu-summary` fit `Country = Sweden`",
		"total price of all cars from Sweden": "The sum of `Price` in 2 rows is 35445. Only rows with `Country = Sweden`",
		"cars under 6000 euro":                "1 row of `cu-summary` fits `Price < 6000 euro`",
	} {
		got := Ask(question, all)
		if s := shown(got, all); got.Status != Unclear || !got.Computed || !strings.Contains(s, want) {
			t.Errorf("%s: got %d %q, want %q", question, got.Status, s, want)
		}
	}
	if got := Ask("what does the town car cost", all); got.Status != Answered || !strings.Contains(got.Said.Message, "27986") {
		t.Errorf("a row by a part of its name: got %d %q", got.Status, got.Said.Message)
	}
}

// TestNotesAboveHeader checks spreadsheets with notes above the header and below the rows.
func TestNotesAboveHeader(t *testing.T) {
	t.Parallel()
	const sheet = "Lots of people\n\nsimply cannot resist |  |  | some notes\nat | the |  | top\nName | Age | Has kids | Died\n" +
		"Bowie | 69 | TRUE | 2016-01-10\nFisher | 60 | TRUE | 2016-12-27\nLee | 89 | FALSE | 2016-02-19\nSome\n | also like notes\n |  |  | too!"
	tables := Parse(sheet, "en")
	if len(tables) != 1 || len(tables[0].Rows) != 3 || tables[0].Columns[1].Header != "Age" || tables[0].Columns[3].Kind != Date {
		t.Fatalf("got %+v", tables)
	}
	plain := Parse("Name | Rate | Deposit | Note\nHammer | 5 | 20 | \nDrill |  |  | \nSaw | 7 | 30 | new", "en")
	if len(plain) != 1 || len(plain[0].Rows) != 3 {
		t.Errorf("a table without notes: got %+v", plain)
	}
}
