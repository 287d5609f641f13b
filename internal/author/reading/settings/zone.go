package settings

import (
	"time"

	"stele/internal/base/clock"
	"stele/record"
)

// Zone returns the publisher's time zone, or UTC if the settings name none or an unknown one.
func (s *Settings) Zone() *time.Location {
	if zone, err := clock.Zone(s.TimeZone); err == nil { // an unknown name was reported
		return zone
	}
	return time.UTC
}

// Due decides which embargoes have ended. The zero Due ignores hours: an embargo has ended if its
// day is the day of the release or earlier.
type Due struct {
	At   time.Time // the time of the release
	Zone *time.Location
}

// IsHeld reports whether a record with hold h is left out of a release of day.
func (d *Due) IsHeld(h record.Hold, day record.Date) bool {
	switch {
	case d.At.IsZero() || h.Draft || h.NotBefore == "":
		return h.On(day)
	case h.NotBefore.HasHour():
		return h.NotBefore.Time().After(d.At)
	}
	begin, err := time.ParseInLocation(time.DateOnly, string(h.NotBefore), d.Zone)
	return err == nil && begin.After(d.At)
}

// EndOfDay returns the last minute of day in zone.
func EndOfDay(day record.Date, zone *time.Location) time.Time {
	begin, err := time.ParseInLocation(time.DateOnly, string(day), zone)
	if err != nil {
		return time.Time{}
	}
	return begin.AddDate(0, 0, 1).Add(-time.Minute)
}
