package talk

import "testing"

func TestLeans(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"and what is it by default?":   true,
		"does it survive a restart?":   true,
		"what about indexes?":          true,
		"why?":                         true,
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
		"How many columns can a table have at most?":                                                         false,
		"max number of columns in one index?":                                                                false,
		"which role lets someone read every table?":                                                          false,
		"how do I create a backup that is ready to start?":                                                   false,
		"now() and clock_timestamp() return other values":                                                    false,
		"What is a token in docent and how is it created?":                                                   false,
		"What is a token in docent and how do I create one?":                                                 false,
		"What is the capital of Mongolia and its population?":                                                false,
		"what is vacuum, and is it safe?":                                                                    false,
		"I use zlib for the logs. What does it return?":                                                      false,
		"does Postgres log its errors?":                                                                      false,
		"and how is it created?":                                                                             true,
		"can I stop and restart it?":                                                                         true,
		"what is the default, and does it matter?":                                                           true,
		"are the users and their passwords in there too?":                                                    true,
		"is it safe and does it last?":                                                                       true,
		"how is that done and what does it cost?":                                                            true,
		"does the owner obey them as well?":                                                                  true,
		"what if that disk dies, do I lose only those?":                                                      true,
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
		{User, "zero"},
		{User, "one"},
		{Assistant, "Older: NOT_THIS."},
		{User, "how can I stop long queries?"},
		{User, "three"},
		{Assistant, "Set statement_timeout [1] or use SET LOCAL in a transaction; statement_timeout counts."},
	}
	want := "one\nhow can I stop long queries?\nthree\nstatement_timeout SET LOCAL\nand what is it by default?"
	if got := SearchText("and what is it by default?", turns); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := SearchText("what is the default of work_mem?", turns); got != "what is the default of work_mem?" {
		t.Errorf("a question that stands alone became %q", got)
	}
	if got := SearchText("why?", nil); got != "why?" {
		t.Errorf("without turns it became %q", got)
	}
}
