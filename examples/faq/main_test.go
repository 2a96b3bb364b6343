package main

import (
	"context"
	"testing"

	"docent/agent/definition"
	"docent/examples/host"
	"docent/examples/host/hosttest"
)

const options = `{"0": "Opening hours", "1": "Shipping", "2": "Returns"}`

func TestFAQ(t *testing.T) {
	t.Parallel()
	u := hosttest.Serve(t, run)
	same(u)
	u.Says("when are you open in lux?")
	u.Hears("In Luxembourg we are open from 9 to 18.", "What would you like to know?", options)
	u.Says("how much is shipping of three parcels?")
	u.Hears("Shipping costs 12 €.", "What would you like to know?", options)
}

// TestYAML checks that the file is the same agent, except that it does not
// calculate.
func TestYAML(t *testing.T) {
	t.Parallel()
	same(hosttest.Serve(t, func(ctx context.Context, addr, folder string, ready func(string)) error {
		h, err := host.Open(ctx, folder)
		if err != nil {
			return err
		}
		defer h.Close()
		d, err := definition.Load(ctx, "faq.yaml", definition.Environment{})
		if err != nil {
			return err
		}
		return h.Serve(ctx, addr, d.Agent, ready)
	}))
}

// same holds a conversation with either agent.
func same(u *hosttest.User) {
	u.Hears("What would you like to know?", options)
	u.Says("Opening hours")
	u.Hears("Bilbao and Luxembourg: 9 to 18.", "What would you like to know?", options)
	u.Says("where is the moon")
	u.Hears("I do not know that. Ask me about opening hours, shipping or returns.")
	u.Says("I want my money back!")
	u.Hears("Send it back within 30 days and we return your money.", "What would you like to know?", options)
	u.Says("shipping")
	u.Hears("Shipping costs 4 € a parcel.", "What would you like to know?", options)
}
