package table

import (
	"slices"
	"strings"
)

// concept is a kind of column with its words in English and German. A word of a question finds a header with a word of the same
// concept. Words have no umlauts; see folding.
type concept struct{ name, english, german string }

// measured are the concepts of columns that a unit or an adjective can name, too. The kind of a compound is that of its last part,
// so they count only there: "weightclass" and "Preisgruppe" are groups.
var measured = []concept{
	{"price", "price cost costs costing priced expensive cheap fee rate fare charge tariff dues", ""},
	{"price", "money", "geld"},
	{"price", "", "teuer billig preis kosten kostet gekostet gebuhr tarif entgelt gesamtpreis beitrag"},
	{"size", "size big large", "grosse gross"},
	{"quantity", "hand", ""},
	{"quantity", "quantity qty stock inventory pieces copies", "menge anzahl stuckzahl bestand lagerbestand vorrat vorratig stuck exemplare"},
	{"weight", "weight wt mass weigh weighs weighing heavy", "gewicht masse wiegt wiegen schwer"},
	{"length", "length long", "lange lang"},
	{"width", "width wide", "breite breit"},
	{"height", "height high tall level", "hohe hoch stand pegel"},
	{"depth", "depth deep", "tiefe tief"},
	{"distance", "distance far", "entfernung weit abstand strecke kilometer"},
	{"diameter", "diameter", "durchmesser"},
	{"area", "area", "flache"},
	{"temperature", "temperature temp hot cold warm", "temperatur heiss kalt"},
	{"date", "date", "datum termin"},
	{"year", "year built", "jahr baujahr gebaut"},
	{"duration", "duration takes lasts", "dauer dauert dauern laufzeit"},
	{"speed", "speed fast", "tempo geschwindigkeit schnell"},
	{"power", "power", "leistung"},
	{"density", "density dense", "dichte dicht"},
	{"capacity", "capacity volume", "kapazitat volumen fassungsvermogen"},
	{"age", "age old", "alter alt"},
	{"population", "population inhabitants residents people", "einwohner bevolkerung leute menschen"},
}

// quantities are further ones. Their English words are no parts of compounds: "terrain" is no rain.
var quantities = []concept{
	{"rating", "rating score points stars", "bewertung punkte sterne punktzahl"},
	{"rank", "rank ranking", "rang platzierung"},
	{"share", "share percentage proportion", "anteil prozentsatz quote"},
	{"range", "range", "reichweite"},
	{"noise", "noise loud loudness", "lautstarke larm laut schallpegel"},
	{"pressure", "pressure", "druck"},
	{"voltage", "voltage", "spannung"},
	{"frequency", "frequency", "frequenz"},
	{"revenue", "revenue turnover sales", "umsatz erlos"},
	{"profit", "profit", "gewinn"},
	{"loss", "loss", "verlust"},
	{"yield", "yield output production", "ertrag erzeugung produktion"},
	{"downtime", "downtime outage", "stillstand ausfall ausfallzeit stillstandszeit"},
	{"mileage", "mileage odometer", "kilometerstand laufleistung tachostand"},
	{"rain", "rain rainfall precipitation", "niederschlag regen"},
	{"humidity", "humidity", "luftfeuchtigkeit luftfeuchte"},
	{"altitude", "altitude elevation", "meereshohe seehohe"},
	{"interest", "interest", "zins zinsen zinssatz"},
	{"consumption", "consumption usage", "verbrauch"},
}

