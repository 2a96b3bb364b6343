package talk

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// answered are turns with an answer.
var answered = []Turn{{User, "How many days of vacation do I get?"}, {Assistant, "You get 27 days. [1]"}}

// TestRead checks kinds of messages behind an answer. The keys are names of small talk, a Wanted, a Previous, "task", or
// "question".
func TestRead(t *testing.T) {
	t.Parallel()
	for want, messages := range map[string]map[string][]string{
		"hello":     {"en": {"hi", "Good evening, first time here :)", "hey there anyone home", "morning"}, "de": {"hallo", "Guten Tag zusammen", "moin moin!"}},
		"thanks":    {"en": {"ok thx", "thank you, that helped"}, "de": {"danke dir", "ok, vielen Dank!"}},
		"bye":       {"en": {"bye", "see you tomorrow"}, "de": {"tschüss bis morgen", "Schönen Feierabend noch"}},
		"who":       {"en": {"are u a real person", "who am i talking to", "Are you a human or a bot?"}, "de": {"bist du ein mensch oder ein programm", "Wer bist du?"}},
		"help":      {"en": {"how do i use this thing", "what can you do?", "can you help me"}, "de": {"was kannst du eigentlich", "wie funktionierst du"}},
		"trust":     {"en": {"can I trust your answers", "can i trust what you say", "do you make things up sometimes?"}, "de": {"kann ich mich auf deine antworten verlassen", "Sind deine Antworten zuverlässig?"}},
		"origin":    {"en": {"where do you get your answers from", "Where do your answers come from?"}, "de": {"woher weißt du das alles", "woher kommen deine Antworten"}},
		"privacy":   {"en": {"do you store what I type?", "does my boss see what i type here", "are my questions stored"}, "de": {"speicherst du meine Fragen", "wird das hier gespeichert?"}},
		"languages": {"en": {"do you speak German?"}, "de": {"verstehst du auch deutsch?"}},
		"praise":    {"en": {"perfect, thats what i needed", "great answer"}, "de": {"super, hat geklappt"}},
		"complaint": {"en": {"thats wrong", "no, not that one"}, "de": {"stimmt nicht", "das hast du falsch verstanden"}},
		"ok":        {"en": {"lol ok", "sure."}, "de": {"alles klar"}},
		Outside:     {"en": {"whats the weather tmrw", "tell me a joke", "what time is it"}, "de": {"wie spät ist es", "erzähl mir einen Witz"}},
		string(List): {
			"en": {"what docs do u have", "How many documents are there?", "any spreadsheets?", "show me all pdfs", "list everything in german", "do you have the minutes from march", "what documents are in the collection manuals?"},
			"de": {"welche dokumente gibt es", "wie viele dateien kennst du", "gibts protokolle hier", "Zeig mir alle Dateien"},
		},
		string(Topics):   {"en": {"which topics do you cover", "What topics can I ask about?", "what can i ask u"}, "de": {"zu welchen themen weisst du was"}},
		string(Newest):   {"en": {"whats the newest file", "latest documents"}, "de": {"was ist das neueste Dokument"}},
		string(Added):    {"en": {"what was added last"}, "de": {"was wurde zuletzt hinzugefügt"}},
		string(Mentions): {"en": {"is there anything about the sauna boiler", "which documents mention vacuum?"}, "de": {"hast du was zum notfall"}},
		string(Updated):  {"en": {"when was the handbook last updated?", "how old is the manual of the dosing thing"}, "de": {"wann wurde die kassenanweisung geändert", "von wann ist die hausordnung"}},
		string(Summary):  {"en": {"summarize the warranty document", "give me the gist of mail-boiler.txt", "What is the price list about?"}, "de": {"fass mal das protokoll vom mai zusammen", "worum geht es im Handbuch?"}},
		string(Within):   {"en": {"what does the kiosk guide say about paper", "does the faq say anything on parking"}, "de": {"steht in der hausordnung was zu drohnen", "was sagt das Handbuch über Urlaub"}},
		string(Repeat):   {"en": {"repeat that", "again please", "say that again"}, "de": {"noch einmal", "wiederhol das bitte"}},
		string(Shorter):  {"en": {"shorter please", "in one sentence", "just the number"}, "de": {"kürzer", "geht das auch kürzer?"}},
		string(Steps):    {"en": {"only the steps", "only the commands"}, "de": {"nur die Schritte bitte"}},
		string(Source):   {"en": {"source?", "where is that from?", "where does it say that", "which page is that from"}, "de": {"quelle?", "wo steht das"}},
		string(Sure):     {"en": {"are you sure?", "why?", "only six? sure?", "really? who says that", "sure?"}, "de": {"sicher?", "warum", "stimmt das wirklich?"}},
		string(Rewrite):  {"en": {"translate that to German", "say that in english pls", "make a table of it", "as an email", "explain that in simple words"}, "de": {"auf englisch bitte", "als Tabelle", "Übersetz das ins Französische"}},
		string(Earlier):  {"en": {"what was my first question?"}, "de": {"was war meine erste Frage?"}},
		"task":           {"en": {"write an email to my boss asking for two days off", "book a room for tomorrow", "remind me at 4 to measure chlorine", "put me in for leave 3 to 7 august"}, "de": {"schreib ne mail an karim dass ich später komme", "ruf mal die technik an", "druck mir den dienstplan"}},
		"question": {"en": {
			"thanks to which setting is it fast?", "source of the river", "Are you sure that the valve must be closed?", "how do I write an email filter?", "delete a remote branch", "print all rows of a table",
			"what is the time zone?", "hello world program", "stop the server", "how do I translate the page?", "what steps does the installer take?", "which sources of error are there?", "where is the log file?",
			"what documents do I need to apply?", "how many files can be open at once?", "when is the staff party", "send mail to an alias", "why does the pump stop?", "what about sick leave?", "and for Windows?",
			"no, I meant the 36", "how do I make a table of contents?", "is that safe?", "who can see my files in the shared folder of the team?", "check my edited config file for mistakes before reloading",
			"order of evaluation in where clauses", "what is the shortest password?", "open the valve", "book value of an asset",
		}},
	} {
		for language, all := range messages {
			for _, message := range all {
				got := Read(message, answered)
				kind := string(got.Kind)
				switch got.Kind {
				case SmallTalk:
					kind = got.Talk.Name
				case OfLibrary:
					kind = string(got.Library[0].Wants)
					for _, l := range got.Library { // one of the readings, if its name is that of a document
						if string(l.Wants) == want {
							kind = want
						}
					}
					if want == "question" && got.Library[0].Name != "" {
						kind = want // only if the library has such a document
					}
				case OfPrevious:
					kind = string(got.Previous)
				}
				if kind != want || want != "question" && got.Language != language {
					t.Errorf("%q is %s in %q, want %s in %q", message, kind, got.Language, want, language)
				}
			}
		}
	}
}

