package definition

import "context"

// ParseSeen is Parse with a function that receives the keys and words that values
// may have.
func ParseSeen(ctx context.Context, raw []byte, env Environment, seen func(what string, words []string)) (*Definition, error) {
	return parse(ctx, &reader{file: "agent.yaml", variable: env.Variable, seen: seen}, raw, env)
}