// others are the concepts of other columns.
var others = []concept{
	{"total", "total amount spend spent", "gesamt summe betrag gesamtbetrag gesamtpreis ausgegeben"},
	{"total", "revenue turnover", "umsatz"},
	{"electricity", "electricity", "strom"},
	{"heat", "heat heating", "warme heizung heiz"},
	{"living", "living", "wohn"},
	{"purchase", "purchase bought", "einkauf kauf gekauft anschaffung"},
	{"water", "water", "wasser"},
	{"supplier", "supplier vendor dealer", "lieferant handler bezugsquelle"},
	{"gross", "gross", "brutto"},
	{"net", "net", "netto"},
	{"threshold", "reorder minimum threshold", "mindestbestand meldebestand mindestmenge bestellpunkt mindest"},
	{"taken", "booked registered enrolled taken occupied reserved", "angemeldet anmeldungen belegt gebucht reserviert vergeben besetzt"},
	{"maker", "manufacturer maker brand", "hersteller marke"},
	{"customer", "customer client", "kunde kundin"},
	{"place", "location place room", "standort ort raum"},
	{"shelf", "shelf bin", "fach regal"},
	{"status", "status state", "zustand"},
	{"contact", "contact", "kontakt ansprechpartner"},
	{"responsible", "responsible owner", "verantwortlich zustandig"},
	{"phone", "phone telephone tel mobile ext", "telefon durchwahl telefonnummer rufnummer handynummer"},
	{"mail", "email mail e-mail", ""},
	{"deposit", "deposit", "kaution pfand"},
	{"discount", "discount", "rabatt"},
	{"tax", "tax vat", "mwst steuer"},
	{"warranty", "warranty", "garantie"},
	{"step", "steps stairs accessible accessibility wheelchair", "treppe treppen stufen barrierefrei stufenlos rollstuhl rollstuhlgerecht"},
	{"branch", "branch", "filiale niederlassung"},
	{"machine", "machine device", "maschine gerat"},
	{"building", "building", "gebaude"},
	{"order", "order", "bestellung auftrag"},
	{"product", "product", "produkt"},
	{"article", "article item", "artikel"},
	{"description", "description", "bezeichnung beschreibung"},
	{"department", "department", "abteilung"},
	{"employee", "employee", "mitarbeiter"},
	{"meaning", "meaning means", "bedeutung bedeutet"},
	{"salary", "salary wage earn earns", "gehalt lohn verdienst verdient verdienen"},
	{"country", "country", "land"},
	{"city", "city town", "stadt"},
	{"capital", "capital", "hauptstadt hauptort"},
	{"language", "language speak spoken", "sprache sprechen spricht gesprochen sprachig"},
	{"gender", "gender sex", "geschlecht"},
	{"color", "color colour", "farbe"},
	{"course", "course class", "kurs"},
	{"teacher", "teacher instructor", "dozent dozentin lehrer leitung kursleitung"},
	{"seats", "seats places participants capacity spots", "platze teilnehmer sitze sitzplatze kapazitat teilnehmerzahl"},
	{"pet", "pet pets dog dogs cat cats", "haustier haustiere hund hunde katze katzen"},
	{"begin", "start starts started begin begins since hired joined", "eintritt seit beginn beginnt anfang"},
	{"end", "end ends", "ende endet"},
	{"stop", "", "halt haltestelle"},
	{"train", "train", "zug"},
	{"boat", "boat ship vessel", "boot schiff"},
	{"harbor", "harbor harbour", "hafen"},
	{"car", "car vehicle automobile", "auto wagen fahrzeug"},
	{"drink", "drink beverage", "getrank"},
	{"eol", "eol support end", ""},
	{"sugar", "sugar", "zucker"},
	{"caffeine", "caffeine", "koffein"},
	{"alcohol", "alcohol", "alkohol"},
	{"person", "person", ""},
	{"license", "license licence", "lizenz"},
	{"level", "grade level", "stufe niveau"},
	{"birth", "birth born birthday birthdate dob", "geburt geburtstag geburtsdatum geboren geb gebdat"},
	{"death", "death died die dies", "tod gestorben starb"},
	{"job", "job profession occupation", "beruf"},
	{"region", "region", "bundesland"},
	{"rent", "rent rental", "miete miet kaltmiete warmmiete"},
	{"monthly", "monthly month", "monatlich monat"},
	{"weekly", "weekly week", "wochentlich woche"},
	{"daily", "daily day", "taglich tag"},
	{"hourly", "hourly hour", "stundlich stunde"},
	{"annual", "annual yearly annually year", "jahrlich jahr"},
	{"apartment", "apartment flat", "wohnung"},
	{"floor", "floor storey story", "etage stockwerk geschoss"},
	{"rooms", "rooms", "zimmer"},
	{"district", "district neighborhood neighbourhood", "stadtteil stadtbezirk bezirk viertel ortsteil"},
	{"street", "street address", "strasse adresse anschrift"},
	{"balcony", "balcony", "balkon"},
	{"garden", "garden", "garten"},
	{"parking", "parking garage", "parkplatz stellplatz"},
	{"available", "available availability", "verfugbar frei bezugsfrei"},
	{"energy", "energy", "energie brennwert"},
	{"category", "category class group", "klasse kategorie gruppe"},
	{"type", "type kind model", "typ modell sorte"},
	{"vehicle", "vehicle car", "fahrzeug auto wagen pkw"},
	{"plate", "plate registration", "kennzeichen"},
	{"fuel", "fuel", "kraftstoff treibstoff sprit"},
	{"engine", "engine motor drive drivetrain powertrain", "antrieb"},
	{"repair", "repair repairs", "reparatur reparieren instandsetzung"},
	{"inspection", "inspection check", "inspektion prufung hauptuntersuchung hu tuv"},
	{"service", "service maintenance", "wartung"},
	{"registration", "registration registered", "zulassung erstzulassung zugelassen"},
	{"turbine", "turbine", "windrad windrader windkraftanlage"},
	{"hub", "hub", "nabe"},
	{"commissioned", "commissioned commissioning", "inbetriebnahme"},
	{"fat", "fat", "fett"},
	{"protein", "protein", "eiweiss"},
	{"sugar", "sugar", "zucker"},
	{"salt", "salt", "salz"},
	{"carbohydrate", "carbohydrate carbohydrates carbs", "kohlenhydrate"},
	{"fiber", "fiber fibre", "ballaststoffe"},
	{"energy", "calories kcal calorie", "kalorien"},
	{"milk", "milk", "milch"},
	{"cheese", "cheese", "kase"},
	{"lactose", "lactose", "laktose"},
	{"ripening", "ripening ripen ripens ripened aging", "reifung reift reifezeit reifen"},
	{"alcohol", "alcohol", "alkohol"},
	{"ingredient", "ingredient ingredients", "zutat zutaten"},
	{"invoice", "invoice", "rechnung"},
	{"payment", "payment paid pay", "zahlung bezahlt zahlungsart"},
	{"due", "due", "fallig falligkeit"},
	{"budget", "budget", "etat"},
	{"account", "account", "konto"},
	{"margin", "margin", "marge"},
	{"sold", "sold", "verkauft verkauf absatz"},
	{"delivery", "delivery delivered", "lieferung liefer lieferzeit geliefert"},
	{"shipping", "shipping shipped shipment", "versand versandt"},
	{"team", "team", "mannschaft"},
	{"player", "player", "spieler spielerin"},
	{"goals", "goals", "tore"},
	{"wins", "wins", "siege"},
	{"games", "games matches", "spiele"},
	{"season", "season", "saison"},
	{"result", "result", "ergebnis"},
	{"jump", "jump jumped", "sprung gesprungen springt sprang"},
	{"throw", "throw threw thrown", "wurf geworfen wirft warf"},
	{"firstname", "firstname", "vorname"},
	{"surname", "surname lastname", "nachname familienname"},
	{"student", "student pupil", "schuler student"},
	{"subject", "subject", "schulfach"},
	{"exam", "exam", "klausur prufung"},
	{"shift", "shift", "schicht"},
	{"position", "position role", "stelle rolle funktion"},
	{"manager", "manager head boss", "leiter leiterin chef vorgesetzter"},
	{"office", "office", "buro"},
	{"vacation", "vacation holiday", "urlaub"},
	{"overtime", "overtime", "uberstunden"},
	{"memory", "memory ram", "arbeitsspeicher"},
	{"storage", "storage disk", "speicherplatz festplatte"},
	{"resolution", "resolution", "auflosung"},
	{"battery", "battery", "akku batterie"},
	{"screen", "screen display", "bildschirm"},
	{"processor", "processor cpu", "prozessor"},
	{"sunshine", "sunshine", "sonnenschein sonnenstunden"},
	{"river", "river", "fluss gewasser"},
	{"mountain", "mountain peak", "berg gipfel"},
	{"tree", "tree", "baum baume"},
	{"animal", "animal", "tier"},
	{"school", "school", "schule"},
	{"visitors", "visitors", "besucher gaste"},
	{"ticket", "ticket admission", "eintritt eintrittskarte"},
	{"opens", "opens opening", "offnet offnung offnungszeiten"},
	{"closes", "closes closing", "schliesst schliessung"},
	{"bed", "bed beds", "bett betten"},
	{"bedroom", "bedroom bedrooms", "schlafzimmer"},
	{"household", "household households", "haushalt haushalte"},
	{"member", "member members", "mitglied mitglieder"},
	{"author", "author authors writer wrote written", "autor autorin verfasser geschrieben schrieb"},
	{"publisher", "publisher", "verlag"},
	{"page", "page pages", "seite seiten seitenzahl"},
	{"book", "book", "buch bucher"},
}

