package definition

import "context"

// ParseSeen is Parse with a function that receives the keys and words that values
// may have.
func ParseSeen(ctx context.Context, raw []byte, env Environment, seen func(what string, words []string)) (*Definition, error) {
	return parse(ctx, &reader{file: "agent.yaml", variable: env.Variable, seen: seen}, raw, env)
}

// LoadProperties reads a file NAME.yaml or NAME.yml that contains a mapping.
func LoadProperties(path string) (*Properties, error) {
	raw, err := readFile(path)
	if err != nil {
		return nil, err
	}
	r := &reader{file: path}
	p := &Properties{}
	if root := r.document(raw); root != nil {
		p = r.properties(root)
	}
	if err := r.error(); err != nil {
		return nil, err
	}
	return p, nil
}
