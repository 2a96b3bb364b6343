package retrieve_test

import (
	"slices"
	"testing"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

func TestSlips(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"colum": "column", "pasword": "password", "allready": "already", "loction": "location",
		"pgbouncer": "", "kubernetes": "", "work_mem": "", "uuidv7": "", "default": "", "cat": "", "Österreich": "", "conn": "",
	} {
		got := ""
		for _, s := range retrieve.Slips(newStatic(t), text) {
			got = s.Meant()
		}
		if got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
}

func FuzzSlips(f *testing.F) {
	for _, s := range []string{"valeu of colum", "\xffabcde", "ﬁeldd", "İstanbull"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range retrieve.Slips(newStatic(t), text) {
			if s.Start < 0 || s.End > len(text) || s.Start >= s.End || s.Meant() == "" {
				t.Fatalf("%+v in %q", s, text)
			}
		}
	})
}

func TestAbbreviations(t *testing.T) {
	t.Parallel()
	got := retrieve.Slips(newStatic(t), "days off a yr, avg")
	if len(got) != 2 || got[0].Meant() != "year" || got[1].Meant() != "average" {
		t.Errorf("%+v", got)
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"wifi": "wi-fi", "e-mail": "email", "setpoint": "set-point", "password": "", "work_mem": "", "the": "", "B77": "",
	} {
		got := retrieve.Variants(newStatic(t), text)
		if found := slices.Contains(got, want); want == "" && len(got) > 0 || want != "" && !found {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestInGerman: a German question is searched with umlauts and whole verbs, if the documents have them.
func TestInGerman(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	const body = "Zum Herunterfahren den Rechner sichern. Regelmäßige Aufgaben kann man abschalten. Neue Benutzer liest die Quelle."
	c.put(t, corpus.Document{Source: "/rechner", Title: "Rechner", Language: "de"}, corpus.Chunk{Text: body, End: len(body)})
	r := load(t, c, "")
	for question, want := range map[string]string{
		"wie fahre ich den Rechner runter":          "wie fahre ich den Rechner herunterfahren",
		"wie schalte ich regelmaessige Aufgaben ab": "wie schalte ich regelmässige Aufgaben abschalten",
		"wie lege ich neue Benutzer an":             "wie lege ich neue Benutzer an",
	} {
		if got := ask(t, r, retrieve.Query{Question: question}).Question; got != want {
			t.Errorf("%q is searched as %q, want %q", question, got, want)
		}
	}
}

func TestCalm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"what is a hAnDsHaKe": "what is a handshake", "QueryRow and isReady": "QueryRow and isReady", "PostgreSQL": "PostgreSQL",
		"getUserById": "getUserById", "eBPF on macOS": "eBPF on macOS", "PaSsWoRd!": "password!",
	} {
		if got := retrieve.Calm(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestRespelled: a question is searched in the spelling of the documents. A word is not divided into words that only stand
// apart.
func TestRespelled(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	for title, text := range map[string]string{
		"Guide": "The Wi-Fi code changes each Monday. The set point of the boiler is 60. Send an email to the office.",
		"Feed":  "Ed adds the fe to the table. The year ends in winter.",
	} {
		c.put(t, corpus.Document{Source: "/" + title, Title: title}, corpus.Chunk{Text: text, End: len(text)})
	}
	r := load(t, c, "")
	for question, want := range map[string]string{
		"wifi code": "wi-fi code", "setpoint": "set-point", "e-mail": "email", "feed": "feed", "once a yr": "once a year", "hAnDsHaKe": "handshake",
		"Was ist im lager": "what is in store", // in English documents
	} {
		if got := ask(t, r, retrieve.Query{Question: question}).Question; got != want {
			t.Errorf("%q is searched as %q, want %q", question, got, want)
		}
	}
}
