package profile

import (
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/rag"
)

func TestCheckPreferences(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", rag.MaxInstructions)
	for _, p := range []Preferences{{}, {Language: "de", Instructions: "\n" + long + " "}, {Language: "en"}, {Language: "fr"}} {
		if got, err := p.Check(); err != nil || got.Instructions != strings.TrimSpace(p.Instructions) {
			t.Errorf("%.20v: got %.20v, %v", p, got, err)
		}
	}
	for _, p := range []Preferences{{Language: "tlh"}, {Language: "DE"}, {Instructions: long + "x"}} {
		if _, err := p.Check(); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.20v: error is %v", p, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p, err := Prompt{Name: " Weekly \n report ", Text: "\n About {topic} \n"}.Check()
	if err != nil || p.Name != "Weekly report" || p.Text != "About {topic}" {
		t.Errorf("got %+v, %v", p, err)
	}
	long := Prompt{Name: strings.Repeat("ü", MaxName), Text: strings.Repeat("ü", MaxText)}
	if _, err := long.Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Prompt{
		{Name: " ", Text: "x"}, {Name: "x", Text: "\n"}, {Name: long.Name + "x", Text: "x"}, {Name: "x", Text: long.Text + "x"},
	} {
		if _, err := bad.Check(); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.20q, %.20q: error is %v", bad.Name, bad.Text, err)
		}
	}
}
