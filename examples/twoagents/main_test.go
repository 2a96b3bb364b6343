package main

import (
	"testing"

	"docent/examples/exampletest"
)

func TestTwoAgents(t *testing.T) {
	t.Parallel()
	u := exampletest.Serve(t, run)
	u.Hears("Hi! Which city are you going to?")
	for _, city := range []string{"Bilbao", "Luxembourg"} {
		u.Says(city)
		u.Hears("The forecaster says: It will rain in " + city + ".")
	}
}
