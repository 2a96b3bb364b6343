package digest

import (
	"fmt"
	"time"

	"docent/insight/today"
)

var spanish = words{
	day: "2/1/2006", quiet: "docent: nada que hacer", things: "POR HACER", nothing: "No hay nada que hacer. Todo funciona.",
	questions: "PREGUNTAS", asked: "Preguntas", answered: "Respondidas", lacking: "No encontradas o inseguras", down: "Mal valoradas",
	end:     "docent envía este resumen una vez por semana. Los detalles están en la consola, en la vista «Hoy».",
	levels:  map[today.Level]string{today.Urgent: "Ahora", today.Soon: "Pronto", today.Note: "Cuando haya tiempo"},
	subject: func(n int) string { return "docent: " + count(int64(n), "cosa por hacer", "cosas por hacer") },
	all:     func(day string) string { return "docent, " + day },
	some: func(day, collections string) string {
		return "docent, " + day + ", en sus colecciones: " + collections
	},
	numbers: func(month, week int64) string {
		return fmt.Sprintf("%d en 30 días, %d en los últimos 7", month, week)
	},
	thing: spanishThing,
}

func spanishThing(t today.Thing, now time.Time) string {
	const minute = "2/1/2006 15:04"
	switch t.Kind {
	case today.Model:
		instead := "En su lugar responden otros modelos."
		if t.Quotes {
			instead = "En su lugar, docent responde con citas."
		}
		return fmt.Sprintf("El modelo %s no responde desde el %s (%s). %s", t.Name, t.Since.In(now.Location()).Format(minute),
			t.Reason.Message, instead)
	case today.Disk:
		return fmt.Sprintf("El disco de la carpeta de datos está lleno al %d %%.", t.Percent)
	case today.SourceStopped:
		return fmt.Sprintf("docent ha pausado la fuente %s, porque se cerró dos veces mientras la leía.", t.Name)
	case today.SourceFailed:
		if t.Count == 1 {
			return fmt.Sprintf("Falló la última sincronización de la fuente %s.", t.Name)
		}
		return fmt.Sprintf("Fallaron las últimas %d sincronizaciones de la fuente %s.", t.Count, t.Name)
	case today.SourceLate:
		return fmt.Sprintf("La fuente %s va con retraso: docent debía leerla el %s.", t.Name, t.Since.In(now.Location()).Format(minute))
	case today.Documents:
		in := "."
		if t.Name != "" {
			in = " en la colección " + t.Name + "."
		}
		if t.Count == 1 {
			return "No se pudo leer 1 documento" + in
		}
		return fmt.Sprintf("No se pudieron leer %d documentos%s", t.Count, in)
	case today.Backup:
		if t.Since.IsZero() {
			return "docent no ha creado ninguna copia de seguridad."
		}
		return fmt.Sprintf("La última copia de seguridad es de hace %s.", count(days(t.Since, now), "día", "días"))
	case today.Mail:
		return fmt.Sprintf("El resumen semanal no se envió a %s (%s).", others(t, "%s y %d más"), t.Reason.Message)
	case today.Proposed:
		return count(t.Count, "laguna quizá está resuelta", "lagunas quizá están resueltas") +
			". Compare las respuestas nuevas con las anteriores."
	case today.Open:
		return fmt.Sprintf("%s: %s, %s esta semana.", count(t.Questions, "pregunta sin respuesta", "preguntas sin respuesta"),
			count(t.Count, "tema", "temas"), count(t.New, "nuevo", "nuevos"))
	case today.Review:
		return count(t.Count, "respuesta aprobada", "respuestas aprobadas") + " por revisar."
	}
	return string(t.Kind)
}
