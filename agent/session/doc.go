// Package session runs the conversations of an agent.
//
// # The path of an event
//
//  1. A client joins a session with [Runtime.Open] and sends events with [Subscription.Send],
//     SendFile, and SendEvent. Programs send events with [Runtime.Dispatch]. Other agents send
//     answers.
//  2. arrival.store checks the event. It asks the owner, the goroutine of the session, to store it.
//  3. The owner stores the event together with its chat message, acknowledges it, and queues it.
//     From then on the event is not lost, and a message with the same id is a duplicate.
//  4. The owner begins a turn in conversation.act. The machine of package agent takes the event with
//     openTurn.Claim and runs bodies. Bodies reply through the methods in body.go.
//  5. The owner ends the turn in openTurn.finish. One transaction writes its messages, its steps of
//     reasoning, the state, the changed variables, and the end of its events. Then openTurn.present
//     sends the frames to the clients.
//
// So a message needs two calls of the store. After a crash, a turn has either happened or not, with
// one exception. If a body is slow, the owner stores and sends its replies before the end of the
// turn. If such a turn is interrupted, it does not run again but ends with an apology.
//
// A session without clients and work leaves memory. The store keeps it if it has ever received an
// event. If its state waits for a time or a condition, the runtime wakes it ([Runtime.Start]).
//
// # Storage
//
// Package journal defines the stored records and the interfaces that a database implements. Package
// agenttest has a store in memory for tests.
package session
