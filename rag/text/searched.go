package text

// MaxSearched is the number of distinct words of a message that searches consider. The words multiply most of their work.
const MaxSearched = 256

// Searched returns the part of a message to search for. It leaves out the middle of a message with more than MaxSearched
// distinct words: people put their question in front of a long text, or behind it.
func Searched(message string) string {
	words := Words(message)
	if len(words) <= MaxSearched {
		return message
	}
	seen := map[string]bool{}
	head := 0
	for ; head < len(words) && (seen[words[head].Stem] || len(seen) < MaxSearched/2); head++ {
		seen[words[head].Stem] = true
	}
	for head > 0 && head < len(words) && words[head].Start == words[head-1].Start {
		head-- // an identifier stays whole
	}
	seen = map[string]bool{}
	tail := len(words)
	for ; tail > head && (seen[words[tail-1].Stem] || len(seen) < MaxSearched/2); tail-- {
		seen[words[tail-1].Stem] = true
	}
	for tail > head && tail < len(words) && words[tail].Start == words[tail-1].Start {
		tail++
	}
	switch {
	case tail == head:
		return message
	case head == 0 && tail == len(words):
		return Head(message, MaxSearched) // of an endless identifier
	case head == 0:
		return message[words[tail].Start:]
	case tail == len(words):
		return message[:words[head-1].End]
	default:
		return message[:words[head-1].End] + "\n" + message[words[tail].Start:]
	}
}
