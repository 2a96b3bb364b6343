//go:build race

package worker

// raceDetector is set in tests with the race detector, which needs more memory
// than the system's limit.
const raceDetector = true
