package table

import (
	"strings"
	"time"
)

// concepts group words for the same kind of column, in English and German. A word of a question finds a header with a word of
// the same group.
var concepts = func() map[string][]string {
	out := map[string][]string{}
	for name, list := range map[string]string{
		"price": "price cost costs costing priced expensive cheap teuer billig fee rate fare charge tariff preis kosten kostet " +
			"gebuhr tarif entgelt miete",
		"total":       "total amount gesamt summe betrag gesamtbetrag gesamtpreis umsatz revenue turnover",
		"size":        "size grosse gross big large",
		"quantity":    "quantity qty stock inventory menge anzahl stuckzahl bestand vorrat stuck pieces",
		"weight":      "weight wt mass gewicht masse weigh weighs weighing wiegt wiegen heavy schwer",
		"length":      "length long lange lang",
		"width":       "width wide breite breit",
		"height":      "height high tall hohe hoch level stand pegel",
		"depth":       "depth deep tiefe tief",
		"distance":    "distance far entfernung weit abstand strecke kilometer",
		"diameter":    "diameter durchmesser",
		"area":        "area flache",
		"temperature": "temperature temp temperatur hot cold warm heiss kalt",
		"date":        "date datum termin",
		"year":        "year jahr baujahr built gebaut",
		"duration":    "duration dauer dauert dauern takes lasts laufzeit",
		"speed":       "speed tempo geschwindigkeit fast schnell",
		"power":       "power leistung",
		"density":     "density dichte dense dicht",
		"capacity":    "capacity volume kapazitat volumen fassungsvermogen",
		"age":         "age alter alt old",
		"population":  "population inhabitants einwohner",
		"electricity": "electricity strom",
		"heat":        "heat heating warme heizung",
		"water":       "water wasser",
		"consumption": "consumption verbrauch usage",
		"supplier":    "supplier vendor lieferant",
		"maker":       "manufacturer maker brand hersteller marke",
		"customer":    "customer client kunde kundin",
		"place":       "location place room standort ort raum",
		"shelf":       "shelf bin fach regal",
		"status":      "status state zustand",
		"contact":     "contact kontakt ansprechpartner",
		"responsible": "responsible owner verantwortlich zustandig",
		"phone":       "phone telephone telefon tel durchwahl",
		"mail":        "email mail e-mail",
		"deposit":     "deposit kaution pfand",
		"discount":    "discount rabatt",
		"tax":         "tax vat mwst steuer",
		"warranty":    "warranty garantie",
		"branch":      "branch filiale niederlassung",
		"machine":     "machine maschine gerät device",
		"building":    "building gebaude",
		"order":       "order bestellung auftrag",
		"product":     "product produkt",
		"article":     "article artikel item",
		"description": "description bezeichnung beschreibung",
		"department":  "department abteilung",
		"employee":    "employee mitarbeiter",
		"salary":      "salary wage gehalt lohn",
		"country":     "country land",
		"city":        "city town stadt",
		"language":    "language sprache",
		"color":       "color colour farbe",
		"course":      "course class kurs",
		"teacher":     "teacher instructor dozent dozentin lehrer leitung kursleitung",
		"seats":       "seats places platze participants teilnehmer",
		"begin":       "start starts begin begins beginn beginnt anfang",
		"end":         "end ends ende endet",
		"stop":        "halt haltestelle",
		"train":       "train zug",
		"person":      "person",
		"license":     "license licence lizenz",
		"level":       "grade stufe",
		"birth":       "birth born geburt geburtstag geburtsdatum geboren",
		"death":       "death died die dies tod gestorben starb",
		"job":         "job profession occupation beruf",
		"region":      "region bundesland",
	} {
		for _, w := range strings.Fields(list) {
			plain := folding.Replace(w)
			out[plain] = append(out[plain], name)
			if r := root(plain); r != plain && len(r) > minRoot {
				out[r] = append(out[r], name)
			}
		}
	}
	return out
}()

// concepts returns the concepts of a word.
func (w word) concepts() []string {
	if list := concepts[w.text]; list != nil {
		return list
	}
	return concepts[w.root]
}

// dimensionConcepts are the concepts of columns by the dimension of their unit.
var dimensionConcepts = map[string][]string{
	"money": {"price"}, "mass": {"weight"}, "length": {"distance", "length"}, "time": {"duration"}, "temperature": {"temperature"},
	"area": {"area"}, "power": {"power"}, "speed": {"speed"}, "volume": {"capacity"},
}

// direction is the sense of an adjective: 1 for much, and -1 for little.
type direction int

// adjective is an adjective that orders rows.
type adjective struct {
	concepts string // the concepts of the column, or "" for any column
	up       direction
}