// priced are the concepts of columns that are prices, too. A question for a price finds them, and one for a rent finds no price.
var priced = []string{"rent"}

// concepts are the names of the concepts of a word or its root. heads are those of words that may be the last part of a compound,
// such as "Preis" of "Kaufpreis", and modifiers those of words that may be its first part, such as "Strom" of "Stromkosten".
var concepts, heads, modifiers = conceptWords()

// things are the names of the concepts of things, and not of measures.
var things = func() map[string]bool {
	out := map[string]bool{}
	for _, c := range others {
		out[c.name] = true
	}
	return out
}()

// means reports whether two words have the same concept of a thing, such as "apartments" and "Wohnung".
func (w word) means(other word) bool {
	own := w.concepts()
	if own == nil { // "Gebrauchtwagen" are cars
		own, _ = w.parts()
	}
	return slices.ContainsFunc(own, func(name string) bool { return things[name] && slices.Contains(other.concepts(), name) })
}

func conceptWords() (all, heads, modifiers map[string][]string) {
	all, heads, modifiers = map[string][]string{}, map[string][]string{}, map[string][]string{}
	add := func(to map[string][]string, list, name string) {
		for _, w := range strings.Fields(list) {
			if plain := folding.Replace(w); to[plain] == nil || !slices.Contains(to[plain], name) {
				to[plain] = append(to[plain], name)
				if _, orders := superlatives[root(plain)]; orders { // "lasts" and "last"
					continue
				}
				if r := root(plain); r != plain && len(r) > minRoot {
					to[r] = append(to[r], name)
				}
			}
		}
	}
	for _, c := range slices.Concat(measured, quantities, others) {
		add(all, c.english+" "+c.german, c.name)
		add(heads, c.german, c.name)
	}
	for _, c := range measured {
		add(heads, c.english, c.name)
	}
	for _, c := range others {
		add(modifiers, c.german, c.name)
	}
	for w := range adjectives {
		delete(heads, w)
		delete(modifiers, w)
	}
	return all, heads, modifiers
}

