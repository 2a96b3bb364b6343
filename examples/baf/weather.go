package baf

import (
	"context"
	"fmt"

	"docent/agent"
	"docent/agent/intent"
)

// Weather finds a city in the message and tells its weather.
func Weather(v Services) (*agent.Agent, error) {
	a := agent.New("weather")
	city := a.Entity(intent.Listed("city",
		intent.Value{Value: "Barcelona", Synonyms: []string{"BCN", "barna"}},
		intent.Value{Value: "Madrid"},
		intent.Value{Value: "Luxembourg", Synonyms: []string{"LUX"}}))
	asked := a.Intent("weather", "what is the weather in CITY?", "what is the weather like in CITY?", "weather in CITY").
		Parameter("city", "CITY", city)
	start, weather := a.State("start", agent.Initial), a.State("weather")
	start.Body(say("Welcome! I can tell you the weather in a city, as in: What is the weather in Barcelona?"))
	start.OnIntent(asked).GoTo(weather)
	weather.Body(func(ctx context.Context, s *agent.Session) error {
		prediction := s.Prediction()
		city, ok := prediction.Parameter("city")
		if !ok {
			return s.Reply(ctx, "Sorry, I didn't get the city")
		}
		degrees, err := v.temperature(ctx, place{City: city})
		if err != nil {
			return err
		}
		if err := s.Reply(ctx, fmt.Sprintf("The weather in %s is %v°C", city, degrees)); err != nil {
			return err
		}
		if degrees < cold {
			return s.Reply(ctx, "🥶")
		}
		return s.Reply(ctx, "🥵")
	})
	weather.GoTo(start)
	return a, nil
}

// cold is the temperature below which it is cold, in degrees.
const cold = 15