// Without an earlier answer, nothing is about it.
func TestReadFirst(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"repeat that", "why?", "steps", "german", "source?"} {
		if got := Read(message, nil); got.Kind == OfPrevious {
			t.Errorf("%q is about an answer that does not exist", message)
		}
	}
}

func TestLibraryNames(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]Library{
		"Summarize the warranty document, please":               {Wants: Summary, Name: "warranty document"},
		"what does heron-36-manual.md say about winter storage": {Wants: Within, Name: "heron-36-manual.md", About: "winter storage"},
		"When was the price list changed?":                      {Wants: Updated, Name: "price list"},
		"was steht in der Satzung zu Tieren":                    {Wants: Within, Name: "satzung", About: "tieren"},
		"which documents are in manuals?":                       {Wants: List, Collection: "manuals"},
		"show me all PDFs":                                      {Wants: List, Name: "pdfs"},
		"Is there anything about the boiler?":                   {Wants: Mentions, About: "boiler"},
	} {
		found := false
		for _, l := range Read(message, nil).Library {
			found = found || l == want
		}
		if !found {
			t.Errorf("%q is %+v, want %+v", message, Read(message, nil).Library, want)
		}
	}
}

// TestReadQuestions checks that questions for documents are not taken for another kind. A reading with the name of a document
// does not count, because the library decides whether there is one.
func TestReadQuestions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../eval/sets/*/questions.jsonl")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d sets of questions, %v", len(files), err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			var q struct{ Question string }
			if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
				t.Fatal(err)
			}
			got := Read(q.Question, answered)
			if got.Kind == OfLibrary && got.Library[0].Name != "" || got.Kind == Question {
				continue
			}
			t.Errorf("%s: %q is %+v", file, q.Question, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("what does heron-36-manual.md say about winter storage")
	f.Add("\xff'")
	f.Fuzz(func(t *testing.T, message string) {
		got := Read(message, answered)
		if got.Kind == SmallTalk && got.Talk == nil || got.Kind == OfLibrary && len(got.Library) == 0 || got.Kind == OfPrevious && got.Previous == "" {
			t.Errorf("%q: %+v", message, got)
		}
	})
}
