package table

import (
	"strings"
	"time"
)

// dimensionConcepts are the concepts of columns by the dimension of their unit.
var dimensionConcepts = map[string][]string{
	"money": {"price"}, "mass": {"weight"}, "length": {"distance", "length", "mileage"}, "time": {"duration"}, "temperature": {"temperature"},
	"area": {"area"}, "power": {"power"}, "speed": {"speed"}, "volume": {"capacity"},
	"energy": {"energy"},
}

// unitConcepts are the concepts of columns by units that measures have not.
var unitConcepts = map[string][]string{
	"l/100 km": {"fuel", "consumption"}, "l/100km": {"fuel", "consumption"}, "mpg": {"fuel", "mileage"},
	"hp": {"power", "horsepower"}, "kcal": {"energy"},
}

// direction is the sense of an adjective: 1 for much, and -1 for little.
type direction int

// adjective is an adjective that orders rows.
type adjective struct {
	concepts string // the concepts of the column, or "" for any column
	up       direction
	// own is the number of the column that has the adjective's noun as its name, counted from 1, or 0.
	own int
	// judges reports that the adjective judges, such as "best". The column tells whether the largest value is best.
	judges bool
}

// order is a list of words that order rows by the same columns in the same direction.
type order struct {
	concepts string
	up       direction
	words    string
}

func ordering(list []order, judging map[string]direction) map[string]adjective {
	out := map[string]adjective{}
	for _, o := range list {
		for _, w := range strings.Fields(o.words) {
			out[w] = adjective{concepts: o.concepts, up: o.up}
		}
	}
	for w, up := range judging {
		out[w] = adjective{up: up, judges: true}
	}
	return out
}

// adjectives map the positive forms. Superlatives and comparatives are made from them.
var adjectives = ordering([]order{
	{"price", -1, "cheap inexpensive billig gunstig preiswert"},
	{"price", 1, "expensive costly pricey pricy dear teuer teur"},
	{"weight", 1, "heavy schwer"},
	{"weight", -1, "light leicht"},
	{"length distance duration page", 1, "long lang"},
	{"length distance duration page height", -1, "short kurz"},
	{"height", 1, "tall"},
	{"", 1, "high hoch hoh"},
	{"", -1, "low niedrig tief"},
	{"size area", 1, "big large great gross"},
	{"size area", -1, "small klein"},
	{"age date", -1, "old alt"},
	{"date", 1, "new recent recently neu"},
	{"age date", 1, "young jung"},
	{"date clock", 1, "late spat"},
	{"date clock", -1, "early fruh"},
	{"temperature", 1, "hot warm heiss"},
	{"temperature", -1, "cold cool kalt"},
	{"speed", 1, "fast quick schnell"},
	{"speed", -1, "slow langsam"},
	{"distance", -1, "near close"},
	{"distance", 1, "far weit"},
	{"depth", 1, "deep"},
	{"width", 1, "wide breit"},
	{"width", -1, "narrow schmal"},
	{"density", 1, "dense dicht"},
	{"power", 1, "strong powerful stark"},
	{"power", -1, "weak schwach"},
}, map[string]direction{"schlecht": -1})

// superlatives are words that order rows without an adjective.
var superlatives = ordering([]order{
	{"", 1, "most top maximum max meist meiste meisten maximal hochste hochsten hochster hochstes highest"},
	{"", -1, "least fewest minimum min wenigsten wenigste minimal lowest"},
	{"date clock", 1, "latest last letzte letzter letzten letztes zuletzt"},
	{"date clock", -1, "first erste erster ersten erstes zuerst"},
	{"size area", 1, "grosste grossten grosster grosstes biggest"},
	{"temperature", 1, "hottest"},
	{"distance", -1, "nearest closest"},
	{"distance", 1, "farthest furthest"},
	{"date", 1, "newest"},
	{"age date", -1, "oldest"},
}, map[string]direction{"best": 1, "beste": 1, "besten": 1, "bester": 1, "bestes": 1, "worst": -1})

