package talk

import (
	"strings"
	"testing"
)

func TestLeans(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"and what is it by default?":   true,
		"does it survive a restart?":   true,
		"what about indexes?":          true,
		"why?":                         true,
		"who do I phone?":              true,
		"who can help":                 true,
		"wen muss ich anrufen":         true,
		"where do i park":              false,
		"who is the works council":     false,
		"how do I remove one?":         true,
		"can users insert through it?": true,
		"is that safe?":                true,
		"how long?":                    true,
		"since when?":                  true,
		"in which version?":            true,
		"what is the default?":         true,
		"give me an example":           true,
		"what time is it?":             false,
		"what time is it in Berlin?":   false,
		"great answer":                 false,
		"can you help me?":             false,
		"what is your name?":           false,
		"are you a human?":             false,
		"do you like music?":           false,
		"I need help":                  false,
		"hallo":                        false,
		"lol":                          false,
		"what is vacuum?":              false,
		"what is work_mem?":            false,
		"UNION or UNION ALL":           false,
		"How many columns can a table have at most?":           false,
		"max number of columns in one index?":                  false,
		"which role lets someone read every table?":            false,
		"how do I create a backup that is ready to start?":     false,
		"now() and clock_timestamp() return other values":      false,
		"What is a token in docent and how is it created?":     false,
		"What is a token in docent and how do I create one?":   false,
		"What is the capital of Mongolia and its population?":  false,
		"what is vacuum, and is it safe?":                      false,
		"I use zlib for the logs. What does it return?":        false,
		"does Postgres log its errors?":                        false,
		"and how is it created?":                               true,
		"and how do I pause a source?":                         false,
		"and where can I find an older version?":               false,
		"Und wie pausiere ich eine Quelle?":                    false,
		"and how do I set a limit for it?":                     true,
		"and how do I start the server?":                       true,
		"and how many days in Germany?":                        true,
		"Und wie richte ich damit eine Quelle ein?":            true,
		"can I stop and restart it?":                           true,
		"what is the default, and does it matter?":             true,
		"are the users and their passwords in there too?":      true,
		"is it safe and does it last?":                         true,
		"how is that done and what does it cost?":              true,
		"does the owner obey them as well?":                    true,
		"what if that disk dies, do I lose only those?":        true,
		"can I require any two of three?":                      true,
		"which of the two works without a file?":               true,
		"which of the two servers needs root?":                 false,
		"how do I sort the rows of two tables?":                false,
		"Und wie richte ich es danach ein?":                    true,
		"Wie richte ich es ein?":                               true,
		"Wie kann man sie löschen?":                            true,
		"Funktioniert das auch mit Debian?":                    true,
		"Warum?":                                               true,
		"Et comment le configurer ?":                           true,
		"Comment l'installer ?":                                true,
		"Est-ce que cela fonctionne avec Debian ?":             true,
		"¿Y en Debian?":                                        true,
		"¿Cómo lo instalo?":                                    true,
		"¿Cómo puedo configurarlo?":                            true,
		"Wie viele Partitionen gibt es?":                       false,
		"Können Sie mir die Installation erklären?":            false,
		"Was ist das Paket apt?":                               false,
		"Wie richte ich ISDN bei der Installation ein?":        false,
		"Welche Pakete gibt es und wie installiere ich sie?":   false,
		"Y2K problems in the date type":                        false,
		"Il faut combien de mémoire pour installer Debian ?":   false,
		"Comment installer le paquet apt ?":                    false,
		"Où se trouve le fichier de configuration de restic ?": false,
		"¿Qué es restic?":                                      false,
		"¿Cuánta memoria necesita el instalador?":              false,
		"What does ls -la do?":                                 false,
		"Où est le fichier ?":                                  false,
		"Who is Carlos?":                                       false,
		"Who is Lo?":                                           false,
		"cannot drop table because other objects depend on it, it says so in the long message of the server": false,
	} {
		if got := Leans(question); got != want {
			t.Errorf("%q leans: %v", question, got)
		}
	}
}

