//go:build linux

package main

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestShortCampaign runs a little of everything but mirrors, which other tests interrupt.
func TestShortCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	s := short
	s.only = regexp.MustCompile("^(kills|faults)$")
	if _, err := exec.LookPath("strace"); err != nil {
		s.only = regexp.MustCompile("^(kills)$")
	}
	err := run(t.Context(), s, func(trial trial) {
		for _, wrong := range trial.wrong {
			t.Errorf("%s: %s", trial.what, wrong)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
