package clock

import (
	"testing"
	"time"

	"stele/internal/testkit/must"
)

// TestZone: zones are those of the IANA database, whatever the machine has.
func TestZone(t *testing.T) {
	t.Setenv("ZONEINFO", t.TempDir())
	day := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"": "+0000", "UTC": "+0000", "Europe/Paris": "+0200", "Asia/Kathmandu": "+0545", "Pacific/Kiritimati": "+1400",
		"America/St_Johns": "-0230",
	} {
		if got := day.In(must.Get(Zone(name))(t)).Format("-0700"); got != want {
			t.Errorf("%q is %s, not %s", name, got, want)
		}
	}
	r := must.Get(openZones())(t)
	for _, f := range r.File {
		if !f.FileInfo().IsDir() {
			must.Get(Zone(f.Name))(t)
		}
	}
	for _, name := range []string{"Local", "CET+1", "Europe", "Europe/", "../etc/passwd", "Europe/Nowhere", "europe/paris"} {
		if zone, err := Zone(name); err == nil {
			t.Errorf("%q is %v", name, zone)
		}
	}
}
