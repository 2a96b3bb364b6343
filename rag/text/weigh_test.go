package text

import (
	"slices"
	"testing"
)

// TestWeighStops: words that only ask say nothing about the subject, in each language.
func TestWeighStops(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]string{
		"Pourquoi dois-je utiliser debhelper ?":      {"utiliser", "debhelper"},
		"Wie kann ich ein Paket installieren?":       {"Paket", "installieren"},
		"¿Cómo puedo instalar un paquete en Debian?": {"instalar", "paquete", "Debian"},
		"How can I install a package?":               {"install", "package"},
		"somebody asks: procedure vs function":       {"asks", "procedure", "function"},
	} {
		var got []string
		for _, w := range Weigh(question, nil, nil) {
			got = append(got, question[w.Start:w.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
