package digest

import (
	"fmt"
	"time"

	"docent/insight/today"
)

// In French, no-break spaces stand before colons and percent signs, and 0 is singular.
var french = words{
	day: "02/01/2006", quiet: "docent\u00a0: rien à faire", things: "À FAIRE", nothing: "Rien à faire. Tout fonctionne.",
	questions: "QUESTIONS", asked: "Questions", answered: "Avec réponse", lacking: "Introuvables ou incertaines", down: "Mal notées",
	end:    "docent envoie ce résumé une fois par semaine. Les détails sont dans la console, dans la vue «\u00a0Aujourd’hui\u00a0».",
	levels: map[today.Level]string{today.Urgent: "Maintenant", today.Soon: "Bientôt", today.Note: "Quand vous aurez le temps"},
	colon:  "\u00a0:",
	subject: func(n int) string {
		return "docent\u00a0: " + frenchCount(int64(n), "chose à faire", "choses à faire")
	},
	all: func(day string) string { return "docent, le " + day },
	some: func(day, collections string) string {
		return "docent, le " + day + ", dans vos collections\u00a0: " + collections
	},
	numbers: func(month, week int64) string {
		return fmt.Sprintf("%d en 30 jours, %d pendant les 7 derniers", month, week)
	},
	thing: frenchThing,
}

// frenchCount returns a number with its noun.
func frenchCount(n int64, one, many string) string {
	if n == 0 {
		return "0 " + one
	}
	return count(n, one, many)
}

func frenchThing(t today.Thing, now time.Time) string {
	const minute = "02/01/2006 15:04"
	switch t.Kind {
	case today.Model:
		instead := "D’autres modèles répondent à sa place."
		if t.Quotes {
			instead = "docent répond avec des extraits à la place."
		}
		return fmt.Sprintf("Le modèle %s ne répond pas depuis le %s (%s). %s", t.Name, t.Since.In(now.Location()).Format(minute),
			t.Reason.Message, instead)
	case today.Disk:
		return fmt.Sprintf("Le disque du dossier de données est plein à %d\u00a0%%.", t.Percent)
	case today.SourceStopped:
		return fmt.Sprintf("docent a mis en pause la source %s, car il s’est arrêté deux fois pendant qu’il la lisait.", t.Name)
	case today.SourceFailed:
		if t.Count == 1 {
			return fmt.Sprintf("La dernière synchronisation de la source %s a échoué.", t.Name)
		}
		return fmt.Sprintf("Les %d dernières synchronisations de la source %s ont échoué.", t.Count, t.Name)
	case today.SourceLate:
		return fmt.Sprintf("La source %s est en retard\u00a0: docent devait la lire le %s.", t.Name, t.Since.In(now.Location()).Format(minute))
	case today.Documents:
		in := "."
		if t.Name != "" {
			in = " dans la collection " + t.Name + "."
		}
		return frenchCount(t.Count, "document n’a pas pu être lu", "documents n’ont pas pu être lus") + in
	case today.Backup:
		if t.Since.IsZero() {
			return "docent n’a fait aucune sauvegarde."
		}
		return fmt.Sprintf("La dernière sauvegarde remonte à %s.", frenchCount(days(t.Since, now), "jour", "jours"))
	case today.Mail:
		return fmt.Sprintf("Le résumé hebdomadaire n’a pas été envoyé à %s (%s).", others(t, "%s et à %d de plus"), t.Reason.Message)
	case today.Proposed:
		return frenchCount(t.Count, "lacune est peut-être comblée", "lacunes sont peut-être comblées") +
			". Comparez les nouvelles réponses avec les anciennes."
	case today.Open:
		return fmt.Sprintf("%s\u00a0: %s, dont %s cette semaine.", frenchCount(t.Questions, "question sans réponse", "questions sans réponse"),
			frenchCount(t.Count, "sujet", "sujets"), frenchCount(t.New, "nouveau", "nouveaux"))
	case today.Review:
		return frenchCount(t.Count, "réponse approuvée", "réponses approuvées") + " à vérifier."
	}
	return string(t.Kind)
}
