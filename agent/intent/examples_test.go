package intent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// assistant are a few intents of a typical agent.
func assistant() []*Intent {
	city := Listed("city", Value{"Paris", []string{"city of light"}}, Value{"New York", []string{"NYC", "the big apple"}}, Value{"York", nil})
	return []*Intent{
		New("hello", "hi", "hello", "good morning"),
		New("yes", "yes", "ok", "sure"),
		New("no", "no", "no thanks", "I don't want that"),
		New("weather", "what is the weather in CITY?", "weather in CITY on DATE").Parameter("city", "CITY", city).Parameter("when", "DATE", DateTime()),
		New("flight", "book a flight from HERE to THERE", "fly to THERE from HERE", "N tickets from HERE to THERE").
			Parameter("here", "HERE", city).Parameter("there", "THERE", city).Parameter("tickets", "N", Number()),
	}
}

func classify(t *testing.T, c Classifier, text string, intents []*Intent) Prediction {
	t.Helper()
	p, err := c.Classify(t.Context(), Request{Text: text, Intents: intents, Now: wednesday(t)})
	if err != nil {
		t.Fatal(err)
	}
	if p.Sentence != text {
		t.Errorf("the sentence is %q, not what the user said", p.Sentence)
	}
	return p
}

// values formats a prediction briefly.
func (p *Prediction) values() string {
	var b strings.Builder
	b.WriteString(p.Intent)
	for _, m := range p.Parameters {
		if m.Value == nil {
			fmt.Fprintf(&b, " %s=nil", m.Name)
		} else {
			fmt.Fprintf(&b, " %s=%s", m.Name, *m.Value)
		}
	}
	return b.String()
}

// BAF W36
func TestExamples(t *testing.T) {
	t.Parallel()
	c := newExamples(t, ExamplesConfig{})
	intents := assistant()
	for text, want := range map[string]string{
		"hi":                     "1 hello",
		"  HI!!  ":               "1 hello",
		"Good   morning...":      "1 hello",
		"ok":                     "1 yes",
		"no":                     "1 no",
		"No.":                    "1 no",
		"No, thanks":             "1 no",
		"I don’t want that":      "1 no",
		"weather in paris":       "? weather city=Paris when=nil",
		"nope":                   "? no",
		"":                       "1 fallback_intent",
		"???":                    "1 fallback_intent",
		"xyzzyq blorbfnk":        "1 fallback_intent",
		"who wrote Hamlet?":      "1 fallback_intent",
		"\xff\xfe":               "1 fallback_intent",
		"is the earth not flat?": "1 fallback_intent",
		// Fragments stand for values, so these messages equal examples.
		"What is the weather in the Big Apple?":    "1 weather city=New York when=nil",
		"weather in NYC on 21 Nov 2026":            "1 weather city=New York when=2026-11-21T00:00:00+01:00",
		"weather in York on Friday":                "1 weather city=York when=2026-11-20T00:00:00+01:00",
		"book a flight from Paris to NYC":          "1 flight here=Paris there=New York tickets=nil",
		"fly to Paris from York":                   "1 flight here=York there=Paris tickets=nil",
		"twenty-one tickets from York to New York": "1 flight here=York there=New York tickets=21",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			p := classify(t, c, text, intents)
			score, want, _ := strings.Cut(want, " ")
			if got := p.values(); got != want {
				t.Errorf("got %s at %.2f, want %s", got, p.Score, want)
			}
			if score == "1" && p.Score != 1 || score == "?" && (p.Score < DefaultThreshold || p.Score >= 1) {
				t.Errorf("score %.2f, want %s", p.Score, score)
			}
		})
	}
}

