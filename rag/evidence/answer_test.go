package evidence

import (
	"testing"

	"docent/rag/text"
)

// A question for a date, a price, or a duration needs a passage about its subject that has one.
func TestAnswerKinds(t *testing.T) {
	t.Parallel()
	const fan = "The fan of the pump was replaced by a quieter one. It needs no oil. The maker has a shop. It sells many fans. "
	for _, c := range []struct {
		question, passage string
		want              Kind
	}{
		{"When was the fan of the pump replaced?", fan, Date},
		{"When was the fan of the pump replaced?", fan + "In May 2019, the fan of the pump was replaced.", ""},
		{"In which year was the fan of the pump replaced?", "The fan of the pump was replaced two years ago.", ""},
		{"What year was the pump built?", "The pump was built around 300 BC.", ""},
		{"On what date was the pump built?", "The pump was built on 2019-03-01.", ""},
		{"How much does a fan of the pump cost?", fan, Price},
		{"How much does a fan of the pump cost?", fan + "A fan of the pump costs 80 euros.", ""},
		{"What is the price of a fan for the pump?", "The price of a fan for the pump is $80.", ""},
		{"What does the fan of the pump cost?", fan + "The fan of the pump costs nothing.", ""},
		{"Was kostet der Lüfter?", "Der Lüfter kostet nichts.", ""},
		{"yearly fee for the pump", "There is no fee for the pump.", ""},
		{"After how many days does the fan of the pump stop?", fan, Duration},
		{"default interval of the fan in seconds", fan, Duration},
		{"After how many days does the fan of the pump stop?", fan + "The fan of the pump stops after two days.", ""},
		{"After how many days does the fan of the pump stop?", fan + "The fan of the pump stops (days: 2).", ""},
		{"After how many days does the fan of the pump stop?", fan + "The fan of the pump stops. That takes 36h.", ""},
		{"How many service days does the fan of the pump get?", fan, Duration},
		{"How many service days does the fan of the pump get?", fan + "The fan of the pump gets two service days.", ""},
		{"seconds until the fan stops", "Fan stops, DELAY_SECONDS (default 30)", ""},
		{"After how many days does the fan of the pump stop?", fan + "The fan of the pump stops after fourteen days.", ""},
		{"After how many days does the fan of the pump stop?", fan + "The fan of the pump stops within two business days.", ""},
		{"How much does a fan of the pump cost?", fan + "A fan of the pump costs CHF 45.", ""},
		{"How much does a fan of the pump cost?", fan + "A fan of the pump costs 25 zł.", ""},
		{"When was the fan of the pump added?", fan + "The fan of the pump was added in version 9.", ""},
		{"When was the fan of the pump added?", fan + "The fan of the pump: since 6.0.0.", ""},
		{"When was the fan of the pump added?", fan + "The fan of the pump was added on the 3rd of March.", ""},
		{"When was the fan of the pump added?", fan + "The fan of the pump was added at 14:32.", ""},
		{"What is the cost of the fan?", fan, ""},
		{"what is the phone number of the maker of the pump", fan, Phone},
		{"what is the phone number of the maker of the pump", fan + "The maker of the pump: phone 030 1234567.", ""},
		{"phone number of the maker of the pump?", fan + "Call the maker of the pump at extension 12.", ""},
		{"how do I change the phone number of the pump", fan, ""},
		{"what is the email address of the maker of the pump?", fan, Email},
		{"what is the email address of the maker of the pump?", fan + "Write to the maker of the pump: fan@pump.example", ""},
		{"What is a price list of the fan?", fan, ""},
		{"When is the fan of the pump replaced?", fan, ""},
		{"What does the pump do when it is replaced?", fan, ""},
		{"What cost has the planner?", fan, ""},
		{"Can the cost be spread over months?", fan, ""},
	} {
		s, _ := Read(testStatic, c.question, 0, Corpus{Chunks: 3}, []Passage{passage("Pump", "Fan", c.passage)})
		if s.Without != c.want {
			t.Errorf("%s: without %q, want %q", c.question, s.Without, c.want)
		}
		if p := s.Probability(); c.want != "" && p >= minEvidence {
			t.Errorf("%s: evidence %v", c.question, p)
		}
	}
	const pumpe = "Der Lüfter der Pumpe wurde durch einen leiseren ersetzt. Er braucht kein Öl. Der Hersteller der Pumpe hat ein Geschäft. "
	for _, c := range []struct {
		question, passage string
		want              Kind
	}{
		{"Nach wie vielen Tagen hält der Lüfter der Pumpe?", pumpe, Duration},
		{"Nach wie vielen Tagen hält der Lüfter der Pumpe?", pumpe + "Nach zwei Tagen hält der Lüfter der Pumpe.", ""},
		{"Nach wie vielen Tagen hält der Lüfter der Pumpe?", pumpe + "Der Lüfter der Pumpe hält täglich.", ""},
		{"Wann wurde der Lüfter der Pumpe ersetzt?", pumpe, Date},
		{"Wann wurde der Lüfter der Pumpe ersetzt?", pumpe + "Der Lüfter der Pumpe wurde im Mai ersetzt.", ""},
		{"Wann wurde der Lüfter der Pumpe ersetzt?", pumpe + "Der Lüfter der Pumpe wurde vor zwei Jahren ersetzt.", ""},
		{"Wie lautet die Telefonnummer vom Hersteller der Pumpe?", pumpe, Phone},
		{"Wie lautet die Telefonnummer vom Hersteller der Pumpe?", pumpe + "Hersteller der Pumpe: Tel. 030 12345", ""},
	} {
		p := passage("Pumpe", "Lüfter", c.passage)
		p.Language = "de"
		if s, _ := Read(testStatic, c.question, 0, Corpus{Chunks: 3}, []Passage{p}); s.Without != c.want {
			t.Errorf("%s (%s): without %q, want %q", c.question, c.passage, s.Without, c.want)
		}
	}
	const unseen = "How many days do contractors get for a fan?"
	rare := Corpus{Chunks: 3, Terms: []text.Term{{Text: "contractor", IDF: 2.1}, {Text: "fan", IDF: .1}}}
	if s, _ := Read(testStatic, unseen, 0, rare, []Passage{passage("Pump", "Fan", "Employees get two days for a fan.")}); s.Without != Duration {
		t.Error("a duration for another subject than the one that no document mentions counts")
	}
	releases := []Passage{passage("Pump", "Release 2 (2023-04-01)", fan)}
	if s, _ := Read(testStatic, "When was the fan of the pump replaced?", 0, Corpus{Chunks: 3}, releases); s.Without != "" {
		t.Error("a date in a heading does not count")
	}
	followUp := Corpus{Chunks: 3, Asked: "Does it need oil?"}
	if s, _ := Read(testStatic, "When was the fan of the pump replaced?\nDoes it need oil?", 0, followUp, releases[:1]); s.Without != "" {
		t.Error("a follow-up is checked for the kind of the question before it")
	}
	other := []Passage{passage("Pump", "Fan", fan), passage("House", "History", "The house was built in 1990. It had a pump.")}
	if s, _ := Read(testStatic, "When was the fan of the pump replaced?", 0, Corpus{Chunks: 3}, other); s.Without != Date {
		t.Error("a date of another subject counts")
	}
}
