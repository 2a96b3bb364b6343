package talk

import "testing"

func TestContinues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ earlier, message, whole, part string }{
		{"how large is the fuel tank of the Heron 42?", "no, I meant the 36", "how large is the fuel tank of the Heron 36?", "36"},
		{"wann fängt Aquafitness an", "nein das sanfte", "wann fängt Aquafitness an\ndas sanfte", "das sanfte"},
		{"printer roll width of the kiosk", "no i mean the old one in the childrens room", "printer roll width of the kiosk\nthe old one in the childrens room", "the old one in the childrens room"},
		{"how deep is the diving pool", "depth in metres i mean", "how deep is the diving pool\ndepth in metres", "depth in metres"},
		{"how many vacation days do I get?", "what about sick leave?", "how many vacation days do I get?\nsick leave", "sick leave"},
		{"How many days of leave do we get", "what about when im sick", "How many days of leave do we get\nwhen im sick", "when im sick"},
		{"install on Ubuntu", "and for Windows?", "install on Windows", "for Windows"},
		{"Which ports does Postgres use?", "what about Redis?", "Which ports does Redis use?", "Redis"},
		{"install on ubuntu", "fedora", "install on ubuntu\nfedora", "fedora"},
		{"E21", "what should I do", "E21\nwhat should I do", ""},
		{"how do I stop it", "no, how do I start the engine?", "how do I start the engine", "how do I start the engine"},
		{"how much memory do I need without a desktop", "and with?", "how much memory do I need with a desktop", "how much memory do I need with a desktop"},
		{"Wie viel Speicher brauche ich ohne Desktop?", "und mit?", "Wie viel Speicher brauche ich mit Desktop?", "Wie viel Speicher brauche ich mit Desktop?"},
		// These stand alone.
		{"how long is the pier", "how deep is the harbor at low tide?", "", ""},
		{"how long is the pier", "SELECT a FROM b;", "", ""},
		{"how long is the pier", "my engine does not start in the morning", "", ""},
		{"how long is the pier", "thanks", "", ""},
		{"hello", "fedora", "", ""},
	} {
		got, ok := Continues(c.message, []Turn{{User, c.earlier}, {Assistant, "An answer."}})
		if ok != (c.whole != "") || got.Whole != c.whole || got.Part != c.part {
			t.Errorf("%q after %q: %+v %v, want %q and %q", c.message, c.earlier, got, ok, c.whole, c.part)
		}
	}
	turns := []Turn{
		{User, "Which ports does Postgres use?"}, {Assistant, "5432."}, {User, "source?"}, {Assistant, "The manual."}, {User, "and Redis?"}, {Assistant, "6379."},
	}
	if got, _ := Continues("no, I meant Kafka", turns); got.Whole != "Which ports does Kafka use?" {
		t.Errorf("the question became %q", got.Whole)
	}
}
