package table

import (
	"strings"
	"unicode"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// word is a word, number, or sign of a question, a header, or a cell.
type word struct {
	// text is in lower case, without diacritics.
	text string
	// root is text without endings of English and German.
	root string
	// written is the word as written, in lower case.
	written string
	// head is the known last part of a compound in the name of a column, or "".
	head string
	// caps reports that the word is written in capitals in a text that has small letters.
	caps bool
}

var (
	wordPattern = lazyregexp.New(`\d+(?:[.,:'’]\d+)+|[\p{L}\p{N}°€$£%]+(?:[-–/^][\p{L}\p{N}]+)*|[+\-]\d+`)
	// glued matches a number with a unit or the German ending of numbers.
	glued   = lazyregexp.New(`^([€$£])?(\d+(?:[.,]\d+)?)([\p{L}°€$£%²³]*)$`)
	negated = lazyregexp.New(`(?i)\b(do|does|did|is|are|was|were|has|have|had|could|would|should)n['’]?t\b`)
	cannot  = lazyregexp.New(`(?i)\b(?:ca|wo)n['’]?t\b`)
	// turnedDown matches a verb of two words for a state of a cell.
	turnedDown = lazyregexp.New(`(?i)\bturned down\b`)
	// offSeason, twoLs, and newYear are other words for a column, an operation, and a date.
	offSeason = lazyregexp.New(`(?i)\b(?:off|out of)[- ](?:peak )?season\b`)
	twoLs     = lazyregexp.New(`(?i)\bal{2}together\b`)
	newYear   = lazyregexp.New(`(?i)\b(?:new year(?:['’]?s)?(?: day)?|neujahr) (\d{4})\b`)
	genitive  = lazyregexp.New(`['’]s\b`)
)

// words splits a text into words. It splits words with hyphens, but not codes with digits, such as SO-2637.
func words(s string) []word {
	s = cannot.ReplaceAllString(s, "can not")
	s = negated.ReplaceAllString(s, "$1 not")
	s = turnedDown.ReplaceAllString(s, "rejected")
	s = offSeason.ReplaceAllString(s, "low season")
	s = twoLs.ReplaceAllString(s, "altogether")
	s = newYear.ReplaceAllString(s, "$1-01-01")
	s = genitive.ReplaceAllString(s, "")
	caps := capitals(s)
	var out []word
	for _, w := range wordPattern.FindAllString(strings.ReplaceAll(strings.ToLower(s), "_", " "), -1) {
		switch {
		case glued.MatchString(w):
			m := glued.FindStringSubmatch(w)
			switch {
			case m[3] == "er" || m[3] == "ers" || m[3] == "th" || m[3] == "st":
				out = append(out, newWord(m[2]))
			case m[1] != "" || isUnit(m[3]):
				out = append(out, newWord(m[2]))
				if unit := m[1] + m[3]; unit != "" {
					out = append(out, newWord(unit))
				}
			default:
				out = append(out, newWord(w))
			}
		case isUnit(w) || strings.ContainsFunc(w, unicode.IsDigit):
			out = append(out, newWord(w))
		default:
			for _, p := range strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("-–/^", r) }) {
				own := newWord(p)
				own.caps = caps[p]
				out = append(out, own)
			}
		}
	}
	return out
}

// capitals returns the words in capitals, such as the department IT, which is no pronoun. A cell may have nothing else.
func capitals(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range wordPattern.FindAllString(s, -1) {
		if len(w) > 1 && strings.ToUpper(w) == w && strings.ToLower(w) != w && (len(w) == len(s) || strings.ToUpper(s) != s) {
			out[strings.ToLower(w)] = true
		}
	}
	return out
}

func newWord(s string) word {
	plain := folding.Replace(s)
	return word{text: plain, root: root(plain), written: s}
}

// folding removes the diacritics of German and some neighbors.
var folding = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "é", "e", "è", "e", "ê", "e", "á", "a", "à", "a",
	"å", "a", "ø", "o", "ç", "c", "ñ", "n", "í", "i", "ó", "o", "ú", "u")

// endings are the endings of nouns and adjectives in English and German, longest first.
var endings = []string{"ern", "en", "er", "em", "es", "e", "n", "s"}

// minRoot is the minimum length of a root.
const minRoot = 3

// root removes endings. Words with digits have none.
func root(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return s
	}
	if r, ok := strings.CutSuffix(s, "ies"); ok && len(r) >= minRoot {
		s = r + "y"
	}
	for {
		cut := false
		for _, e := range endings {
			if r, ok := strings.CutSuffix(s, e); ok && len(r) >= minRoot && (e != "s" || !strings.HasSuffix(r, "s")) {
				s, cut = r, true
				break
			}
		}
		if !cut {
			if r := strings.TrimRight(s, "ao"); len(r) == len(s)-1 && len(r) > minRoot { // "Firma", "Firmen"
				return r
			}
			return s
		}
	}
}