// adjectives map the positive forms. Superlatives and comparatives are made from them.
var adjectives = map[string]adjective{
	"cheap": {"price", -1}, "inexpensive": {"price", -1}, "expensive": {"price", 1}, "costly": {"price", 1}, "pricey": {"price", 1},
	"heavy": {"weight", 1}, "light": {"weight", -1}, "long": {"length distance duration", 1}, "short": {"length distance duration height", -1},
	"tall": {"height", 1}, "high": {"", 1}, "low": {"", -1}, "big": {"size", 1}, "large": {"size", 1}, "great": {"size", 1},
	"small": {"size", -1},
	"old":   {"age date", -1}, "new": {"date", 1}, "young": {"age date", 1}, "recent": {"date", 1}, "late": {"date clock", 1},
	"early": {"date clock", -1},
	"hot":   {"temperature", 1}, "warm": {"temperature", 1}, "cold": {"temperature", -1}, "cool": {"temperature", -1},
	"fast": {"speed", 1}, "quick": {"speed", 1}, "slow": {"speed", -1}, "near": {"distance", -1}, "close": {"distance", -1},
	"far":  {"distance", 1},
	"deep": {"depth", 1}, "wide": {"width", 1}, "narrow": {"width", -1}, "dense": {"density", 1}, "strong": {"power", 1},
	"powerful": {"power", 1}, "weak": {"power", -1},
	"billig": {"price", -1}, "gunstig": {"price", -1}, "preiswert": {"price", -1}, "teuer": {"price", 1}, "teur": {"price", 1},
	"schwer": {"weight", 1}, "leicht": {"weight", -1}, "lang": {"length distance duration", 1},
	"kurz": {"length distance duration height", -1},
	"hoch": {"", 1}, "hoh": {"", 1}, "niedrig": {"", -1}, "tief": {"", -1}, "gross": {"size", 1}, "klein": {"size", -1},
	"alt": {"age date", -1}, "neu": {"date", 1}, "jung": {"age date", 1}, "spat": {"date clock", 1}, "fruh": {"date clock", -1},
	"heiss": {"temperature", 1}, "kalt": {"temperature", -1}, "schnell": {"speed", 1}, "langsam": {"speed", -1},
	"weit": {"distance", 1}, "breit": {"width", 1}, "schmal": {"width", -1}, "dicht": {"density", 1}, "stark": {"power", 1},
	"schwach": {"power", -1},
}

// superlatives are words that order rows without an adjective.
var superlatives = map[string]adjective{
	"most": {"", 1}, "top": {"", 1}, "maximum": {"", 1}, "max": {"", 1}, "least": {"", -1}, "fewest": {"", -1}, "minimum": {
		"",
		-1,
	}, "min": {"", -1}, "meist": {"", 1}, "meiste": {"", 1}, "meisten": {"", 1},
	"wenigsten": {"", -1}, "wenigste": {"", -1}, "maximal": {"", 1}, "minimal": {"", -1},
	"latest": {"date clock", 1}, "last": {"date clock", 1}, "first": {"date clock", -1}, "letzte": {"date clock", 1},
	"letzter": {"date clock", 1}, "letzten": {"date clock", 1},
	"letztes": {"date clock", 1}, "zuletzt": {"date clock", 1}, "erste": {"date clock", -1}, "erster": {"date clock", -1},
	"ersten": {"date clock", -1}, "erstes": {"date clock", -1}, "zuerst": {"date clock", -1},
	"hochste": {"", 1}, "hochsten": {"", 1}, "hochster": {"", 1}, "hochstes": {"", 1}, "grosste": {"size", 1}, "grossten": {
		"size",
		1,
	}, "grosster": {"size", 1}, "grosstes": {"size", 1},
	"biggest": {"size", 1}, "hottest": {"temperature", 1}, "nearest": {"distance", -1}, "closest": {"distance", -1},
	"farthest": {"distance", 1}, "furthest": {"distance", 1},
	"newest": {"date", 1}, "oldest": {"age date", -1}, "highest": {"", 1}, "lowest": {"", -1},
}

// superlative returns the adjective of a superlative.
func (w word) superlative() (adjective, bool) {
	if a, ok := superlatives[w.text]; ok {
		return a, true
	}
	for _, suffix := range []string{"iest", "est", "ste", "sten", "ster", "stes", "stem", "este", "esten", "ester", "estes", "estem"} {
		stem, ok := strings.CutSuffix(w.text, suffix)
		if !ok {
			continue
		}
		if suffix == "iest" {
			stem += "y"
		}
		if a, ok := adjectives[stem]; ok {
			return a, true
		}
		if a, ok := adjectives[stem+"e"]; ok { // largest
			return a, true
		}
	}
	return adjective{}, false
}

