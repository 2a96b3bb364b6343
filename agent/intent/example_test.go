package intent_test

import (
	"context"
	"fmt"
	"time"

	"docent/agent/intent"
)

func Example() {
	city := intent.Listed("city", intent.Value{Value: "Paris", Synonyms: []string{"city of light"}}, intent.Value{Value: "London"})
	intents := []*intent.Intent{
		intent.New("greeting", "hi", "hello there", "good morning"),
		intent.New("weather", "what is the weather in CITY?", "will it rain in CITY on DATE?").
			Parameter("city", "CITY", city).
			Parameter("day", "DATE", intent.DateTime()),
	}
	if err := intent.Validate(intents...); err != nil {
		fmt.Println(err)
		return
	}
	classifier, err := intent.NewExamples(intent.ExamplesConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	for _, text := range []string{"Hi!", "is it going to rain in the city of light tomorrow?", "what is two plus two?"} {
		p, err := classifier.Classify(context.Background(), intent.Request{Text: text, Intents: intents, Now: now})
		if err != nil {
			fmt.Println(err)
			return
		}
		city, _ := p.Parameter("city")
		day, _ := p.Parameter("day")
		fmt.Printf("%s %q %q\n", p.Intent, city, day)
	}
	// Output:
	// greeting "" ""
	// weather "Paris" "2026-11-19T00:00:00Z"
	// fallback_intent "" ""
}
