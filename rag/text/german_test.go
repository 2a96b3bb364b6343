package text

import "testing"

func TestGermanRoot(t *testing.T) {
	same := [][]string{
		{"verschlüsseln", "verschlüsselt", "Verschlüsselung", "verschluesseln"},
		{"drucken", "Drucker", "druckt", "druckern"},
		{"Einstellung", "einstellen", "Einstellungen", "einstellt"},
		{"Datei", "Dateien"},
		{"Konto", "Kontos"},
		{"prüfen", "Pruefung", "prüft"},
		{"Seite", "Seiten"},
		{"neue", "neuen", "neues"},
		{"Zahlung", "zahlen", "zahlt"},
		{"anmelden", "Anmeldung"},
	}
	of := AnalysisOf("de")
	for _, words := range same {
		want := of.Words(words[0])[0].Stem
		for _, w := range words[1:] {
			if got := of.Words(w)[0].Stem; got != want {
				t.Errorf("the root of %s is %q, not %q as of %s", w, got, want, words[0])
			}
		}
	}
	for participle, verb := range map[string]string{
		"gelöscht": "löschen", "angemeldet": "anmelden", "abzuschalten": "abschalten", "gespeicherte": "speichern", "geloescht": "löschen",
	} {
		if got, want := of.Words(participle)[0].Also, of.Words(verb)[0].Stem; got != want {
			t.Errorf("the other root of %s is %q, not %q", participle, got, want)
		}
	}
	for _, apart := range [][2]string{{"Datei", "Daten"}, {"Gerät", "raten"}} {
		if a, b := of.Words(apart[0])[0].Stem, of.Words(apart[1])[0].Stem; a == b {
			t.Errorf("%s and %s have one root: %s", apart[0], apart[1], a)
		}
	}
}
