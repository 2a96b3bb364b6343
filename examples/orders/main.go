// Command orders is an order desk. A chat model looks for orders and pays money back, and the
// user must allow each payment. A guard keeps card numbers away from the model. It needs one that
// can use tools:
//
//	go run ./examples/orders --llm-url http://localhost:11434/v1 --model qwen3
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"regexp"
	"time"

	"docent"
	"docent/agent"
	"docent/agent/reason"
	"docent/agent/tool"
	"docent/llm"
)

// orders are the orders of the shop, in euros.
var orders = map[string]int{"A7": 20, "B3": 310}

// order is the argument of the tools.
type order struct {
	Number string `json:"number" description:"the number of the order, such as A7"`
}

// price returns the price of the order.
func (o order) price() (int, error) {
	price, ok := orders[o.Number]
	if !ok {
		return 0, &tool.Error{Text: "there is no order " + o.Number}
	}
	return price, nil
}

// newAgent returns the agent. refund pays euros back, and is called at most once for each consent.
func newAgent(model llm.Model, refund func(ctx context.Context, number string, euros int) error) (*agent.Agent, error) {
	find, err := tool.New("find_order", "Finds an order.", func(_ context.Context, o order) (any, error) {
		price, err := o.price()
		return map[string]any{"number": o.Number, "euros": price}, err
	})
	if err != nil {
		return nil, err
	}
	pay, err := tool.New("refund_order", "Pays the money for an order back.", func(ctx context.Context, o order) (any, error) {
		price, err := o.price()
		if err != nil {
			return nil, err
		}
		return fmt.Sprintf("%d euros are on their way.", price), refund(ctx, o.Number, price)
	})
	if err != nil {
		return nil, err
	}
	think, err := reason.New(model, reason.Options{
		Tools: []tool.Tool{find, pay}, Approve: []string{"refund_order"}, ApproveWithin: time.Hour, NoPlanning: true,
		System: "You are the order desk of a shop. Look an order up before you pay it back.",
	})
	if err != nil {
		return nil, err
	}
	a := agent.New("orders")
	desk := a.State("desk", agent.Initial)
	desk.Body(func(ctx context.Context, s *agent.Session) error {
		if s.Begins() {
			return s.Reply(ctx, "Which order is it about?")
		}
		return think(ctx, s)
	})
	desk.OnMessage().GoTo(desk)
	a.GuardUser(agent.Guard{
		Name: "cards", Refuses: agent.RefuseMatches(regexp.MustCompile(`\b\d{16}\b`)), Reply: "Please do not write card numbers here.",
	})
	return a, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, docent.Options{Args: os.Args[1:]})
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// run serves the agent.
func run(ctx context.Context, opts docent.Options) (err error) {
	d, err := docent.New(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(ctx)) }()
	a, err := newAgent(d.Model(), func(_ context.Context, number string, euros int) error {
		log.Printf("%d euros for the order %s are paid back", euros, number)
		return nil
	})
	if err != nil {
		return err
	}
	return d.Serve(ctx, a)
}