// superlative returns the adjective of a superlative.
func (w word) superlative() (adjective, bool) {
	if nth, rest := w.rank(); nth > 0 {
		return rest.superlative()
	}
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
		"more":    {up: 1}, "mehr": {up: 1}, "less": {up: -1}, "fewer": {up: -1}, "weniger": {up: -1},
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
	{"within", atMost},
	{"innerhalb von", atMost},
	{"innerhalb", atMost},
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
	{"ueber", over},
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
	none     // no value, or 0
	inMonth  // of any year
	inMonths // from one month to another one of any year
	onDays   // on a day of the week
	times    // a factor, and no condition
)

func (o operator) String() string {
	return [...]string{">", "≥", "<", "≤", "=", "=", "=", "=", "=", "=", "×"}[o]
}

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
	case none:
		return v == 0
	case inMonth:
		return Day(v).Month() == time.Month(low)
	case onDays:
		return (int(Day(v).Weekday())+6)%7 == int(low)
	case inMonths:
		m := float64(Day(v).Month())
		return low <= m && m <= high || low > high && (m >= low || m <= high)
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
	countPhrases = phrases(`how many | number of | count | wie viele | wie vielen | wieviele | wievielen | anzahl | zahl der`)
	// oftenPhrases count rows with a cell. Without one, they ask for an interval.
	oftenPhrases = phrases(`how often | how many times | wie oft`)
	sumPhrases   = phrases(`all together | altogether | how much is that | what is that in total | come to | wieviel macht das |
		wie viel macht das | was macht das | was macht der | was macht die |
		together | in total | total | sum | add up | combined | overall | summe | insgesamt | zusammen |
		gesamt | in summe | aufsummiert | zusammengerechnet`)
	averagePhrases = phrases(`average | avg | mean | on average | durchschnitt | durchschnittlich | durchschnittliche | durchschnittlicher |
		durchschnittlichen | durchschnittliches | im schnitt | mittlere | mittlerer | mittleren | mittleres | mittelwert | im mittel`)
	differPhrases = phrases(`by how much | how much more | how much less | difference between | difference | gestiegen | gesunken | gefallen |
		gewachsen | zugenommen | abgenommen | increase | increased | decrease | decreased | grow | grown | grew | rise |
		go up | went up | gone up | going up | go down | went down | gone down |
		risen | rose | um wieviel | um wie viel | unterschied | differenz | compare | compared | vergleich | vergleiche |
		versus | vs`)
	// spending are verbs of payments that were made.
	spending   = setOf("spend spent money geld paid received ausgegeben bezahlt gezahlt uberwiesen eingenommen ging gingen")
	whyPhrases = phrases(`why | how do i | how do we | how do you | how can i | how to | warum | wieso | weshalb | wie kann ich |
		wie mache ich | what happens | was passiert | explain | erklare`)
	noPhrases = phrases(`no | not | without | nicht | kein | keine | keinen | keiner | ohne | doesnt | dont | isnt | arent | didnt |
		havent | hasnt | never | lack | lacks | fehlt`)
	listPhrases = phrases(`which | list | show | all | everything | every | what | whats | who | where | welche | welcher | welches |
		welchen | welchem | liste | zeige | alle | alles | wer | wo | nenne | give me`)
	// offerPhrases ask whether there are such rows.
	offerPhrases = phrases(`any | do you have | do we have | is there | are there | gibt es | haben wir | habt ihr | haben sie`)
	whoPhrases   = phrases(`who | whom | whose | wer | wem | wen | wessen`)
	whenPhrases  = phrases(`when | wann | date | datum`)
	worthPhrases = phrases(`worth | value | wert`)
	muchPhrases  = phrases(`how much | wieviel | wie viel | how many | wieviele | wie viele | wie vielen`)
)
