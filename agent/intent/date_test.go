package intent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func TestDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// Wednesday 2026-11-18 10:30 is now.
		"tomorrow at 5pm":                      "2026-11-19T17:00:00+01:00 tomorrow at 5pm [day hour]",
		"book a table for next Friday please":  "2026-11-27T00:00:00+01:00 next Friday [weekday]",
		"next Monday at 9 am":                  "2026-11-23T09:00:00+01:00 next Monday at 9 am [weekday hour]",
		"remind me on 21 Nov 2026":             "2026-11-21T00:00:00+01:00 21 Nov 2026 [year month day]",
		"in two weeks":                         "2026-12-02T00:00:00+01:00 in two weeks [day]",
		"in two weeks at 14:15":                "2026-12-02T14:15:00+01:00 in two weeks at 14:15 [day hour minute]",
		"2026-11-21 14:00":                     "2026-11-21T14:00:00+01:00 2026-11-21 14:00 [year month day hour minute]",
		"2026-11-21":                           "2026-11-21T00:00:00+01:00 2026-11-21 [year month day]",
		"2026-11-21T14:00:00Z":                 "2026-11-21T15:00:00+01:00 2026-11-21T14:00:00Z [year month day hour minute second zone]",
		"2026-07-01T14:00:00.123+00:00 it was": "2026-07-01T16:00:00+02:00 2026-07-01T14:00:00.123+00:00 [year month day hour minute second zone]",
		"call me at 14:30":                     "2026-11-18T14:30:00+01:00 14:30 [hour minute]",
		"call me at 9:30":                      "2026-11-19T09:30:00+01:00 9:30 [hour minute]",
		"November 21st":                        "2026-11-21T00:00:00+01:00 November 21st [month day]",
		"january 2":                            "2027-01-02T00:00:00+01:00 january 2 [month day]",
		"Nov 21, 2026 at 3:30 pm":              "2026-11-21T15:30:00+01:00 Nov 21, 2026 at 3:30 pm [year month day hour minute]",
		"the day after tomorrow":               "2026-11-20T00:00:00+01:00 day after tomorrow [day]",
		"last week":                            "2026-11-09T00:00:00+01:00 last week [week]",
		"3 days ago":                           "2026-11-15T00:00:00+01:00 3 days ago [day]",
		"in 3 hours":                           "2026-11-18T13:30:00+01:00 in 3 hours [day hour minute]",
		"in half an hour":                      "2026-11-18T11:00:00+01:00 in half an hour [day hour minute]",
		"tonight":                              "2026-11-18T20:00:00+01:00 tonight [day period]",
		"tonight at 8 pm":                      "2026-11-18T20:00:00+01:00 tonight at 8 pm [day hour]",
		"today":                                "2026-11-18T00:00:00+01:00 today [day]",
		"yesterday evening":                    "2026-11-17T19:00:00+01:00 yesterday evening [day period]",
		"on Friday":                            "2026-11-20T00:00:00+01:00 Friday [weekday]",
		"wednesday":                            "2026-11-25T00:00:00+01:00 wednesday [weekday]",
		"last wednesday":                       "2026-11-11T00:00:00+01:00 last wednesday [weekday]",
		"this weekend":                         "2026-11-21T00:00:00+01:00 this weekend [week weekday]",
		"21.11.2026":                           "2026-11-21T00:00:00+01:00 21.11.2026 [year month day]",
		"am 3.12. um 8:00":                     "2026-12-03T08:00:00+01:00 3.12. um 8:00 [month day hour minute]",
		"11/21/2026":                           "2026-11-21T00:00:00+01:00 11/21/2026 [year month day]",
		"03/04/2026":                           "2026-03-04T00:00:00+01:00 03/04/2026 [year month day]",
		"table for 2 people tomorrow at 8":     "2026-11-19T08:00:00+01:00 tomorrow at 8 [day hour]",
		"two tickets on the 3rd of december":   "2026-12-03T00:00:00+01:00 3rd of december [month day]",
		"noon":                                 "2026-11-18T12:00:00+01:00 noon [hour]",
		"midnight tomorrow":                    "2026-11-19T00:00:00+01:00 midnight tomorrow [day hour]",
		"next year":                            "2027-01-01T00:00:00+01:00 next year [year]",
		"next month":                           "2026-12-01T00:00:00+01:00 next month [month]",
		"in a month":                           "2026-12-18T00:00:00+01:00 in a month [day]",
		"at half past five on Friday":          "2026-11-20T05:30:00+01:00 half past five on Friday [weekday hour minute]",
		"quarter to six pm":                    "2026-11-18T17:45:00+01:00 quarter to six pm [hour minute]",
		"at 8 in the evening":                  "2026-11-18T20:00:00+01:00 8 in the evening [hour]",
		"5 o'clock tomorrow":                   "2026-11-19T05:00:00+01:00 5 o'clock tomorrow [day hour]",
		"in May":                               "2027-05-01T00:00:00+02:00 in May [month]",
		"May 2027":                             "2027-05-01T00:00:00+02:00 May 2027 [year month]",
		"14:00 UTC tomorrow":                   "2026-11-19T15:00:00+01:00 14:00 UTC tomorrow [day hour minute zone]",
		"29 February":                          "2028-02-29T00:00:00+01:00 29 February [month day]",
		"morgen um 17 Uhr":                     "2026-11-19T17:00:00+01:00 morgen um 17 Uhr [day hour]",
		"übermorgen um 17 Uhr 30":              "2026-11-20T17:30:00+01:00 übermorgen um 17 Uhr 30 [day hour minute]",
		"am Freitag":                           "2026-11-20T00:00:00+01:00 Freitag [weekday]",
		"am 21. November 2026":                 "2026-11-21T00:00:00+01:00 21. November 2026 [year month day]",
		"in zwei Wochen":                       "2026-12-02T00:00:00+01:00 in zwei Wochen [day]",
		"vor 3 Tagen":                          "2026-11-15T00:00:00+01:00 vor 3 Tagen [day]",
		"heute abend um 8":                     "2026-11-18T08:00:00+01:00 heute abend um 8 [day hour]",
		"from 9:00 to 10:00":                   "2026-11-19T09:00:00+01:00 9:00 [hour minute]; 2026-11-19T10:00:00+01:00 10:00 [hour minute]",
		"I have 3 cats":                        "",
		"may I ask you something":              "",
		"the sun is shining":                   "",
		"march to the beat":                    "",
		"at 5 places":                          "",
		"version 1.2.3 of 10.0.0.1":            "",
		"31 February 2026":                     "",
		"it scored 25:70":                      "",
		"good morning":                         "",
		"guten Morgen":                         "",
		"I am 5":                               "",
		"in 99999 years":                       "",
		"order 2026-1":                         "",
		"the second hand shop":                 "",
		"what happened?":                       "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range findDates(text, wednesday(t), "") {
				var info struct {
					Fragment string
					Given    []string
				}
				if err := json.Unmarshal([]byte(s.info), &info); err != nil {
					t.Fatal(err)
				}
				if info.Fragment != text[s.start:s.end] {
					t.Errorf("fragment %q, found %q", info.Fragment, text[s.start:s.end])
				}
				got = append(got, s.value+" "+info.Fragment+" ["+strings.Join(info.Given, " ")+"]")
			}
			if g := strings.Join(got, "; "); g != want {
				t.Errorf("got  %s\nwant %s", g, want)
			}
		})
	}
}

