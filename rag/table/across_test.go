package table

import "testing"

// bikes has a column for each product.
const bikes = `|  | Kestrel City | Kestrel Cargo | Strand Fold |
|---|---|---|---|
| Battery | 500 Wh | 725 Wh | 250 Wh |
| Weight | 23.5 kg | 38 kg | 16.9 kg |
| Belt drive | yes | no | no |
| Leasing per month | 79 € | 129 € | 54 € |`

// machine has the properties of one thing.
const machine = `Property | Value
Power | 1450 W
Water tank | 2.4 l
Noise level | 62 dB(A)
Dimensions | 29 x 46 x 38 cm`

// hours has texts only.
const hours = `Wochentag | Hauptstelle | Zweigstelle Nord
Montag | geschlossen | 10:00–13:00
Dienstag | 10:00–18:00 | 14:00–18:00
Mittwoch | 10:00–18:00 | geschlossen`

// roster has weeks and people.
const roster = `Week | From | To | Primary | Backup
50 | 7 Dec 2026 | 13 Dec 2026 | Ravi | Ilse
51 | 14 Dec 2026 | 20 Dec 2026 | Samuel | Ravi
52 | 21 Dec 2026 | 27 Dec 2026 | Ravi | Ilse`

// TestAcross: comparisons side by side, lists of properties, and tables of texts.
func TestAcross(t *testing.T) {
	t.Parallel()
	var all []Source
	for _, s := range []struct{ title, language, text string }{
		{"Company bikes", "en", bikes},
		{"Barista Pro 700", "en", machine},
		{"Öffnungszeiten", "de", hours},
		{"On-call roster", "en", roster},
	} {
		tables := Parse(s.text, s.language)
		for i := range tables {
			all = append(all, Source{&tables[i], s.title})
		}
	}
	for question, want := range map[string]string{
		"which bike has the cheapest leasing?":         "The lowest `Leasing per month` is `54 €`, in `Strand Fold`. Compared rows: 3.\nStrand Fold | 54 € | ",
		"bikes under 25 kg":                            "2 rows of `Company bikes` fit `Weight < 25 kg`.\nKestrel City | 23.5 kg | \nStrand Fold | 16.9 kg | ",
		"which models have a belt drive":               "1 row of `Company bikes` fits `Belt drive = yes`.\nKestrel City | yes | ",
		"battery of the kestrel cargo":                 "`Battery` of `Kestrel Cargo`: `725 Wh`.\nKestrel Cargo | 725 Wh | ",
		"top speed of the Kestrel Cargo?":              "The table in `Company bikes` has nothing about `speed`.\nKestrel Cargo | 725 Wh | 38 kg | no | 129 € | ",
		"how loud is the barista pro 700":              "`Noise level` of `Barista Pro 700`: `62 dB(A)`.\nValue | 62 dB(A) | ",
		"water tank size barista":                      "`Water tank` of `Barista Pro 700`: `2.4 l`.\nValue | 2.4 l | ",
		"wann hat die hauptstelle am dienstag auf":     "`Hauptstelle` of `Dienstag`: `10:00–18:00`.\nDienstag | 10:00–18:00 | ",
		"wann ist die zweigstelle nord geschlossen":    "1 row of `Öffnungszeiten` fits `Zweigstelle Nord = geschlossen`.\nMittwoch | geschlossen | ",
		"how often is Ravi primary":                    "2 of the 3 rows of `On-call roster` fit `Primary = Ravi`.\n50 | Ravi | \n52 | Ravi | ",
		"who is on call on 25 december":                "1 row of `On-call roster` fits `From < 25 december`, `To ≥ 25 december`.\n52 | 21 Dec 2026 | 27 Dec 2026 | Ravi | Ilse | ",
		"who sells week 51":                            "The table in `On-call roster` has nothing about `sells`.\n51 | 14 Dec 2026 | 20 Dec 2026 | Samuel | Ravi | ",
		"who is on call in week 51":                    "1 row of `On-call roster` fits `Week = 51`.\n51 | 14 Dec 2026 | 20 Dec 2026 | Samuel | Ravi | ",
		"how often is the water tank cleaned":          "The table in `Barista Pro 700` has nothing about `often`.\nValue | 2.4 l | ",
		"what is the average noise of the coffee shop": "",
	} {
		reply := Ask(question, all)
		got := ""
		if reply.Status == Answered || reply.Near {
			got = shown(reply, all)
		}
		if got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", question, got, want)
		}
	}
}

// TestAcrossOnlyOnce: a table whose columns have types stays as it is.
func TestAcrossOnlyOnce(t *testing.T) {
	t.Parallel()
	for _, text := range []string{fleet, lager, years, hours, "Setting | Default\nport | 8080\ntimeout | 30 s\nname | docent"} {
		if tables := Parse(text, ""); len(tables) != 1 || tables[0].Turned {
			t.Errorf("it was turned: %.40q", text)
		}
	}
}