func TestSearchText(t *testing.T) {
	t.Parallel()
	turns := []Turn{
		{User, "what is vacuum?"},
		{Assistant, "Older: NOT_THIS."},
		{User, "how can I stop long queries?"},
		{Assistant, "Nor THIS_ONE."},
		{User, "thanks"},
		{User, "and for my session?"},
		{Assistant, "Set statement_timeout [1] or use SET LOCAL; statement_timeout counts. " + strings.Repeat("It is long. ", 30)},
	}
	const question = "and what is it by default?"
	got := SearchText(question, turns)
	want := "how can I stop long queries?\nand for my session?\nSet statement_timeout or use SET LOCAL; statement_timeout counts. It is long."
	rest := " It is long.\nstatement_timeout SET LOCAL\n" + question
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, rest) || len(got) > len(want)+len(rest)+maxOpening {
		t.Errorf("got %q, want %q … %q", got, want, rest)
	}
	short := "how can I stop long queries?\nand for my session?\nstatement_timeout SET LOCAL\n" + question
	if got := AskedText(question, turns); got != short {
		t.Errorf("asked %q, want %q", got, short)
	}
	for answer, want := range map[string]string{
		"":                                 "how long?\n",
		"I don't know. SOME_NAME is near.": "how long?\n",
		strings.Repeat("ä", 200):           "how long?\n" + strings.Repeat("ä", 150) + "\n",
	} {
		if got := SearchText(question, []Turn{{User, "how long?"}, {Assistant, answer}}); got != want+question {
			t.Errorf("behind %q got %q", answer, got)
		}
	}
	if got := SearchText("what is the default of work_mem?", turns); got != "what is the default of work_mem?" {
		t.Errorf("a question that stands alone became %q", got)
	}
	if got := SearchText("why?", nil); got != "why?" {
		t.Errorf("without turns it became %q", got)
	}
}

// A pronoun stands for the subject of the last question for a definition, unless another
// question of its own came later.
// TestUnknownAnswer: an answer that may say nothing about its question says nothing about the next one.
func TestUnknownAnswer(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"I don't know. I searched.", "Das weiß ich nicht. Nichts.", "These passages come closest. They may not answer the question.\n\nThe valve is red. [1]",
		"Diese Stellen kommen der Frage am nächsten. Vielleicht beantworten sie sie nicht.\n\nThe valve is red. [1]",
	} {
		turns := []Turn{{Role: User, Text: "How do I clean the pump?"}, {Role: Assistant, Text: answer}}
		if got, want := SearchText("how long does it take?", turns), "How do I clean the pump?\nhow long does it take?"; got != want {
			t.Errorf("after %q: %q", answer, got)
		}
	}
}

func TestNamedSubject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, want string
		before         []string
	}{
		{"What are its disadvantages?", "What are WAL mode's disadvantages?", []string{"What is WAL mode?"}},
		{"How do I turn it on?", "How do I turn WAL mode on?", []string{"What is WAL mode?", "thanks", "and what does it cost?"}},
		{"does it keep empty fields?", "does string join keep empty fields?", []string{"what does string split do?", "and string join?"}},
		{"does it cost $1?", "does $1 cost $1?", []string{"what is $1?"}},
		{"How do I turn it on?", "", []string{"What is WAL mode?", "How large is a page?"}},
		{"Does it make sense to use another mode?", "", []string{"What is WAL mode?"}},
		{"how long does it take to reboot?", "", []string{"What is WAL mode?"}},
		{"Is it possible to migrate?", "", []string{"What is WAL mode?"}},
		{"How do I start the daemon and stop it?", "", []string{"What is WAL mode?"}},
		{"Can I change it?", "Can I change WAL mode?", []string{"What is WAL mode?", "What are the limits?"}},
		{"Is it fast?", "Is WAL mode fast?", []string{"What is WAL mode?", "Why?"}},
		{"When it fails, how do I turn it on?", "", []string{"What is WAL mode?"}},
		{"How do I turn it on?", "", nil},
	} {
		var turns []Turn
		for _, q := range c.before {
			turns = append(turns, Turn{User, q}, Turn{Assistant, "An answer."})
		}
		if got, ok := named(c.question, turns); got != c.want || ok != (c.want != "") {
			t.Errorf("%s after %q: %q", c.question, c.before, got)
		}
	}
	turns := []Turn{{User, "What is WAL mode?"}, {Assistant, "A mode."}}
	if got := SearchText("What are its disadvantages?", turns); got != "What are WAL mode's disadvantages?" {
		t.Errorf("the search is for %q", got)
	}
}

// TestAnswerInOtherLanguage: a German question on English documents is searched without the words of the English answer.
func TestAnswerInOtherLanguage(t *testing.T) {
	t.Parallel()
	turns := []Turn{{User, "Wie installiere ich die Pumpe?"}, {Assistant, "The pump is for the tank, and it has a seal."}}
	if got := SearchText("und wie viel kostet sie?", turns); strings.Contains(got, "tank") {
		t.Errorf("it searches for %q", got)
	}
	if got := SearchText("how much does it cost?", turns); !strings.Contains(got, "tank") {
		t.Errorf("it searches for %q", got)
	}
}