func TestExamplesExactness(t *testing.T) {
	t.Parallel()
	c := newExamples(t, ExamplesConfig{})
	t.Run("an exact example wins over other forms of words", func(t *testing.T) {
		t.Parallel()
		intents := []*Intent{New("one", "book tables"), New("all", "book table")}
		if p := classify(t, c, "Book table!", intents); p.Intent != "all" || p.Score != 1 {
			t.Errorf("%+v", p)
		}
		if p := classify(t, c, "booking tables", intents); p.Intent != "one" || p.Score != stemmedScore {
			t.Errorf("%+v", p)
		}
	})
	t.Run("verbatim", func(t *testing.T) {
		t.Parallel()
		if p := classify(t, newExamples(t, ExamplesConfig{Verbatim: true}), "booking tables", []*Intent{New("one", "book tables")}); p.Score >= stemmedScore {
			t.Errorf("%+v", p)
		}
	})
	t.Run("the first of equals", func(t *testing.T) {
		t.Parallel()
		intents := []*Intent{New("a", "see you"), New("b", "see you")}
		for _, text := range []string{"see you", "see you tomorrow"} {
			if p := classify(t, c, text, intents); p.Intent != "a" {
				t.Errorf("%s: %+v", text, p)
			}
		}
	})
	t.Run("the threshold is enough", func(t *testing.T) {
		t.Parallel()
		if p := classify(t, newExamples(t, ExamplesConfig{Threshold: 1}), "hi", assistant()); p.Intent != "hello" {
			t.Errorf("%+v", p)
		}
	})
	t.Run("an intent without examples", func(t *testing.T) {
		t.Parallel()
		if p := classify(t, c, "hi", []*Intent{New("none"), New("hello", "hi")}); p.Intent != "hello" {
			t.Errorf("%+v", p)
		}
	})
	t.Run("a word that only the examples know", func(t *testing.T) {
		t.Parallel()
		if p := classify(t, c, "Öffnungszeiten?", []*Intent{New("hours", "Wie sind die Öffnungszeiten?", "Öffnungszeiten heute")}); p.Intent != "hours" {
			t.Errorf("%+v", p)
		}
	})
	t.Run("a message without end", func(t *testing.T) {
		t.Parallel()
		text := strings.Repeat("please tell me ", 20000)
		if p := classify(t, c, text, assistant()); p.Score < 0 || p.Score > 1 {
			t.Errorf("%v", p.Score)
		}
	})
}

