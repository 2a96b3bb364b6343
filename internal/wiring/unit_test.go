package wiring

import (
	"os"
	"regexp"
	"testing"
	"time"
)

// The service manager gives docent enough time for its running answers.
func TestUnitWaitsForDrain(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("../../packaging/docent.service")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^TimeoutStopSec=(\d+)$`).FindSubmatch(unit)
	if found == nil {
		t.Fatal("docent.service has no TimeoutStopSec in seconds")
	}
	got, err := time.ParseDuration(string(found[1]) + "s")
	if err != nil {
		t.Fatal(err)
	}
	if least := drainTimeout + closeTimeout; got <= least {
		t.Errorf("TimeoutStopSec is %v, but stopping takes up to %v", got, least)
	}
}
