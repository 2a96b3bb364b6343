package evidence

import (
	"testing"

	"docent/rag/text"
)

// TestForeign: other languages than English are compared by their letters, and names by their capitals where these mark names.
func TestForeign(t *testing.T) {
	t.Parallel()
	german := []Passage{passage("Handbuch", "Dateisysteme", "Der Installer unterstützt mehrere Dateisysteme. Für die Partition empfehlen wir ext4. "+
		"Ein vergessenes Passwort lässt sich im Rettungsmodus ändern.")}
	spanish := []Passage{passage("Manual", "Paquetes", "Para instalar un paquete en Debian, use el comando apt. Un paquete virtual no tiene archivos. "+
		"Los usuarios pueden deshacer la última acción.")}
	for _, test := range []struct {
		question string
		passages []Passage
		answers  bool
	}{
		{"Welches Dateisystem unterstützt der Installer?", german, true},
		{"Wie lässt sich das vergessene Passwort ändern?", german, true},
		{"Wie richte ich einen Minecraft-Server ein?", german, false},
		{"Was kostet die Wartung im Jahr?", german, false},
		{"¿Cómo instalo un paquete en Debian?", spanish, true},
		{"¿Cómo deshacer la última acción?", spanish, true},
		{"¿Cómo instalo Photoshop en Debian?", spanish, false},
		{"¿Cuántos usuarios tiene Debian en Argentina?", spanish, false},
		{"What was the price of the maintenance?", []Passage{passage("Manual", "Repair", "The installer repairs a partition in rescue mode.")}, false},
	} {
		for i := range test.passages {
			test.passages[i].Language = text.Language(test.question)
		}
		e := evidenceOf(test.question, nil, test.passages)
		if (e >= minEvidence) != test.answers {
			t.Errorf("%q: %.2f", test.question, e)
		}
	}
}

// TestOtherLanguage: documents in another language share few words with the question. A question without clear words of a
// language is in that of the documents, and one document can mix languages.
func TestOtherLanguage(t *testing.T) {
	t.Parallel()
	const german, english = "Der Installer unterstützt mehrere Dateisysteme, und die Partition ist dann bereit.",
		"The installer supports several file systems, and the partition is then ready for you."
	for _, test := range []struct {
		question, text, language string
		foreign, other           bool
	}{
		{"Welches Dateisystem unterstützt der Installer?", german, "de", true, false},
		{"Welches Dateisystem unterstützt der Installer?", english, "en", true, true},
		{"Welches Dateisystem unterstützt der Installer?", english, "de", true, false},
		{"Dateisystem Installer", german, "de", true, false},
		{"Dateisystem Installer", "Installer | ext4", "", false, false},
		{"Which file system does the installer support?", german, "de", false, true},
		{"Which file system does the installer support?", english, "", false, false},
	} {
		p := passage("Manual", "", test.text)
		p.Language = test.language
		s, _ := Read(testStatic, test.question, 0, Corpus{Chunks: 3}, []Passage{p})
		if s.Foreign != test.foreign || s.Other != test.other {
			t.Errorf("%s in %q (%s): foreign %v, other %v", test.question, test.text, test.language, s.Foreign, s.Other)
		}
	}
}

func TestResemblance(t *testing.T) {
	t.Parallel()
	words := []string{"landesverfassung", "tesla", "apotheken", "passwort"}
	for word, least := range map[string]float64{"Verfassung": 1, "Teslas": .7, "Apothekengesetzgebung": .3, "Rootpasswort": .6} {
		if r := resemblance(word, words); r < least || r > 1 {
			t.Errorf("%s: %.2f", word, r)
		}
	}
	for _, word := range []string{"Sepsis", "ab", ""} {
		if r := resemblance(word, words); r > .1 {
			t.Errorf("%s: %.2f", word, r)
		}
	}
}

func TestMarksNames(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"Who is the head of Canonical?":        true,
		"¿Quién es el director de Canonical?":  true,
		"Wer ist der Leiter von Canonical?":    false,
		"Fatal Error Authentication Failed":    false,
		"Кто является директором Canonical?":   true,
		"Qui est le directeur de Canonical ?":  true,
		"Wie is de directeur van Canonical nu": true,
	} {
		if got := readQuestion(question, nil).marksNames(); got != want {
			t.Errorf("%s: %v", question, got)
		}
	}
}

// TestEvidenceOfSharedWords: in another language than the passages, similar letters are no evidence without shared words.
func TestEvidenceOfSharedWords(t *testing.T) {
	t.Parallel()
	passages := []Passage{{Heading: "Service plan", Text: "Every 100 hours, change the oil and the oil filter of the motor. A new one costs 24 €. The guarantee of the hull is five years.", Language: "en"}}
	for question, answered := range map[string]bool{
		"was kostet der Ölfilter":                  false,
		"wie lange ist die Garantie auf den Motor": false,
		"Was ist der Motor?":                       true,
	} {
		s, _ := Read(testStatic, question, 0, Corpus{Chunks: 3}, passages)
		if !s.Other {
			t.Errorf("%q: not in another language", question)
		}
		if e := s.Probability(); e >= minEvidence != answered {
			t.Errorf("%q: %v, %+v", question, e, s)
		}
	}
}
