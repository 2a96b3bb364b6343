package retrieve

// FeaturesOf returns the Features of a retriever.
func FeaturesOf(r *Retriever) Features { return r.features }
