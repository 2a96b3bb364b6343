package text

import "testing"

func TestLanguage(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"How do I create an index?":              "en",
		"who can stop the server":                "en",
		"Wie erstelle ich einen Index?":          "de",
		"¿Cuál es el tamaño de la memoria?":      "es",
		"Quelle est la taille de la mémoire ?":   "fr",
		"Qual é o tamanho da memória do banco?":  "pt",
		"Hoe groot is het geheugen van de cache": "nl",
		"Как создать индекс в базе данных?":      "ru",
		"索引はどのように作成しますか":                         "ja",
		"如何创建索引":                                 "zh",
		"인덱스를 만드는 방법은 무엇입니까":                     "ko",
		"was kostet docent":                      "de",
		"was aendert sich morgen":                "de",
		"und fuer Windows?":                      "de",
		"und wie viel kostet das?":               "de",
		"when was the last change":               "en",
		"Windows file size limit":                "",
		"كيف أنشئ فهرسا":                         Undetermined,
		"shared_buffers":                         "",
		"E11 B77 42":                             "",
		"":                                       "",
	} {
		if got := Language(question); got != want {
			t.Errorf("Language(%q) = %q, want %q", question, got, want)
		}
	}
	if list := StopWords("de"); !list["und"] || StopWords("xx") != nil {
		t.Errorf("stop words: %d German ones", len(list))
	}
}

func TestLanguageAmong(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"welche dateiformate":     "de",
		"was kostet docent":       "de",
		"die casting of the seal": "en",
		"docent installieren":     "",
	} {
		if got := LanguageAmong(question, "en"); got != want {
			t.Errorf("LanguageAmong(%q) = %q, want %q", question, got, want)
		}
	}
}

func TestIsEveryday(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"benutzt", "Benutzen", "kostet", "größe", "naechste", "nächste", "today", "Works"} {
		if got, want := IsEveryday(w), w != "größe"; got != want {
			t.Errorf("IsEveryday(%q) = %v, want %v", w, got, want)
		}
	}
}

func TestClearLanguage(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"The pump stops at noon, and the valve closes when the pressure is too high for it.":        "en",
		"Die Pumpe steht um zwölf still, und das Ventil schließt, wenn der Druck zu hoch ist.":      "de",
		"Le serveur est dans la salle, et les clients sont avec lui pour toute la nuit.":            "fr",
		"Pumpen stopper klokken tolv, og ventilen lukker, når trykket er for højt til den.":         "", // Danish
		"La bomba s'atura al migdia i la vàlvula es tanca quan la pressió és massa alta per a ella": "", // Catalan
		"func main() { fmt.Println(pump.Stop(noon)) }":                                              "",
		"pump, valve, pressure, noon": "",
		"":                            "",
	} {
		if got := ClearLanguage(s); got != want {
			t.Errorf("ClearLanguage(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestOtherLanguage(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Guten Tag, ich möchte bitte gerne einen Kuchen bestellen": "de",
		"Quiero pedir una tarta de queso para mañana":              "es",
		"Ich möchte einen Kuchen bestellen":                        "de",
		"Je voudrais commander un gâteau pour demain":              "fr",
		"ケーキを一つお願いします":                                             "ja",
		"I want to order a cheesecake for tomorrow, please":        "",
		"two tarts, and a Schwarzwälder Kirschtorte please":        "",
		"I would like the crème brûlée and the pain au chocolat":   "",
		"cheesecake":                      "",
		"Apfelstrudel, Sachertorte":       "",
		"What does \"guten Tag\" mean?":   "",
		"123-45":                          "",
		"Is the Café de la Paix open?":    "",
		"where is the Haus der Kulturen?": "",
		"":                                "",
	} {
		if got := OtherLanguage(s, "en"); got != want {
			t.Errorf("OtherLanguage(%q) = %q, want %q", s, got, want)
		}
	}
	if got := OtherLanguage("Ich möchte einen Kuchen bestellen", "en", "de"); got != "" {
		t.Errorf("German is not German, but %q", got)
	}
}
