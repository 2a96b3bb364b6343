package text

import "testing"

func TestSameQuestion(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"How do I cancel my subscription?", "how to cancel my subscription"},
		{"How do I cancel my subscription?", "Hi, I want to cancel the subscription. Thanks!"},
		{"How do I reset the pump after error E42?", "how do i reset the pump after error e42"},
		{"Is there a discount for students?", "Do students get a discount?"},
		{"Wie kündige ich mein Abo?", "Hallo, wie kündige ich das Abo? Danke"},
	} {
		if !SameQuestion(pair[0], pair[1]) {
			t.Errorf("%q and %q differ: %v, %v", pair[0], pair[1], readAsked(pair[0]), readAsked(pair[1]))
		}
	}
	for _, pair := range [][2]string{
		{"How do I reset my PIN?", "How do I reset my password?"},
		{"How do I disable two-factor authentication?", "How do I enable two-factor authentication?"},
		{"How do I reset the pump after error E43?", "How do I reset the pump after error E42?"},
		{"What does shipping to Norway cost?", "What does shipping to Austria cost?"},
		{"What are the opening hours on Sunday?", "What are the opening hours on weekdays?"},
		{"Can I get a refund after 30 days?", "Can I get a refund after 14 days?"},
		{"Who cancels my subscription?", "How do I cancel my subscription?"},
		{"Why was my subscription canceled?", "How do I cancel my subscription?"},
		{"Where is the invoice sent?", "When is the invoice sent?"},
		{"Why can't I reset my password?", "Why can I reset my password?"},
		{"Can I not reset my password?", "Can I reset my password?"},
		{"How much is the gym discount?", "Is there a gym discount?"},
		{"How do I get from Bern to Zurich?", "How do I get from Zurich to Bern?"},
		{"How long is the trial of the premium plan?", "How long is the trial?"},
		{"Wann öffnet die Kantine?", "Wo öffnet die Kantine?"},
		{"What is that?", "How is it?"},
	} {
		if SameQuestion(pair[0], pair[1]) {
			t.Errorf("%q and %q are the same: %v", pair[0], pair[1], readAsked(pair[0]))
		}
	}
}
