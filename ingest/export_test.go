package ingest

// SetVersions replaces the versions of the formats.
func (in *Ingester) SetVersions(version func(media string) int) {
	in.pipelines = pipelines{version, true}
}
