package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"docent/agent"
	"docent/agent/agenttest"
	"docent/agent/intent"
	"docent/agent/session"
	"docent/payload"
)

// wordClassifier recognizes intents by their names.
type wordClassifier struct{}

func (wordClassifier) Name() string { return "words" }

func (wordClassifier) Classify(_ context.Context, req intent.Request) (intent.Prediction, error) {
	for _, i := range req.Intents {
		if i.Name == req.Text {
			return intent.Prediction{Intent: i.Name, Score: 0.9, Sentence: req.Text, Classifier: "words"}, nil
		}
	}
	return intent.Unmatched("words", req.Text), nil
}

// world runs a machine in the real runtime.
type world struct {
	t     *testing.T
	agent *agent.Agent
	store *agenttest.Store
	rt    *session.Runtime
	sub   *session.Subscription
	trace []string
	hold  chan struct{} // bodies wait for it, unless it is nil
	last  int64
}

// build makes the agent of a model's places.
func (w *world) build(places []place) {
	w.agent = agent.New("random")
	w.agent.ClassifyWith(wordClassifier{})
	var intents []*agent.Intent
	for i := range 4 {
		intents = append(intents, w.agent.Intent(fmt.Sprint("w", i)))
	}
	var states []*agent.State
	for i, p := range places {
		var options []agent.StateOption
		if i == 0 {
			options = append(options, agent.Initial)
		}
		s := w.agent.State(fmt.Sprint(i), options...)
		s.Body(w.body("body", i, 1))
		s.Fallback(w.body("fallback", i, 2))
		if p.global >= 0 {
			s.Global(intents[p.global])
		}
		states = append(states, s)
	}
	for i, p := range places {
		for _, a := range p.arcs {
			connect(states[i], a, states[a.to], intents)
		}
	}
}

func connect(s *agent.State, a arc, to *agent.State, intents []*agent.Intent) {
	var t *agent.Transition
	switch a.kind {
	case "intent":
		t = s.OnIntent(intents[a.intent])
	case "none":
		t = s.OnNoIntent()
	case "message":
		t = s.OnMessage()
	case "text":
		t = s.OnText()
	case "json":
		t = s.OnJSON()
	case "file":
		t = s.OnFile(a.names...)
	case "event":
		t = s.OnEvent(a.names...)
	case "any":
		t = s.OnEvent()
	case "when":
		if a.target%2 == 0 {
			s.WhenVariable("x", agent.Operator(a.op), a.target).GoTo(to)
		} else {
			s.When(func(_ context.Context, s *agent.Session) (bool, error) {
				return compareX(a, agent.Get(s, "x", -1)), nil
			}).GoTo(to)
		}
		return
	default:
		s.GoTo(to)
		return
	}
	if a.op != "" {
		t.WhenVariable("x", agent.Operator(a.op), a.target)
	}
	t.GoTo(to)
}

func compareX(a arc, x int) bool {
	return map[string]bool{"<": x < a.target, "==": x == a.target, ">=": x >= a.target}[a.op]
}

func (w *world) body(what string, state, factor int) agent.Body {
	return func(_ context.Context, s *agent.Session) error {
		w.trace = append(w.trace, fmt.Sprintf("%s %d of %d", what, state, s.Event().ID))
		if w.hold != nil {
			<-w.hold
		}
		n := agent.Get(s, "n", 0) + 1
		if err := s.Set("n", n); err != nil {
			return err
		}
		return s.Set("x", (state+factor*n)%4)
	}
}

func (w *world) open() {
	rt, err := session.NewRuntime(session.RuntimeConfig{
		Agent: w.agent, Store: w.store, QueueSize: 1000, Now: time.Now,
	}.With(session.Limits{Held: 1000}))
	if err != nil {
		w.t.Fatal(err)
	}
	w.rt = rt
	w.join()
}

func (w *world) join() {
	sub, err := w.rt.Open(w.t.Context(), session.OpenRequest{ID: "S"}, newClient(w.t))
	if err != nil {
		w.t.Fatal(err)
	}
	w.sub = sub
	synctest.Wait()
}

