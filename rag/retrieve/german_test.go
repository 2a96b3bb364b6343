package retrieve_test

import (
	"testing"

	"docent/rag/retrieve"
)

func TestInEnglish(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"wie groß darf eine Datei sein?":        "how big size may a file be maximum?",
		"wie lösche ich Dokumente":              "how delete i document",
		"Benutzerkonto gesperrt":                "account block lock",
		"wie lege ich einen Benutzer an":        "how create i a use user ",
		"wie setze ich das Passwort zurück":     "how reset i the password ",
		"welche Dateiformate":                   "what which file format",
		"wie loesche ich ein Passwort":          "how delete i a password",
		"was kostet die Software":               "what cost the software",
		"wann endet die Frist":                  "when end the deadline",
		"Quarzuhrwerk schmiert Zahnradgetriebe": "",
	} {
		if got := retrieve.InEnglish(question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}
