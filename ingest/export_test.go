package ingest

// Limits are bounds of an Ingester that only tests change.
type Limits = limits

// With returns the configuration with other limits.
func (c Config) With(l Limits) Config {
	c.limits = l
	return c
}

// SetVersions replaces the versions of the formats.
func (in *Ingester) SetVersions(version func(media string) int) {
	in.pipelines = pipelines{version}
}
