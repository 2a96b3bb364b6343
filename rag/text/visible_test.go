package text

import "testing"

func TestCutters(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Head("éèà", 6):     "éèà",
		Head("éèà", 5):     "éè",
		Head("é", 1):       "",
		Cut("éèà", 6):      "éèà",
		Cut("éèàù", 5):     "éè …",
		Shorten("éèô", 3):  "éèô",
		Shorten("éèôù", 3): "éè…",
		Shorten("ab", 1):   "…",
		Shorten("ab", 0):   "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