// comparative returns the adjective of a comparative, such as "heavier" and "billiger".
func (w word) comparative() (adjective, bool) {
	if a, ok := map[string]adjective{
		"bigger": adjectives["big"], "hotter": adjectives["hot"], "hoher": adjectives["hoch"], "later": adjectives["late"],
		"earlier": adjectives["early"],
		"further": adjectives["far"], "farther": adjectives["far"], "teurer": adjectives["teuer"],
	}[w.text]; ok {
		return a, true
	}
	for _, suffix := range []string{"ier", "er", "r", "ere", "eren", "erer", "eres"} {
		stem, ok := strings.CutSuffix(w.text, suffix)
		if !ok {
			continue
		}
		if suffix == "ier" {
			stem += "y"
		}
		if a, ok := adjectives[stem]; ok {
			return a, true
		}
	}
	return adjective{}, false
}

// comparators are the words in front of a value that limit it. A phrase may have several words.
var comparators = []struct {
	phrase string
	op     operator
}{
	{"no more than", atMost},
	{"not more than", atMost},
	{"no less than", atLeast},
	{"not less than", atLeast},
	{"less than or equal to", atMost},
	{"more than", over},
	{"greater than", over},
	{"higher than", over},
	{"larger than", over},
	{"bigger than", over},
	{"less than", under},
	{"fewer than", under},
	{"lower than", under},
	{"smaller than", under},
	{"at least", atLeast},
	{
		"at most",
		atMost,
	},
	{"up to", atMost},
	{"mehr als", over},
	{"grosser als", over},
	{"hoher als", over},
	{"weniger als", under},
	{"kleiner als", under},
	{"niedriger als", under},
	{"bis zu", atMost},
	{"nicht mehr als", atMost},
	{"later than", over},
	{"earlier than", under},
	{"spater als", over},
	{"fruher als", under},
	{"over", over},
	{"above", over},
	{"exceeding", over},
	{"exceeds", over},
	{"exceed", over},
	{"after", over},
	{"since", atLeast},
	{"under", under},
	{"below", under},
	{"before", under},
	{"until", atMost},
	{"uber", over},
	{"oberhalb", over},
	{"ab", atLeast},
	{"seit", atLeast},
	{"nach", over},
	{"unter", under},
	{"unterhalb", under},
	{"vor", under},
	{"bis", atMost},
	{"mindestens", atLeast},
	{"hochstens", atMost},
	{"maximal", atMost},
	{"minimum", atLeast},
	{"max", atMost},
}

// operator compares a cell with a value.
type operator int

// The operators.
const (
	over operator = iota
	atLeast
	under
	atMost
	between
	equal
	inMonth // of any year
)

func (o operator) String() string { return [...]string{">", "≥", "<", "≤", "=", "=", "="}[o] }

// holds reports whether a value fits.
func (o operator) holds(v, low, high float64) bool {
	switch o {
	case over:
		return v > low
	case atLeast:
		return v >= low
	case under:
		return v < low
	case atMost:
		return v <= low
	case between:
		return v >= low && v <= high
	case inMonth:
		return Day(v).Month() == time.Month(low)
	}
	return v == low
}

// phrases returns the parts of a list.
func phrases(list string) []string {
	out := strings.Split(list, "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// The words of operations.
var (
	countPhrases = phrases(`how many | number of | count | wie viele | wieviele | anzahl | zahl der`)
	sumPhrases   = phrases(`all together | altogether | in total | total | sum | add up | combined | overall | summe | insgesamt | zusammen |
		gesamt | in summe | aufsummiert | zusammengerechnet`)
	averagePhrases = phrases(`average | avg | mean | on average | durchschnitt | durchschnittlich | durchschnittliche | durchschnittlicher |
		durchschnittlichen | im schnitt | mittlere | mittlerer | mittleren | mittelwert | im mittel`)
	differPhrases = phrases(`by how much | how much more | how much less | difference between | difference | gestiegen | gesunken | gefallen |
		gewachsen | zugenommen | abgenommen | increase | increased | decrease | decreased | grow | grown | grew | rise |
		risen | rose | um wieviel | um wie viel | unterschied | differenz | compare | compared | vergleich | vergleiche |
		versus | vs`)
	whyPhrases = phrases(`why | how do i | how do we | how do you | how can i | how to | warum | wieso | weshalb | wie kann ich |
		wie mache ich | what happens | was passiert | explain | erklare`)
	noPhrases = phrases(`no | not | without | nicht | kein | keine | keinen | keiner | ohne | doesnt | dont | isnt | arent | didnt |
		havent | hasnt | never | lack | lacks | fehlt`)
	listPhrases = phrases(`which | list | show | all | everything | every | what | whats | who | where | welche | welcher | welches |
		welchen | liste | zeige | alle | alles | wer | wo | nenne | give me`)
	whoPhrases   = phrases(`who | whom | whose | wer | wem | wen | wessen`)
	whenPhrases  = phrases(`when | wann | date | datum`)
	worthPhrases = phrases(`worth | value | wert`)
	muchPhrases  = phrases(`how much | wieviel | wie viel | how many | wieviele | wie viele`)
)
