package pipeline

import (
	"slices"
	"testing"

	"docent/rag/retrieve"
)

func TestConflict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, passage, clause string }{
		{"", "The cache holds 1,600 entries for 5 minutes.", "The cache holds 1600 entries for 300 seconds."},
		{"", "The cache takes four megabytes.", "The cache takes 4 MB."},
		{"number", "The cache takes four megabytes.", "The cache takes 4 GB."},
		{"number", "The cache holds entries for 5 minutes.", "The cache holds entries for 5 seconds."},
		{"", "The disk is 90 percent full.", "The disk is 90% full."},
		{"number", "The disk is 90 percent full.", "The disk is 95% full."},
		{"number", "The queue has 7 levels. The cache keeps entries for 9 days.", "The cache keeps entries for 7 days."},
		{"", "Each of 4 workers sends 25 messages.", "All of the 4 workers send 100 messages."},
		{"number", "Version 2.1.3 removed the option.", "Version 2.1.4 removed the option."},
		{"", "Der Tank fasst 1.000 Liter.", "Der Tank fasst 1000 Liter."},
		{"", "Der Tank fasst 1000 Liter.", "Inhalt: 1.000 Liter"},
		{"number", "Der Index ist 15 GB groß.", "Der Index ist 1,5 GB groß."},
		{"number", "The index takes 15 GB.", "The index takes 1,5 GB."},
		{"", "The index takes 1.5 GB of the disk.", "Der Index braucht 1,5 GB auf der Platte."},
		{"number", "Der Tank fasst 1.000 Liter.", "Der Tank fasst 1,0 Liter."},
		{"", "Pass --quiet to hide the list in /etc/hosts.", "The option --quiet hides the list in /etc/hosts."},
		{"name", "Pass --quiet to hide the list in /etc/hosts.", "The option --silent hides the list."},
		{"name", "Pass --quiet to hide the list in /etc/hosts.", "The option hides the list in /etc/services."},
		{"name", "The transfer uses TLS.", "The transfer uses DTLS."},
		{"", "The cache is flushed within 5 seconds.", "A 5-second timeout flushes the cache."},
		{"negation", "The daemon does not write the log.", "The daemon writes the log."},
		{"negation", "The daemon writes the log.", "The daemon never writes the log."},
		{"", "The daemon opens the socket, but does not write the log.", "The daemon opens the socket."},
		{"", "Since version 2, the list of domains is unlimited.", "There is no limit to the list of domains."},
		{"negation", "Der Dienst schreibt kein Protokoll.", "Der Dienst schreibt ein Protokoll."},
		{"quantifier", "Some packages ship a manual.", "All packages ship a manual."},
		{"quantifier", "Every package ships a manual.", "Only this package ships a manual."},
		{"quantifier", "Only this package ships a manual.", "Every package ships a manual."},
		{"", "Every package ships a manual.", "All packages ship a manual."},
		{"quantifier", "Viele Pakete enthalten ein Handbuch.", "Alle Pakete enthalten ein Handbuch."},
		{"modality", "The server may close the connection.", "The server must close the connection."},
		{"", "The server must close the connection.", "The server has to close the connection."},
		{"modality", "Der Server sollte die Verbindung schließen.", "Der Server muss die Verbindung schließen."},
		{"opposite", "The delay grows after the restart.", "The delay grows before the restart."},
		{"opposite", "Das Archiv wird öfter erneuert.", "Das Archiv wird seltener erneuert."},
		{"opposite", "Der Wert ist größer als vorher.", "Der Wert ist kleiner als vorher."},
	} {
		checker := newChecker(testStatic, []retrieve.Result{passage(1, "", "", c.passage)})
		if got := checker.conflict(c.clause, []int{1}); got != c.rule {
			t.Errorf("%q of %q: rule %q, want %q", c.clause, c.passage, got, c.rule)
		}
	}
}

func TestClauses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"The cache holds entries, and the queue keeps messages.":       {"The cache holds entries", "the queue keeps messages."},
		"Der Dienst startet sofort; die Warteschlange bleibt leer.":    {"Der Dienst startet sofort", "die Warteschlange bleibt leer."},
		"The client must reconnect, which usually takes five minutes.": {"The client must reconnect", "usually takes five minutes."},
		"The cache is fast, and cheap.":                                {"The cache is fast, and cheap."},
		"I don't know the upper limit, but the default value is 4MB.":  {"the default value is 4MB."},
	} {
		if got := clauses(body); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