func TestExamplesCache(t *testing.T) {
	t.Parallel()
	c := newExamples(t, ExamplesConfig{})
	intents := assistant()
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for k := range maxSets {
				own := append([]*Intent{New(fmt.Sprint(n, k), "hi there")}, intents...)
				for _, set := range [][]*Intent{own, intents} {
					if p, err := c.Classify(t.Context(), Request{Text: "hello", Intents: set}); err != nil || p.Intent != "hello" {
						t.Errorf("%+v, %v", p, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if len(c.sets) > maxSets {
		t.Errorf("%d sets", len(c.sets))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := c.Classify(ctx, Request{Text: "hello", Intents: intents}); !errors.Is(err, context.Canceled) || p.Intent != Fallback {
		t.Errorf("%+v, %v", p, err)
	}
}

// BAF W36
func TestEntities(t *testing.T) {
	t.Parallel()
	languages := Listed("language", Value{"C", nil}, Value{"C++", []string{"cpp", "C plus plus"}}, Value{"Go", []string{"golang"}}, Value{"Ελλάδα", nil})
	i := New("x").Parameter("language", "LANG", languages).Parameter("code", "CODE", Regexp("code", `\b([A-Z]{2}-\d+)\b`)).
		Parameter("when", "DATE", DateTime()).Parameter("n", "N", Number()).Parameter("any", "ANY", Any())
	for text, want := range map[string]string{
		"I like C++ and C":                   "x language=C++ code=nil when=nil n=nil any=nil",
		"c or c++":                           "x language=C code=nil when=nil n=nil any=nil",
		"C  PLUS\tplus, please":              "x language=C++ code=nil when=nil n=nil any=nil",
		"a cat":                              "x language=nil code=nil when=nil n=nil any=nil",
		"GoLang!":                            "x language=Go code=nil when=nil n=nil any=nil",
		"going":                              "x language=nil code=nil when=nil n=nil any=nil",
		"ΕΛΛΆΔΑ":                             "x language=Ελλάδα code=nil when=nil n=nil any=nil",
		"order AB-12 for 3":                  "x language=nil code=AB-12 when=nil n=3 any=nil",
		"on 21 Nov 2026":                     "x language=nil code=nil when=2026-11-21T00:00:00+01:00 n=nil any=nil",
		"4 people on 2026-11-21 at 14:00":    "x language=nil code=nil when=2026-11-21T14:00:00+01:00 n=4 any=nil",
		"on 2026-11-21 at 14:00, 4 people":   "x language=nil code=nil when=2026-11-21T14:00:00+01:00 n=4 any=nil",
		"minus two and a half degrees today": "x language=nil code=nil when=2026-11-18T00:00:00+01:00 n=-2.5 any=nil",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			m := newMatcher(Request{Text: text, Now: wednesday(t)})
			matches, _ := m.assign(i, "")
			if got := (&Prediction{Intent: "x", Parameters: matches}).values(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	m := newMatcher(Request{Text: "in 5 minutes, or 7", Now: wednesday(t)})
	if matches, _ := m.assign(New("x").Parameter("n", "N", Number()), ""); *matches[0].Value != "7" {
		t.Errorf("a number outside of dates comes first: %s", *matches[0].Value)
	}
	p := Prediction{Parameters: []Match{{Name: "a"}, {Name: "b", Value: new("5")}}}
	if v, ok := p.Parameter("b"); v != "5" || !ok {
		t.Errorf("%q, %v", v, ok)
	}
	if v, ok := p.Parameter("a"); v != "" || ok {
		t.Errorf("%q, %v", v, ok)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	number := Number()
	for want, intents := range map[string][]*Intent{
		"":                                     assistant(),
		"intent 2 is nil":                      {New("a"), nil},
		"intent 1 has no name":                 {New(" ")},
		"an intent cannot be named":            {New(Fallback)},
		"two intents named":                    {New("a"), New("a")},
		"sentence 2 is empty":                  {New("a", "x", " ")},
		"parameter 1 has no name":              {New("a").Parameter("", "X", number)},
		"two parameters named":                 {New("a").Parameter("x", "X", number).Parameter("x", "Y", number)},
		"has no entity":                        {New("a").Parameter("x", "X", nil)},
		"an entity of kind listed has no name": {New("a").Parameter("x", "X", Listed(""))},
		"has no values":                        {New("a").Parameter("x", "X", Listed("e"))},
		"value 1 is empty":                     {New("a").Parameter("x", "X", Listed("e", Value{}))},
		`has the value "v" twice`:              {New("a").Parameter("x", "X", Listed("e", Value{"v", nil}, Value{"v", nil}))},
		"has an empty synonym":                 {New("a").Parameter("x", "X", Listed("e", Value{"v", []string{""}}))},
		"error parsing regexp":                 {New("a").Parameter("x", "X", Regexp("e", "("))},
		"has no pattern":                       {New("a").Parameter("x", "X", &Entity{Name: "e", Kind: KindRegexp})},
		"unknown kind":                         {New("a").Parameter("x", "X", &Entity{Name: "e", Kind: "?"})},
		"two entities named":                   {New("a").Parameter("x", "X", Regexp("e", ".")), New("b").Parameter("x", "X", Regexp("e", "."))},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			err := Validate(intents...)
			if want == "" && err == nil {
				return
			}
			if want == "" || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// A message does not have the intent that it denies or forbids, whatever the examples are.
func TestDenials(t *testing.T) {
	t.Parallel()
	intents := []*Intent{
		New("shipping", "shipping", "how long does shipping take?", "when will my package arrive?", "delivery time", "my package did not arrive"),
		New("hours", "opening hours", "when are you open?", "tell me the opening hours", "at what time do you close?"),
		New("broken", "it does not work", "the machine is broken", "it won't start"),
		New("refund", "I want my money back", "refund", "give me a refund for my order"),
		New("cancel", "cancel my order", "I want to cancel an order", "please cancel the order"),
		New("delete", "delete my data", "delete my account", "remove all my data"),
	}
	answers := []*Intent{New("yes", "yes", "ok"), New("no", "no", "no thanks", "I don't want that"), New("cancel", "cancel my order")}
	checkIntents(t, "en", intents, map[string]string{
		Fallback: `not shipping
				no shipping
				no shipping please
				not the shipping
				without shipping
				anything but shipping
				this is not about shipping
				it isn't about the opening hours
				never mind the shipping
				I don't want a shipping
				I do not need your shipping
				I need no shipping
				ich brauche kein shipping
				don't tell me the opening hours
				do not tell me your opening hours
				please don't tell me when you are open
				I do not want my money back
				I don’t want a refund
				we no longer want a refund for our order
				I really do not want my money back
				dont cancel my order
				do not cancel my order!
				please never cancel my order
				I did not cancel my order
			I would not like to cancel my order
			you must not cancel my order
				I have not cancelled my order
				I no longer want to cancel
				I don't want to cancel my order anymore
				never delete my data
				Please do not delete my account`,
		"hours": `no, tell me your opening hours
				no, your opening hours
				no, opening hours
				No. When are you open?
				not the shipping, the opening hours
				I don't need a refund, but tell me the opening hours
				tell me the opening hours instead of the delivery time
				tell me your opening hours
				when do you open?
				never mind, when are you open?`,
		"shipping": `I don't know how long the shipping takes
				my package has not arrived
				no, no, when will my package arrive?
				how long does the shipping take
				shipping`,
		"broken": `it doesn't work
				my machine does not start
				the machine does not work`,
		"cancel": "no, cancel my order\nI can not cancel my order\nplease cancel my order\ncancel it, I don't want the order",
		"delete": "delete my data\nno, delete my account",
		"refund": "I don't want a new one, I want my money back\nno, refund",
	})
	checkIntents(t, "en", answers, map[string]string{
		"no":     "no\nno thanks\nI don't want that\nno, thank you\nI don't want a refund",
		"cancel": "no, cancel my order",
		"yes":    "yes\nok",
	})
}

func TestGermanDenials(t *testing.T) {
	t.Parallel()
	german := []*Intent{
		New("storno", "storniere meine Bestellung", "ich will meine Bestellung stornieren", "Bestellung stornieren"),
		New("konto", "lösche mein Konto", "ich möchte mein Konto löschen"),
		New("zeiten", "Öffnungszeiten", "wann habt ihr geöffnet?", "wann macht ihr zu?"),
		New("geld", "ich will mein Geld zurück", "Rückerstattung"),
		New("lieferung", "wann kommt mein Paket?", "Lieferung", "wo bleibt meine Lieferung?"),
	}
	checkIntents(t, "de", german, map[string]string{
		Fallback: `bitte storniere meine Bestellung nicht
				stornieren Sie meine Bestellung nicht
				ich will meine Bestellung nicht stornieren
				ich will nicht, dass ihr meine Bestellung storniert
				bitte lösche mein Konto nicht
				ich möchte mein Konto nicht löschen
				ich brauche keine Lieferung
				keine Lieferung bitte
				ich will mein Geld nicht zurück
				alles außer Öffnungszeiten
				es geht nicht um die Öffnungszeiten`,
		"storno":    "bitte storniere meine Bestellung\nnein, storniere meine Bestellung",
		"konto":     "nein, ich möchte mein Konto löschen",
		"zeiten":    "keine Lieferung, sondern die Öffnungszeiten\nich brauche kein Geld, wann habt ihr geöffnet?",
		"lieferung": "wo bleibt mein Paket?\nich will wissen, wann mein Paket kommt",
	})
}

// TestDenialsOfAHotel has messages of somebody who did not know the rules.
func TestDenialsOfAHotel(t *testing.T) {
	t.Parallel()
	hotel := []*Intent{
		New("book", "book a room", "I want to book a room", "I need a room for tonight"),
		New("cancel", "cancel my reservation", "cancel my booking", "I want to cancel my room"),
		New("breakfast", "is breakfast included?", "breakfast", "when is breakfast served?", "do you have breakfast?"),
		New("hours", "opening hours", "when are you open?", "what are your opening hours?"),
	}
	checkIntents(t, "en", hotel, map[string]string{
		Fallback: `no breakfast for me, thanks
			I'm not going to cancel my reservation
			I'm not trying to cancel my booking
			I am not looking to book a room
			you don't have to cancel my room
			I wasn't asking about the opening hours
			the opening hours are not what I want to know
			let's not book a room yet
			stop asking me to book a room
			forget about the breakfast
			I don't care about breakfast
			I have no interest in your opening hours`,
		"breakfast": "isn't breakfast included?\nis breakfast not included?\ndon't you have breakfast?",
		"hours":     "when are you not open?",
		"book":      "I have no reservation, I need a room for tonight\nwhy not book a room",
	})
}

// TestGermanDenialsOfABank has messages of somebody who did not know the rules.
func TestGermanDenialsOfABank(t *testing.T) {
	t.Parallel()
	bank := []*Intent{
		New("sperren", "meine Karte sperren", "ich möchte meine Karte sperren", "bitte sperren Sie meine Karte"),
		New("stand", "wie ist mein Kontostand?", "zeig mir meinen Kontostand", "Kontostand abfragen"),
		New("zeiten", "Öffnungszeiten", "wann haben Sie geöffnet?", "sag mir die Öffnungszeiten"),
	}
	checkIntents(t, "de", bank, map[string]string{
		Fallback: `nicht meine Karte sperren!
			bitte nicht die Karte sperren
			auf keinen Fall meine Karte sperren
			du sollst meine Karte nicht sperren
			Sie brauchen meine Karte nicht zu sperren
			sperrt meine Karte bitte nicht
			sag mir nicht die Öffnungszeiten
			ich will keine Karte sperren`,
		"sperren": "ich habe keine Zeit, bitte sperren Sie meine Karte\nmeine Karte sperren, bitte",
		"stand":   "nein, zeig mir meinen Kontostand",
	})
}

// TestNegatedExamples: a negation in a message does not lead to an intent only because
// its examples have a negation, too.
func TestNegatedExamples(t *testing.T) {
	t.Parallel()
	pizzeria := []*Intent{
		New("order", "I want a pizza", "order a pizza", "I'd like to order a pizza"),
		New("complain", "the pizza never arrived", "I did not get my order", "my pizza is cold"),
	}
	checkIntents(t, "en", pizzeria, map[string]string{
		"order": `I want a pizza without olives
			a pizza with no cheese please
			I have no time to cook, order a pizza
			I don't like salad, I want a pizza
			why not order a pizza`,
		"complain": "no pizza has arrived\nmy order never arrived\nI didn't get my pizza",
	})
}

// checkIntents classifies messages. want has the messages of each intent, one in a line.
func checkIntents(t *testing.T, language string, intents []*Intent, want map[string]string) {
	t.Helper()
	c := newExamples(t, ExamplesConfig{})
	for name, messages := range want {
		for text := range strings.Lines(messages) {
			text = strings.TrimSpace(text)
			p, err := c.Classify(t.Context(), Request{Text: text, Intents: intents, Language: language})
			if err != nil {
				t.Fatal(err)
			}
			if p.Intent != name {
				t.Errorf("%q is %s at %.3f, want %s", text, p.Intent, p.Score, name)
			}
		}
	}
}

// A value alone does not express an intent, unless an example consists of it. The
// negation of an example does not express its intent either.
func TestValuesAloneAreNoIntent(t *testing.T) {
	t.Parallel()
	size := Listed("size", Value{"small", []string{"tiny"}}, Value{"large", nil})
	order := New("order", "a SIZE shirt please", "order COUNT SIZE shirts on DAY").
		Parameter("size", "SIZE", size).Parameter("count", "COUNT", Number()).Parameter("day", "DAY", DateTime())
	intents := []*Intent{order, New("hello", "hi", "hello", "good morning"), New("pick", "DEPOT").Parameter("depot", "DEPOT", Listed("depot", Value{"north", nil}))}
	c := newExamples(t, ExamplesConfig{})
	for text, want := range map[string]string{
		"5": Fallback, "2026": Fallback, "large": Fallback, "tiny!": Fallback, "5 large": Fallback, "[1,2]": Fallback, "tomorrow": Fallback,
		"there were 12 errors in the log yesterday": Fallback, "not hello": Fallback,
		"north": "pick", "North.": "pick", "hello": "hello", "hello there": "hello",
		"a large shirt": "order", "order 5 large shirts on Friday": "order", "please order a tiny shirt": "order", "three small shirts": "order",
	} {
		if p := classify(t, c, text, intents); p.Intent != want {
			t.Errorf("%q is %s at %.3f, want %s", text, p.Intent, p.Score, want)
		}
	}
}

// The name of a placeholder is no word of its example.
func TestNamesOfPlaceholdersAreNoWords(t *testing.T) {
	t.Parallel()
	order := New("order", "a SIZE shirt please", "order COUNT SIZE shirts").
		Parameter("size", "SIZE", Listed("size", Value{"small", nil}, Value{"large", nil})).Parameter("count", "COUNT", Number())
	weather := New("weather", "what is the weather in CITY", "will it rain in CITY on DAY").
		Parameter("city", "CITY", Listed("city", Value{"Paris", nil})).Parameter("day", "DAY", DateTime())
	intents := []*Intent{order, weather}
	c := newExamples(t, ExamplesConfig{})
	for text, want := range map[string]string{
		"what size is it": Fallback, "size": Fallback, "count": Fallback, "the count": Fallback, "which size?": Fallback,
		"which city are you in?": Fallback, "city": Fallback, "what day is it": Fallback,
		"order 3 large shirts": "order", "order shirts": "order", "I want a large shirt": "order", "2 small shirts, please": "order",
		"what is the weather in Paris": "weather", "what is the weather": "weather", "rain in Paris tomorrow?": "weather",
		"what is the weather in your city": "weather",
	} {
		if p := classify(t, c, text, intents); p.Intent != want {
			t.Errorf("%q is %s at %.3f, want %s", text, p.Intent, p.Score, want)
		}
	}
}

// Courtesy says nothing about what the user wants, unless it is all of the example.
func TestCourtesyIsNoIntent(t *testing.T) {
	t.Parallel()
	cake := Listed("cake", Value{"cheesecake", nil}, Value{"tart", nil})
	intents := []*Intent{
		New("order", "a CAKE please", "NUMBER CAKE please").Parameter("cake", "CAKE", cake).Parameter("number", "NUMBER", Number()),
		New("begging", "please", "bitte"),
	}
	c := newExamples(t, ExamplesConfig{})
	for text, want := range map[string]string{
		"one coffee please": Fallback, "book please": Fallback, "the bill please": Fallback, "please": "begging", "bitte": "begging",
		"a tart please": "order", "a tart": "order", "two cheesecake, please": "order", "please, a cheesecake": "order",
	} {
		if p := classify(t, c, text, intents); p.Intent != want {
			t.Errorf("%q is %s at %.3f, want %s", text, p.Intent, p.Score, want)
		}
	}
	if p := classify(t, c, "please", intents[:1]); p.Intent != Fallback {
		t.Errorf("please is %s at %.3f", p.Intent, p.Score)
	}
}
