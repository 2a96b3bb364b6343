package talk

import (
	"slices"
	"testing"
)

func TestParts(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		"how many vacation days do I get and what is the price of the oil filter": {"how many vacation days do I get", "what is the price of the oil filter"},
		"hi! two things: sunday supplement? and how long is my leave valid":       {"sunday supplement?", "how long is my leave valid"},
		"How often do I calibrate? How long does a ph probe last?":                {"How often do I calibrate?", "How long does a ph probe last?"},
		"darf man rauchen? und fotos machen?":                                     {"darf man rauchen?", "darf man fotos machen?"},
		"wie oft kann ich verlängern und wie viele sachen darf ich haben":         {"wie oft kann ich verlängern", "wie viele sachen darf ich haben"},
		"was kostet bronze und wann gehts los":                                    nil,
		// One question.
		"What is a token in docent and how is it created?":             nil,
		"My guest network stops every day. Why?":                       nil,
		"I use zlib for the logs. What does it return?":                nil,
		"Which tables are large and slow?":                             nil,
		"when and how do I back up the server?":                        nil,
		"Can I see which user signed in and when the session started?": nil,
		"What is the difference between TCP and UDP?":                  nil,
		"Is there a limit for uploads? If so, which?":                  nil,
		"How do I copy and paste a row?":                               nil,
		"what is the name of the file and what must I write in it?":    nil,
		"kids and dogs": nil,
		"???":           nil,
		"":              nil,
	} {
		if got := Parts(message); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestGist(t *testing.T) {
	t.Parallel()
	const letter = "Dear Sir or Madam,\n\nlast Sunday we visited your pool with our grandchildren, and apart from the long queue we enjoyed the day very much. " +
		"The chips were excellent. My sister gave us two vouchers, which were bought in 2024. We live far away.\n" +
		"Could you tell me whether they are still good?\n\nKind regards\nElfriede M."
	for message, want := range map[string]string{
		letter: "last Sunday we visited your pool with our grandchildren, and apart from the long queue we enjoyed the day very much. The chips were excellent. My sister gave us two vouchers, which were bought in 2024. We live far away. Could you tell me whether they are still good?",
		"2026-06-03 05:52:10 DOSER INFO start\n2026-06-03 05:53:11 DOSER ALARM E-02\n2026-06-03 05:53:12 DOSER STATE stopped\n?? what now": "DOSER ALARM E-02",
		"app[22]: ERROR sync: 503\napp[22]: WARN retry\napp[22]: FATAL quota missing LZ-4410\nwhat does LZ-4410 mean":                      "what does LZ-4410 mean",
		"> Hi all\n> karim has the plan\n> greetings jo\n\ndont know what to tell them, how many kids fit on a lane?":                      "how many kids fit on a lane?",
		"how do I start the pump?":                "",
		"INSERT INTO a\nVALUES (1)\nRETURNING id": "",
		"": "",
	} {
		if got := Gist(message); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", message, got, want)
		}
	}
}

// FuzzParts: parts are never empty, and neither function fails.
func FuzzParts(f *testing.F) {
	f.Add("hi! two things: a? and b")
	f.Add("> \xff?\nERROR\n\nwas ist los?")
	f.Fuzz(func(t *testing.T, message string) {
		parts := Parts(message)
		if len(parts) == 1 || len(parts) > maxParts || slices.Contains(parts, "") {
			t.Errorf("%q: %q", message, parts)
		}
		_ = Gist(message)
	})
}
