//go:build race

package worker

// raceDetector is set in tests with the race detector, whose memory does not fit
// under the system's limit.
const raceDetector = true
