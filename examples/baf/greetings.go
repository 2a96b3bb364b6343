package baf

import "docent/agent"

// Greetings asks how the user is.
func Greetings(Services) (*agent.Agent, error) {
	a := agent.New("greetings")
	helloIntent := a.Intent("hello", "hello", "hi")
	goodIntent := a.Intent("good", "good", "fine")
	badIntent := a.Intent("bad", "bad", "awful")
	initial, hello, good, bad := a.State("initial", agent.Initial), a.State("hello"), a.State("good"), a.State("bad")
	initial.OnIntent(helloIntent).GoTo(hello)
	hello.Body(say("Hi! How are you?"))
	hello.OnIntent(goodIntent).GoTo(good)
	hello.OnIntent(badIntent).GoTo(bad)
	good.Body(say("I am glad to hear that!"))
	good.GoTo(initial)
	bad.Body(say("I am sorry to hear that..."))
	bad.GoTo(initial)
	return a, nil
}
