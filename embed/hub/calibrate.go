package hub

import (
	"context"
	"errors"
	"math"

	"docent/embed"
)

// The cosines of the built-in encoder for each question and sentence of samples: their
// mean and standard deviation.
const (
	builtInMean      = .115
	builtInDeviation = .2
)

// sample is a question and sentences of its topic.
type sample struct {
	question  string
	sentences []string
}

var samples = []sample{
	{"How often is the pump serviced?", []string{
		"The pump is serviced every six months.",
		"The seal of the pump is made of rubber.",
		"Before maintenance, switch off the power and close the valve.",
	}},
	{"How do I reset my password?", []string{
		"Open the settings and choose a new password.",
		"A password has at least twelve characters.",
		"An administrator can block an account.",
	}},
	{"When does the museum open?", []string{
		"The museum is open from nine to five, except on Mondays.",
		"Tickets cost eight euros for adults.",
		"The collection shows paintings of the nineteenth century.",
	}},
	{"What does the function return if the file is missing?", []string{
		"If the file does not exist, it returns an error.",
		"The function reads a line at a time.",
		"Call Close to release the memory of the reader.",
	}},
	{"Who pays for the return of goods?", []string{
		"The buyer bears the cost of sending goods back.",
		"You can withdraw from the contract within fourteen days.",
		"Delivery takes two to four working days.",
	}},
}

// calibrate returns the factor and the summand that turn cosines of the model into the
// scale of the built-in encoder, for which the weights of quotes were chosen.
func (m *Model) calibrate(ctx context.Context) (scale, shift float64, err error) {
	var questions, sentences []string
	for _, s := range samples {
		questions, sentences = append(questions, s.question), append(sentences, s.sentences...)
	}
	asked, err := m.vectors(ctx, m.query, questions)
	if err != nil {
		return 0, 0, err
	}
	found, err := m.vectors(ctx, m.passage, sentences)
	if err != nil {
		return 0, 0, err
	}
	mean, deviation := spread(asked, found)
	if !(deviation > 1e-4) {
		return 0, 0, errors.New("the model gives all texts the same vector")
	}
	scale = builtInDeviation / deviation
	return scale, builtInMean - scale*mean, nil
}

// spread returns the mean and the standard deviation of all cosines.
func spread(asked, found [][]float32) (mean, deviation float64) {
	var sum, squares, n float64
	for _, a := range asked {
		for _, b := range found {
			c := float64(embed.Dot(a, b))
			sum, squares, n = sum+c, squares+c*c, n+1
		}
	}
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean))
}
