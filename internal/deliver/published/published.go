// Package published determines which records of a folder are published. It uses the latest listing
// that this machine read, and the records that were first written on this machine.
package published

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"stele/internal/author/editing/amend"
	"stele/internal/base/clock"
	"stele/internal/base/schema"
	"stele/internal/disk/durable"
	"stele/record"
)

// Service is the destination that stele.yaml names.
type Service interface {
	// Listing returns the records of the latest release. If previous has the same release, Listing
	// returns previous. If ask is true and this machine has never published to the destination, it
	// sends nothing and returns an UntrustedError.
	Listing(ctx context.Context, was *Listing, ask bool) (*Listing, error)
	// Local reports whether the listing is read from a folder on this machine, which is fast.
	Local() bool
	// Record returns the JSON of a record in the latest release.
	Record(ctx context.Context, kind, id string) ([]byte, error)
	// Publish builds the next release and writes a summary of the changes and any questions to w.
	// It publishes only if agree returns true for that summary. allow is the value of the flag
	// --allow. Publish returns the problems found, and ErrErrors if some of them are errors.
	Publish(
		ctx context.Context, w *strings.Builder, allow string, agree func(shown string) bool,
	) ([]schema.Problem, error)
}

// The errors of Publish: the publisher has not agreed yet; a kind would have far fewer records than
// before; the records have errors.
var (
	ErrNotAgreed = errors.New("nothing was published")
	ErrShrinks   = errors.New("nothing was published: a kind would have far fewer records than before")
	ErrErrors    = errors.New("nothing was published: the records have errors")
)

// UntrustedError says that this machine has not published to Destination yet.
type UntrustedError struct{ Destination string }

func (e UntrustedError) Error() string {
	return "this computer has not published to " + e.Destination + " yet"
}

// Listing contains the records of a release, by kind and ID.
type Listing struct {
	Read        time.Time // when this machine read the listing
	Destination string
	Release     string
	Records     map[string]map[string]amend.Published
}

// Find returns the published record with the ID. l may be nil.
func (l *Listing) Find(kind, id string) (amend.Published, bool) {
	if l == nil {
		return amend.Published{}, false
	}
	p, ok := l.Records[kind][id]
	return p, ok
}

// addRecordsOf adds the records of previous if it comes from another destination: published records
// remain published, even if stele.yaml names another destination now.
func (l *Listing) addRecordsOf(previous *Listing) {
	if previous == nil || previous.Destination == l.Destination {
		return
	}
	for kind, all := range previous.Records {
		for id, r := range all {
			if _, ok := l.Find(kind, id); !ok {
				if l.Records[kind] == nil {
					l.Records[kind] = map[string]amend.Published{}
				}
				l.Records[kind][id] = r
			}
		}
	}
}

// KindOf returns the kind of the published record with the ID, or nil.
func (l *Listing) KindOf(id string) *record.Kind {
	for _, k := range record.Kinds {
		if _, ok := l.Find(k.Name, id); ok {
			return k
		}
	}
	return nil
}

// Known stores which records are published: the latest listing that this machine read, and the
// records that were first written on it. Both are saved in dir, so that they are available without
// a network.
type Known struct {
	mu      sync.Mutex
	service Service
	dir     string // "" if nothing is stored
	listing *Listing
	err     error // of the latest attempt to read the listing
	checked time.Time
	waited  bool          // whether a page has waited for the first read
	reading chan struct{} // closed when the current read ends; nil if none is running
	written map[string]time.Time
}

// Times between reads of a listing, the time limit of a read, and how long a page waits for the
// first one.
const (
	lookAgain  = 20 * time.Second
	retryAfter = time.Minute
	ReadWithin = 30 * time.Second
	FirstLook  = time.Second
)

// Open loads the saved state from dir. service is nil if no destination is set.
func (k *Known) Open(service Service, dir string) {
	k.service, k.dir, k.written = service, dir, map[string]time.Time{}
	if dir == "" {
		return
	}
	if l, err := readListing(filepath.Join(dir, listingFile)); err == nil { // after an error, the listing is read again
		k.listing = l
	}
	if data, err := os.ReadFile(filepath.Join(dir, writtenFile)); err == nil {
		for line := range strings.Lines(string(data)) {
			when, id, _ := strings.Cut(strings.TrimSpace(line), " ")
			if t, err := time.Parse(time.RFC3339, when); err == nil {
				k.written[id] = t
			}
		}
	}
}

const (
	listingFile = "published.gz"
	writtenFile = "written.txt"
)