// concepts returns the concepts of a word.
func (w word) concepts() []string {
	if list := concepts[w.text]; list != nil {
		return list
	}
	return concepts[w.root]
}

// minPart is the minimum length of a part of a compound, and minOther that of the other part.
const (
	minPart  = 4
	minOther = 3
)

// parts returns the concepts of the last part of a compound, which is its kind, and those of its first part. A unit may follow the
// last part, as in "heightcm".
func (w word) parts() (head, modifier []string) {
	longest := 0
	for part, list := range heads {
		if len(part) < max(minPart, longest) {
			continue
		}
		unit, begins := strings.CutPrefix(w.text, part)
		ends := (strings.HasSuffix(w.text, part) || strings.HasSuffix(w.root, part)) && len(w.text) >= len(part)+minOther
		if ends || begins && isUnit(unit) {
			head, longest = list, len(part)
		}
	}
	if first, ok := w.measured(); ok { // "Stillstandsstunden" are a downtime
		head = slices.Concat(head, first.concepts())
	}
	for part, list := range modifiers {
		if len(part) >= minPart && strings.HasPrefix(w.text, part) && len(w.text) >= len(part)+minOther {
			modifier = append(modifier, list...)
		}
	}
	return head, modifier
}

// measured returns the first part of a compound that ends in a unit.
func (w word) measured() (first word, ok bool) {
	for i := minPart; i <= len(w.text)-minPart; i++ {
		if isUnit(w.text[i:]) {
			return newWord(strings.TrimSuffix(w.text[:i], "s")), true
		}
	}
	return word{}, false
}

// Wording returns the words for the columns and rows that a question names, in English and German. It finds tables in the other
// language. It is "" if no word is known.
func Wording(question string) string {
	var names, out []string
	for _, w := range words(question) {
		own := w.concepts()
		if own == nil {
			head, modifier := w.parts()
			own = slices.Concat(head, modifier)
		}
		if a, ok := w.superlative(); ok {
			own = append(slices.Clone(own), strings.Fields(a.concepts)...)
		}
		if genders[w.text] != nil {
			own = append(slices.Clone(own), "gender")
		}
		for _, name := range own {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, c := range slices.Concat(measured, quantities, others) {
		if slices.Contains(names, c.name) {
			out = append(out, c.english, c.german)
		}
	}
	return strings.Join(out, " ")
}