func TestDatesDependOn(t *testing.T) {
	t.Parallel()
	at := func(text string, now time.Time, code string) string {
		var got []string
		for _, s := range findDates(text, now, code) {
			got = append(got, s.value)
		}
		return strings.Join(got, " ")
	}
	t.Run("language", func(t *testing.T) {
		t.Parallel()
		if got := at("03/04/2026", wednesday(t), "de"); got != "2026-04-03T00:00:00+02:00" {
			t.Error(got)
		}
	})
	t.Run("zone", func(t *testing.T) {
		t.Parallel()
		tokyo, err := time.LoadLocation("Asia/Tokyo")
		if err != nil {
			t.Fatal(err)
		}
		if got := at("today", time.Date(2026, 11, 18, 20, 0, 0, 0, time.UTC).In(tokyo), ""); got != "2026-11-19T00:00:00+09:00" {
			t.Error(got)
		}
	})
	t.Run("no present", func(t *testing.T) {
		t.Parallel()
		if got := at("tomorrow, 5pm or 2026-11-21", time.Time{}, ""); got != "2026-11-21T00:00:00Z" {
			t.Error(got)
		}
	})
	t.Run("end of month", func(t *testing.T) {
		t.Parallel()
		if got := at("in a month", time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC), ""); got != "2027-02-28T00:00:00Z" {
			t.Error(got)
		}
	})
	t.Run("clock change", func(t *testing.T) {
		t.Parallel()
		if got := at("tomorrow at 2:30", wednesday(t).AddDate(0, 0, 129), ""); !strings.HasPrefix(got, "2027-03-28T03:30:00+02:00") && !strings.HasPrefix(got, "2027-03-28T01:30:00+01:00") {
			t.Error(got)
		}
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2.5": "2.5", "1,000": "1000", "1,234,567.89": "1234567.89", "I need 3": "3", "007": "7", "-5 degrees": "-5", "minus two": "-2",
		"negative 2.5": "-2.5", "twenty-one": "21", "twenty one": "21", "three hundred and five": "305", "a hundred": "100",
		"two thousand three hundred and twelve": "2312", "one million two hundred thousand": "1200000", "two and a half": "2.5",
		"one point five": "1.5", "three point one four": "3.14", "3 million": "3000000", "2.5 thousand": "2500", "zero": "0",
		"two or three": "2 3", "two three": "2 3", "3,5": "3.5", "1.000,50": "1000.50", "5kg and 7 km": "5 7", "10-20": "10 20",
		"einundzwanzig": "21", "dreihundertfünf": "305", "zweitausendfünfhundert": "2500", "eins": "1", "achtundneunzigtausend": "98000", "ein Haus": "",
		"Hundert": "100", "this one": "", "one": "1", "1.2.3": "", "10.0.0.1": "", "4x4": "", "A380": "", "14:30": "", "3/4": "",
		"no numbers here": "", "and": "", "hundred": "", "fünfhundertundeins": "501", "room 12.": "12", "(4)": "4", "1,2,3": "",
		"99999999999999999999999999999999999999": "", "ten people, two children": "10 2", "nineteen ninety": "19 90", "sixty six": "66", "٣": "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range findNumbers(text, "") {
				got = append(got, s.value)
			}
			if g := strings.Join(got, " "); g != want {
				t.Errorf("got %q, want %q", g, want)
			}
		})
	}
	if got := findNumbers("1.000 und 2,5", "de"); len(got) != 2 || got[0].value != "1000" || got[1].value != "2.5" {
		t.Errorf("German: %v", got)
	}
}