// send sends an event and sets the id that it has in the store.
func (w *world) send(h *happening) {
	w.last++
	h.id = w.last
	var err error
	ctx := w.t.Context()
	switch h.kind {
	case "text":
		err = w.sub.Send(ctx, session.Message{Content: quoted(h.word), Human: h.human})
	case "json":
		content := `{"n":1}`
		if h.said {
			content = `{"message":"w1"}`
		}
		err = w.sub.Send(ctx, session.Message{Content: json.RawMessage(content), Human: h.human})
	case "file":
		file := payload.NewFile("f", h.name, []byte("x"))
		err = w.rt.Dispatch(ctx, "S", agent.Event{Name: agent.EventFile, File: &file, Human: true})
	default:
		err = w.rt.Dispatch(ctx, "S", agent.Event{Name: h.name, Human: h.human})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

func randomHappening(r *rand.Rand) happening {
	h := happening{kind: []string{"text", "text", "text", "json", "file", "custom"}[r.IntN(6)], human: r.IntN(4) > 0}
	switch h.kind {
	case "text":
		h.word = fmt.Sprint("w", r.IntN(5)) // w4 is no intent
	case "json":
		h.said = r.IntN(2) == 0
	case "file":
		h.name, h.human = []string{"text/plain", "application/pdf"}[r.IntN(2)], true
	default:
		h.name = []string{"a", "b", "user_update_ui"}[r.IntN(3)]
	}
	return h
}

// Random machines receive random events. The transitions, the events of bodies and fallbacks, the
// predictions, and the waiting events must equal those of the model. The session may leave memory
// and the program may restart in between. No event is lost or handled twice.
func TestRandomMachines(t *testing.T) {
	t.Parallel()
	machines := 150
	if testing.Short() {
		machines = 30
	}
	base := rand.Uint64()
	for i := range machines {
		seed := base + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { randomMachine(t, seed) })
		})
	}
}

func randomMachine(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	w := &world{t: t, store: agenttest.NewStore()}
	m := &model{prev: -1}
	for valid := false; !valid; valid = w.agent.Validate() == nil {
		m.places = randomPlaces(r)
		w.build(m.places)
	}
	w.open()
	m.greet()
	var sent []int64
	for range 40 {
		switch r.IntN(12) {
		case 0:
			w.restart(m, r.IntN(2) == 0)
		case 1:
			if m.blocked {
				continue
			}
			w.sub.Close() // it leaves memory
			synctest.Wait()
			if n := w.rt.Sessions(); n != 0 {
				t.Fatalf("%d sessions in memory", n)
			}
			w.join()
			m.circled = false
			m.advance()
		case 2:
			x := r.IntN(4)
			if err := w.sub.SetVariables(t.Context(), map[string]json.RawMessage{"x": json.RawMessage(fmt.Sprint(x))}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			m.arrive(setting{x})
		case 3, 4:
			if w.hold == nil {
				w.hold, m.holding = make(chan struct{}), true
				continue
			}
			w.release()
			m.release()
		default:
			h := randomHappening(r)
			w.send(&h)
			sent = append(sent, h.id)
			m.arrive(h)
		}
		w.compare(m)
	}
	if w.hold != nil {
		w.release()
		m.release()
	}
	w.compare(m)
	w.account(m, sent)
	w.sub.Close()
	stop(t, w.rt)
}

func (w *world) release() {
	hold := w.hold
	w.hold = nil
	close(hold)
	synctest.Wait()
}

// restart ends the runtime and starts another. A waiting body continues meanwhile.
func (w *world) restart(m *model, abandon bool) {
	if abandon && m.blocked { // sockets close first
		w.sub.Close()
	}
	done := make(chan struct{})
	go func() { stop(w.t, w.rt); close(done) }()
	synctest.Wait()
	m.closing = true
	if w.hold != nil {
		w.release()
	}
	m.release()
	<-done
	w.sub.Close()
	m.closing = false
	m.inbox = slices.DeleteFunc(m.inbox, func(item any) bool { _, ok := item.(setting); return ok })
	w.open()
	m.circled = false
	m.advance()
}

func (w *world) compare(m *model) {
	w.t.Helper()
	var moved, understood []string
	for _, tr := range w.store.Transitions("S") {
		moved = append(moved, tr.Source+">"+tr.Dest)
	}
	for _, p := range w.store.Predictions("S") {
		understood = append(understood, p.Message+" is "+p.Intent)
	}
	check := func(what string, got, want []string) {
		w.t.Helper()
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				w.t.Fatalf("places %+v\n%s from %d of %d and %d: %s\nwant %s", m.places, what, max(0, i-3), len(got), len(want),
					got[min(len(got), max(0, i-3)):min(len(got), i+3)], want[min(len(want), max(0, i-3)):min(len(want), i+3)])
			}
		}
	}
	check("bodies", w.trace, m.trace)
	if !m.blocked {
		check("moves", moved, m.moved)
		check("predictions", understood, m.understood)
	}
}

// account checks that each event was taken once or still waits.
func (w *world) account(m *model, sent []int64) {
	var waiting []int64
	for _, e := range w.store.Pending("S") {
		waiting = append(waiting, e.ID)
	}
	var want []int64
	for _, h := range m.queue {
		want = append(want, h.id)
	}
	if !slices.Equal(waiting, want) {
		w.t.Errorf("waiting %v, want %v", waiting, want)
	}
	record, _, _ := w.store.Stored("S")
	if record.State != fmt.Sprint(m.state) || string(record.Variables["x"]) != fmt.Sprint(m.x) {
		w.t.Errorf("state %s x %s, want %d %d", record.State, record.Variables["x"], m.state, m.x)
	}
	if int64(len(sent)) != w.last {
		w.t.Errorf("%d events sent of %d", len(sent), w.last)
	}
}
