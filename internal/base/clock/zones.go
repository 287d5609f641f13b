package clock

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"
	"time"
)

// zoneinfo is the IANA time zone database, embedded so that a release does not depend on the
// machine that builds it. It is lib/time/zoneinfo.zip of the Go distribution.
//
//go:embed zoneinfo.zip
var zoneinfo []byte

var openZones = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(zoneinfo), int64(len(zoneinfo)))
})

// Zone returns the time zone with an IANA name such as Europe/Paris, or UTC for "".
func Zone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	r, err := openZones()
	if err != nil {
		return nil, err
	}
	f, err := r.Open(name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q", name)
	}
	defer f.Close() // it was only read
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, data)
}