// sameRoot reports whether two words differ only in their endings. Short roots allow only endings of the plural.
func sameRoot(a, b word) bool {
	if a.root != b.root {
		return false
	}
	if len(a.root) > minRoot {
		return true
	}
	short, long := a.text, b.text
	if len(short) > len(long) {
		short, long = long, short
	}
	rest, ok := strings.CutPrefix(long, short)
	return ok && (rest == "" || rest == "s" || rest == "es" || rest == "en")
}

// verbEndings are the endings of verbs, and of nouns made from them.
var verbEndings = []string{"ungen", "ung", "ant", "ing", "eten", "ete", "et", "te", "ten", "t", "ed"}

// verb returns the stem of a verb, or of a noun made from it, such as "leit" of "leitet" and "Leitung". It is "" for short words.
func (w word) verb() string {
	s := w.text
	for _, e := range verbEndings {
		if r, ok := strings.CutSuffix(s, e); ok {
			s = r
			break
		}
	}
	if len(s) < 4 || strings.ContainsAny(s, "0123456789") {
		return ""
	}
	return root(s)
}

// isNumber reports whether a word begins with a digit and has no letter.
func (w word) isNumber() bool {
	return w.text != "" && strings.IndexFunc(w.text, unicode.IsDigit) == 0 && !strings.ContainsFunc(w.text, unicode.IsLetter) ||
		len(w.text) > 1 && strings.ContainsRune("+-", rune(w.text[0])) && unicode.IsDigit(rune(w.text[1]))
}

// isStop reports whether a word has no meaning of its own in a question.
func (w word) isStop() bool {
	return !w.caps && (lightWords[w.text] || lightVerbs[w.text] || text.StopWords("en")[w.written] || text.StopWords("de")[w.written])
}

// lightWords are verbs and fillers that ask for nothing particular.
var lightWords = setOf(`
	a an the of to in on at by for from with and or is are was were be been do does did have has had can could will would shall should
	may might must i me my we us our you your it its they them their this that these those there here please tell give show find look
	get gets got go goes come comes make makes made want need needs know let like also just only mr mrs ms ever really right now yet still so
	till what whats which who whom whose where when how hows much many does thing things stuff one ones any some something anything
	everything all every each list name value values row rows column columns table data entry entries record records available
	exist exists called named whats theres im id hello hi hey thanks thank take takes took reach arrive arrives leave leaves leaving
	depart departs run runs running stay stays use uses used put say says per each
	out up about information info overall currently due
	der die das den dem des ein eine einen einem einer eines und oder ist sind war waren sein wird werden wurde wurden hat haben hatte kann
	konnen konnte muss mussen soll sollen will wollen mochte darf durfen ich mir mich wir uns unser unsere du dir dich ihr euch sie er es
	man wer wen wem was wo wann wie welche welcher welches welchen welchem wieviel wieviele wievielen viel viele vielen bitte sag sage zeig zeige gib nenne
	liste alle alles jede jeder jedes jeden etwas gibt gibts noch schon denn mal so auch nur da dort hier von vom zu zum zur im in am an auf
	aus bei beim mit nach fur um pro je durch steht stehen liegt liegen kommt kommen fahrt fahren halt halten braucht brauchen
	heisst heissen geht gehen bekomme bekommt ding dinge sache sachen teil teile zeile zeilen spalte spalten
	tabelle eintrag eintrage bitte danke hallo gerade zur zeit verfugbar vorhanden eigentlich frau herr herrn
	sit sits sitzt sitzen dabei arbeitet arbeiten work works working
	findet finden statt lange place held happen happens belong belongs belonged gehort gehoren gehorte
	whos pls plz thx los reach reached erreichbar been serve served opening closing
	live lives living lived wohnen wohnt leben lebt came kam kamen gabs left remaining ubrig
	dafur davon dazu daran bzw item
	got received receive bekam bekamen erhielt erhielten erhalt erhalten`)

// lightVerbs say little if the question has a column or an operation. Next to the name of a row alone, they ask for something that
// the table may not have.
var lightVerbs = setOf(`
	sell sells selling offer offers offered carry contain contains include includes included provide provides shows
	shown pay pays paid paying went happened anyone anybody somebody someone jemand
	ging gehen gab geben lag liegen blieb bleibt bleiben fand bietet bieten anbieten fuhrt fuhren enthalt enthalten passt passen
	kaufen kauft verkaufen verkauft verkauften zeigt zeigen gilt gelten nutzt nutzen macht machen mach tun tut bedeutet bedeuten
	zahlt zahlen gezahlt bezahlt uberwiesen genau ungefahr exactly roughly`)
