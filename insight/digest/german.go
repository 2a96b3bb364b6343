package digest

import (
	"fmt"
	"time"

	"docent/insight/today"
)

var german = words{
	day: "2.1.2006", quiet: "docent: nichts zu tun", things: "ZU TUN", nothing: "Nichts zu tun. Alles funktioniert.",
	questions: "FRAGEN", asked: "Fragen", answered: "Beantwortet", lacking: "Nicht gefunden oder unsicher", down: "Schlecht bewertet",
	end:     "docent sendet dies einmal in der Woche. Einzelheiten stehen in der Konsole, in der Ansicht „Heute“.",
	levels:  map[today.Level]string{today.Urgent: "Jetzt", today.Soon: "Bald", today.Note: "Wenn Zeit ist"},
	subject: func(n int) string { return "docent: " + count(int64(n), "Aufgabe", "Aufgaben") },
	all:     func(day string) string { return "docent am " + day },
	some: func(day, collections string) string {
		return "docent am " + day + ", in Ihren Sammlungen: " + collections
	},
	numbers: func(month, week int64) string { return fmt.Sprintf("%d in 30 Tagen, %d in den letzten 7", month, week) },
	thing:   germanThing,
}

func germanThing(t today.Thing, now time.Time) string {
	switch t.Kind {
	case today.Model:
		instead := "Stattdessen antworten andere Modelle."
		if t.Quotes {
			instead = "docent antwortet stattdessen mit Zitaten."
		}
		return fmt.Sprintf("Das Modell %s antwortet seit %s nicht (%s). %s", t.Name, t.Since.In(now.Location()).Format("2.1.2006 15:04"),
			t.Reason.Message, instead)
	case today.Disk:
		return fmt.Sprintf("Der Datenträger des Datenordners ist zu %d %% voll.", t.Percent)
	case today.SourceStopped:
		return fmt.Sprintf("docent hat die Quelle %s angehalten, weil es sich beim Lesen zweimal beendet hat.", t.Name)
	case today.SourceFailed:
		if t.Count == 1 {
			return fmt.Sprintf("Der letzte Abgleich der Quelle %s ist fehlgeschlagen.", t.Name)
		}
		return fmt.Sprintf("Die letzten %d Abgleiche der Quelle %s sind fehlgeschlagen.", t.Count, t.Name)
	case today.SourceLate:
		return fmt.Sprintf("Die Quelle %s ist überfällig: docent wollte sie am %s lesen.", t.Name,
			t.Since.In(now.Location()).Format("2.1.2006 15:04"))
	case today.Documents:
		in := "."
		if t.Name != "" {
			in = " (Sammlung " + t.Name + ")."
		}
		return count(t.Count, "Dokument konnte", "Dokumente konnten") + " nicht gelesen werden" + in
	case today.Backup:
		if t.Since.IsZero() {
			return "docent hat noch keine Sicherung erstellt."
		}
		return fmt.Sprintf("Die letzte Sicherung ist %s alt.", count(days(t.Since, now), "Tag", "Tage"))
	case today.Mail:
		return fmt.Sprintf("Der Wochenbericht ging nicht an %s (%s).", others(t, "%s und %d weitere"), t.Reason.Message)
	case today.Proposed:
		return count(t.Count, "Lücke ist", "Lücken sind") + " vielleicht gelöst. Vergleichen Sie die neuen Antworten mit den alten."
	case today.Open:
		return fmt.Sprintf("%s ohne Antwort: %s, %d neu in dieser Woche.", count(t.Questions, "Frage", "Fragen"),
			count(t.Count, "Thema", "Themen"), t.New)
	case today.Review:
		return count(t.Count, "freigegebene Antwort", "freigegebene Antworten") + " zu prüfen."
	}
	return string(t.Kind)
}