func FuzzEntities(f *testing.F) {
	for _, s := range []string{
		"table for 4 tomorrow at 5pm in Paris", "2026-11-21T14:00:00+01:00", "in 9999 years", "minus two thousand and a half", "tausendtausendhundert", "\xff\xfe 1.2,3",
		"City  Of\tLight's", "next sun 31.12. 24:00 at 24", "ſ K İ", "Ⅷ ² ٣", "the day after", "12 am Uhr 7",
	} {
		f.Add(s, uint8(0))
	}
	entities := []*Entity{
		Listed("city", Value{"Paris", []string{"city of light"}}, Value{"C++", nil}, Value{"İstanbul", []string{"ſ"}}),
		Regexp("code", `[A-Z]{2}(\d+)?`), DateTime(), Number(), Any(),
	}
	i := New("x", "N in CITY on DATE", "CITY CITY2").Parameter("city", "CITY", entities[0]).Parameter("city2", "CITY2", entities[0]).
		Parameter("when", "DATE", entities[2]).Parameter("n", "N", entities[3]).Parameter("code", "", entities[1]).Parameter("any", "ANY", entities[4])
	codes := []string{"", "en", "de", "fr"}
	now := wednesday(f)
	f.Fuzz(func(t *testing.T, text string, code uint8) {
		m := newMatcher(Request{Text: text, Intents: []*Intent{i}, Now: now, Language: codes[int(code)%len(codes)]})
		for _, e := range entities {
			for _, s := range m.spans(e) {
				if s.start < 0 || s.start >= s.end || s.end > len(text) || s.value == "" {
					t.Fatalf("%s: %+v in %q", e.Name, s, text)
				}
				if _, err := time.Parse(time.RFC3339, s.value); e.Kind == KindDateTime && err != nil {
					t.Fatalf("%q: %v", text, err)
				}
			}
		}
		matches, places := m.assign(i, i.Sentences[0])
		if len(matches) != len(i.Parameters) || matches[5].Value != nil {
			t.Fatalf("%+v", matches)
		}
		for n, s := range places {
			if s.end > 0 && slices.ContainsFunc(places[:n], func(o span) bool { return o.end > 0 && o.overlaps(s) }) {
				t.Fatalf("%q: %+v overlap", text, places)
			}
		}
		m.withFragments(i, places)
	})
}
