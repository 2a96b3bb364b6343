package retrieve

// FeaturesOf returns the Features of a retriever.
func FeaturesOf(r *Retriever) Features { return r.features }

// TokensInMemory counts the tokens of the rows in memory.
func TokensInMemory(r *Retriever) int { return r.memory.rows.length }