// Refresh starts to read the listing if it is due. It returns a channel that is closed when the
// read ends, or nil if no page should wait for it.
func (k *Known) Refresh(ask bool) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	pause, wait := lookAgain, !k.waited || !ask
	k.waited = true
	switch {
	case k.service == nil:
		return nil
	case k.err != nil:
		pause = retryAfter
	case k.service.Local():
		pause, wait = FirstLook, true
	}
	switch {
	case k.reading != nil && wait:
		return k.reading
	case k.reading != nil || ask && time.Since(k.checked) < pause:
		return nil
	}
	done, was := make(chan struct{}), k.listing
	k.reading = done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), ReadWithin)
		defer cancel()
		l, err := k.service.Listing(ctx, was, ask)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.reading, k.err, k.checked = nil, err, time.Now()
		if err != nil || l == nil {
			return
		}
		l.addRecordsOf(was)
		stored := was != nil && was.Release == l.Release && was.Destination == l.Destination
		k.listing = l
		if k.dir != "" && !stored {
			k.err = writeListing(filepath.Join(k.dir, listingFile), l)
		}
	}()
	if !wait {
		return nil
	}
	return done
}

// Wait waits until done is closed, but not longer than timeout.
func (k *Known) Wait(done <-chan struct{}, timeout time.Duration) {
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-time.After(timeout):
	}
}

// Forget makes the next Refresh read the listing again.
func (k *Known) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.checked = time.Time{}
}

// AddWritten records which IDs in files are new to the folder: they were first written on this
// machine.
func (k *Known) AddWritten(files []amend.File, has func(id string) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.service == nil {
		return
	}
	now := clock.Now().UTC()
	var b strings.Builder
	for _, f := range files {
		ids := f.IDs
		if f.Old == nil {
			ids = append(ids, f.Path)
		}
		for _, id := range ids {
			if !has(id) && !strings.ContainsAny(id, " \n") {
				k.written[id] = now
				fmt.Fprintln(&b, now.Format(time.RFC3339), id)
			}
		}
	}
	if k.dir == "" || b.Len() == 0 {
		return
	}
	out, err := os.OpenFile(filepath.Join(k.dir, writtenFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = out.WriteString(b.String())
		err = errors.Join(err, out.Close())
	}
	k.err = errors.Join(k.err, err) // pages show it
}

// Status says whether a record is published.
type Status int

// The statuses.
const (
	Unknown     Status = iota // no destination is set
	Unpublished               // in no release: it can be changed and deleted
	Published                 // a release contains this ID
	Locked                    // this machine cannot know whether a release contains it
)

// Status returns the status of a record, and its published version if there is one. held is true if
// the record is held back, and therefore in no release.
func (k *Known) Status(kind, id, file string, held bool) (Status, amend.Published) {
	if k.service == nil {
		return Unknown, amend.Published{}
	}
	k.Wait(k.Refresh(true), FirstLook)
	k.mu.Lock()
	defer k.mu.Unlock()
	if was, ok := k.listing.Find(kind, id); ok {
		return Published, was
	}
	if held || k.listing != nil && k.err == nil && !k.checked.IsZero() {
		return Unpublished, amend.Published{}
	}
	for _, name := range []string{id, file} {
		if first, ok := k.written[name]; ok && (k.listing == nil || !first.Before(k.listing.Read)) {
			return Unpublished, amend.Published{}
		}
	}
	return Locked, amend.Published{}
}

// Last returns the latest listing, and the error of the latest attempt to read it again.
func (k *Known) Last() (*Listing, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.listing, k.err
}

// writeListing saves l compressed: a line with date, release and destination, then a line for each
// record.
func writeListing(path string, l *Listing) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	head, err := json.Marshal([]string{l.Read.UTC().Format(time.RFC3339), l.Release, l.Destination})
	fmt.Fprintf(z, "%s\n", head) // Close returns the error
	for kind, all := range l.Records {
		for id, r := range all {
			fmt.Fprintf(z, "%s %s %d %x\n", kind, id, r.Version, r.SHA256)
		}
	}
	return errors.Join(err, z.Close(), durable.WriteFile(path, b.Bytes(), 0o600))
}

func readListing(path string) (*Listing, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // f was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	l := &Listing{Records: map[string]map[string]amend.Published{}}
	var head [3]string
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil {
		return nil, errors.Join(lines.Err(), fs.ErrInvalid)
	}
	l.Release, l.Destination = head[1], head[2]
	if l.Read, err = time.Parse(time.RFC3339, head[0]); err != nil {
		return nil, err
	}
	for lines.Scan() {
		parts := strings.Fields(lines.Text())
		if len(parts) != 4 {
			return nil, fs.ErrInvalid
		}
		var r amend.Published
		sum, err1 := hex.DecodeString(parts[3])
		version, err2 := strconv.ParseInt(parts[2], 10, 64)
		if err := errors.Join(err1, err2); err != nil || len(sum) != len(r.SHA256) {
			return nil, errors.Join(err, fs.ErrInvalid)
		}
		r.Version = version
		copy(r.SHA256[:], sum)
		if l.Records[parts[0]] == nil {
			l.Records[parts[0]] = map[string]amend.Published{}
		}
		l.Records[parts[0]][parts[1]] = r
	}
	return l, lines.Err()
}
