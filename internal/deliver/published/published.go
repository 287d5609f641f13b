// Package published knows which records of a folder are published: from the last listing that this
// machine read, and from what was first written here.
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

// Service is the destination that stele.yaml names, as the commands reach it.
type Service interface {
	// Listing reads which records the latest release has: was, if that has the same release. It
	// sends nothing to a destination that this machine has not published to, unless ask is false;
	// then the error is an UntrustedError.
	Listing(ctx context.Context, was *Listing, ask bool) (*Listing, error)
	// Local reports whether the listing is read from a folder of this machine, which is quick.
	Local() bool
	// Record reads the JSON of a record from the latest release.
	Record(ctx context.Context, kind, id string) ([]byte, error)
	// Publish builds what would be published and writes to w what changes and what is asked. It
	// publishes only if agree returns true for those words. allow is the value of the flag --allow;
	// the word forget in it says that the release published last was given up on purpose.
	// It returns the findings, and ErrErrors if there are errors among them.
	Publish(
		ctx context.Context, w *strings.Builder, allow string, agree func(shown string) bool,
	) ([]schema.Problem, error)
}

// The errors of Publish: nobody agreed yet; a kind has far fewer records than before, which has to
// be allowed; the records have errors.
var (
	ErrNotAgreed = errors.New("nothing was published")
	ErrShrinks   = errors.New("nothing was published: a kind would have far fewer records than before")
	ErrErrors    = errors.New("nothing was published: the records have errors")
)

// UntrustedError says that this machine has not published to the destination yet.
type UntrustedError struct{ Destination string }

func (e UntrustedError) Error() string {
	return "this computer has not published to " + e.Destination + " yet"
}

// Listing is which records a release has, by kind and ID.
type Listing struct {
	Read        time.Time // when this machine read it
	Destination string
	Release     string
	Records     map[string]map[string]amend.Published
}

// Find returns a record of the listing, which may be nil.
func (l *Listing) Find(kind, id string) (amend.Published, bool) {
	if l == nil {
		return amend.Published{}, false
	}
	p, ok := l.Records[kind][id]
	return p, ok
}

// keep adds the records that another destination has: what was published once stays published, also
// if stele.yaml names another destination now.
func (l *Listing) keep(was *Listing) {
	if was == nil || was.Destination == l.Destination {
		return
	}
	for kind, all := range was.Records {
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

// KindOf returns the kind of a published record.
func (l *Listing) KindOf(id string) *record.Kind {
	for _, k := range record.Kinds {
		if _, ok := l.Find(k.Name, id); ok {
			return k
		}
	}
	return nil
}

// Known is what this machine knows about what is published: the last listing that it read, and
// which records were first written here. Both are stored in dir, so that they are known without a
// network too.
type Known struct {
	mu      sync.Mutex
	service Service
	dir     string // "" if nothing is stored
	listing *Listing
	err     error // of the last attempt to read it
	checked time.Time
	waited  bool          // whether a page has waited for the first look
	reading chan struct{} // closed when a read that is under way has ended; nil if none is
	written map[string]time.Time
}

// How often a destination is looked at, how long a look may take, and how long a page waits for the
// first one.
const (
	lookAgain  = 20 * time.Second
	retryAfter = time.Minute
	ReadWithin = 30 * time.Second
	FirstLook  = time.Second
)

// Open reads what is stored in dir. service is nil if no destination is known.
func (k *Known) Open(service Service, dir string) {
	k.service, k.dir, k.written = service, dir, map[string]time.Time{}
	if dir == "" {
		return
	}
	if l, err := readListing(filepath.Join(dir, listingFile)); err == nil { // it is read again otherwise
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

// Refresh begins to read the listing if that is due. The channel is closed when the read has ended,
// and is nil if no page should wait for it.
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
		l.keep(was)
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

// Wait waits for a read, but not long.
func (k *Known) Wait(done <-chan struct{}, most time.Duration) {
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-time.After(most):
	}
}

// Forget makes the next look read the listing again.
func (k *Known) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.checked = time.Time{}
}

// Wrote notes the records that files have and the folder had not: they were first written here.
func (k *Known) Wrote(files []amend.File, has func(id string) bool) {
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

// Status is what is known about whether a record is published.
type Status int

// The statuses.
const (
	Unknown     Status = iota // no destination is set
	Unpublished               // no release has it: it can be changed and deleted
	Published                 // a release has this ID
	Locked                    // a release may have it: this machine cannot know
)

// Status returns whether a record is published, and as what. held is whether it is held back, and
// so in no release.
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

// Last returns the last listing, and why it could not be read again.
func (k *Known) Last() (*Listing, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.listing, k.err
}

// writeListing stores a listing, compressed: a line with the date, the release and the destination,
// and a line for each record.
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
	defer f.Close() // it was only read
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
