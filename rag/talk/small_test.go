package talk

import "testing"

func TestSmallTalk(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"hello": true, "Hi there!": true, "Thank you very much.": true, "ok, thanks": true, "Hello, how are you?": true, "what can you do?": true,
		"hello world program": false, "thanks to which setting is it fast?": false, "help tables": false, "okay and the default?": false,
		"can you help me?": true, "are you a human?": true, "Tschüss!": true, "what time is it?": true, "Great answer, thanks!": true,
		"help me vacuum a table": false, "thanks and": true, "and thanks": false, "stop the server": false, "what is the time zone?": false,
		"how are you able to vacuum?": false, "history": false, "": false,
	} {
		if got := Small(message) != nil; got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

func TestSmallTalkKind(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Hello, how are you?": "mood", "ok, thank you very much!": "thanks", "hi, can you help me?": "help", "Great. Bye!": "bye",
		"is my data sent anywhere": "privacy", "werden meine Daten verschickt?": "privacy", "kann man docent auf deutsch benutzen": "languages",
		"does it support german": "languages", "it doesnt work": Complaint,
		"this doesnt help at all": Complaint, "your last answer was rubbish": Complaint, "why are you so slow today": Complaint,
		"deine letzte Antwort war Mist": Complaint,
	} {
		if got := Small(message); got == nil || got.Name != want {
			t.Errorf("%q is %v, want %s", message, got, want)
		}
	}
}

func TestVague(t *testing.T) {
	t.Parallel()
	earlier := []Turn{{Role: User, Text: "How do I start the pump?"}, {Role: Assistant, Text: "Press the button. [1]"}}
	for message, want := range map[string]bool{
		"everything is broken": true, "how do i": true, "and the": true, "I have a problem!": true, "es geht nicht": true, "nothing works": true, "wie kann ich": true,
		"it does not work with Postgres": false, "how do I vacuum": false, "printer": false, "das Licht geht nicht": false, "the machine does not start": false,
		"der Rechner startet nicht": false, "it does not start": false, "what is it": true, "": false,
	} {
		got := Read(message, nil)
		if (got.Talk != nil && got.Talk.Name == Vague) != want {
			t.Errorf("%q: %+v", message, got)
		}
		if got := Read(message, earlier); got.Talk != nil {
			t.Errorf("%q behind an answer: %+v", message, got)
		}
	}
}

func TestGermanOrders(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]Kind{
		"bestell bitte neue Handtücher": Task, "buch mir ein Zimmer": Task, "Miete der Halle für Mitglieder": Question, "Buch verlängern": Question,
	} {
		if got := Read(message, nil); got.Kind != want {
			t.Errorf("%q is %s, want %s", message, got.Kind, want)
		}
	}
}
