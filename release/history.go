package release

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
)

// Version is a version of a record that was published and is not the newest any more: a line of a
// history. What took its place, when and why is in the change events, by its digest.
type Version struct {
	Release string // the first release that had it, as far as is known
	Date    string // of that release
	Number  int64
	ID      string // of the record
	SHA256  Digest // the zero one where it is withheld
	Record  []byte // its JSON, to the byte; valid until the next one is read; nil where it was redacted
	// Redacted is the day on which the version was taken out of the history, if it was, and Reason
	// why: a change event tells of that.
	Redacted, Reason string
}

// tombstone is the line of a version that was redacted.
type tombstone struct {
	Release  string  `json:"release"`
	Date     string  `json:"date"`
	Version  int64   `json:"version"`
	SHA256   *Digest `json:"sha256"`
	ID       string  `json:"id"`
	Redacted struct {
		Date   string `json:"date"`
		Reason string `json:"reason"`
	} `json:"redacted"`
}

// appendTombstone appends the line of a version that was redacted.
func (v *Version) appendTombstone(b []byte) []byte {
	t := tombstone{Release: v.Release, Date: v.Date, Version: v.Number, ID: v.ID}
	t.Redacted.Date, t.Redacted.Reason = v.Redacted, v.Reason
	if v.SHA256 != (Digest{}) {
		t.SHA256 = &v.SHA256
	}
	line, err := json.Marshal(t)
	if err != nil {
		panic(err) // only texts and numbers are in it
	}
	return append(append(b, line...), '\n')
}

// parseTombstone reads the line of a version that was redacted. It has one form and no other.
func (v *Version) parseTombstone(line []byte) error {
	var t tombstone
	if err := json.Unmarshal(line, &t); err != nil || !layout.ValidID(t.Release) || !validDate(t.Date) ||
		!validDate(t.Redacted.Date) || t.Version < 1 {
		return fmt.Errorf("%.80q is not a line of a history", line)
	}
	*v = Version{
		Release: t.Release, Date: t.Date, Number: t.Version, ID: t.ID,
		Redacted: t.Redacted.Date, Reason: t.Redacted.Reason,
	}
	if t.SHA256 != nil {
		v.SHA256 = *t.SHA256
	}
	if is := v.appendTombstone(nil); !bytes.Equal(is[:len(is)-1], line) {
		return fmt.Errorf("%.80q is not a line of a history", line)
	}
	return checkID(v.ID)
}

// IsPack reports whether the history of a kind lies only in files that hold many records. Such a
// file, and Kind.Pack, is compressed: frames of Zstandard, one for each release that added to it.
func (k *Kind) IsPack() bool { return strings.HasSuffix(k.History, layout.HistoryPack) }

// HistoryPath returns where the versions of a record lie that are not the newest any more, or "" if
// none are kept. In braces, the path of the kind has the name of a member: of a record with a file
// of its own the value of that member is its ID, and else any text, of which PackName makes a part
// of a path.
func (k *Kind) HistoryPath(member string) string {
	if k.IsPack() {
		member = layout.PackName(member)
	}
	return cmp.Or(layout.FillSingle(k.History, member), k.History)
}

// HistoryMember returns the name of the member in braces, or "".
func (k *Kind) HistoryMember() string {
	_, name, _, _ := layout.CutSingle(k.History)
	return name
}

// checkHistory refuses a pattern that does not become a path.
func (k *Kind) checkHistory() error {
	_, name, _, braces := layout.CutSingle(k.History)
	if k.Pack != "" && !(layout.ValidPath(k.Pack) && isPack(k.Pack) && k.HistoryMember() != "" && !k.IsPack()) {
		return fmt.Errorf("%s: the histories of %s lie at %q, which is not a path for them", layout.ManifestPath, k.Kind, k.Pack)
	}
	if k.History == "" || layout.ValidPath(k.HistoryPath("x")) && (!braces || layout.ValidName(name)) {
		return nil
	}
	return fmt.Errorf("%s: the history of %s has %q, which is not a valid path", layout.ManifestPath, k.Kind, k.History)
}

// isPack reports whether a path is that of a history of many records.
func isPack(at string) bool { return isHistory(at) && strings.HasSuffix(at, layout.HistoryPack) }

// HistoryFile reads a history, the oldest version of each record first. A file that is not there
// has no versions: nothing that it would hold has changed yet. One that the manifest lists is held
// to it, at its end; the versions of any other are for the caller to compare with change events.
func (r *Release) HistoryFile(path string) iter.Seq2[Version, error] {
	return r.historyFile(path, r.Manifest.File(path))
}

// historyFile reads a history, which is held to its listing if want is not nil.
func (r *Release) historyFile(path string, want *File) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		f, err := r.open(path)
		if errors.Is(err, fs.ErrNotExist) && want == nil {
			return
		}
		if err != nil {
			yield(Version{}, err)
			return
		}
		defer f.Close() // it was only read
		most, total := int64(layout.MaxLine), int64(math.MaxInt64-1)
		var in io.Reader = f
		sum := &summer{r: f}
		if want != nil {
			most = min(most, layout.MaxExpanded(want.Size))
			total = r.Manifest.MaxHistory(want.Size)
			sum.r = io.LimitReader(f, want.Size+1)
			if !r.trusted {
				sum.hash = sha256.New()
			}
			in = sum
		}
		for v, err := range readVersions(path, in, most, total) {
			if !yield(v, err) || err != nil {
				return
			}
		}
		if want != nil {
			if err := sum.check(path, want.Size, want.SHA256, true); err != nil {
				yield(Version{}, err)
			}
		}
	}
}

// listedHistory finds the listing of a history: in the manifest, or in that of the histories of
// single records. It is nil where there is none, and the release has no such file then.
func (r *Release) listedHistory(path string) (*File, error) {
	if f := r.Manifest.File(path); f != nil {
		return f, nil
	}
	for f, err := range r.Histories() {
		if err != nil || f.Path == path {
			return &f.File, err
		}
	}
	return nil, nil
}

// Versions reads the lines of a history that lies in the file: its path says whether they are
// compressed, and its size, if that is known, how long they may be.
func (f *File) Versions(in io.Reader) iter.Seq2[Version, error] {
	most := int64(layout.MaxLine)
	if f.Size > 0 {
		most = min(most, layout.MaxExpanded(f.Size))
	}
	return readVersions(f.Path, in, most, math.MaxInt64-1)
}

// MaxVersions is how many superseded versions a release can have: an event reports each.
func (m *Manifest) MaxVersions() int64 {
	const shortest = 128 // bytes of an event
	count := int64(0)
	if k := m.Kind(changeEvents); k != nil {
		count = m.File(k.Collection).Size / shortest
		for _, a := range k.Archives {
			count += a.Size / shortest
		}
	}
	return count
}

// MaxHistory is how many bytes a history whose file has a size may have when it is expanded. Those
// of earlier versions of the program, which did not measure, have records of usual size.
func (m *Manifest) MaxHistory(size int64) int64 {
	const usual = 4 << 10
	return layout.MaxExpanded(size) + usual*m.MaxVersions()
}

// readVersions does the same with lines of a length, and no more than total bytes.
func readVersions(path string, in io.Reader, most, total int64) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		if strings.HasSuffix(path, layout.HistoryPack) {
			var err error
			if in, err = compress.Zstandard.Reader(in); err != nil {
				yield(Version{}, fmt.Errorf("%s: %w", path, err))
				return
			}
		}
		limited := &io.LimitedReader{R: in, N: total + 1}
		lines := newLines(limited, most)
		for lines.Scan() {
			var v Version
			err := v.Parse(lines.Bytes())
			if err != nil {
				err = damaged(path, "%s: %v", path, err)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
		err := lines.Err()
		if limited.N == 0 {
			err = fmt.Errorf("it has more than %d bytes when it is expanded, which its size and the change events do not explain", total)
		}
		if err != nil {
			yield(Version{}, fmt.Errorf("%s: %w", path, err))
		}
	}
}

// Append appends a line of a history to b. The digest is left out of packs: it can be made
// of the record, and would be two thirds of what remains when all else is compressed.
func (v *Version) Append(b []byte, pack bool) []byte {
	if v.Redacted != "" {
		return v.appendTombstone(b)
	}
	b = append(append(b, `{"release":"`...), v.Release...)
	b = append(append(b, `","date":"`...), v.Date...)
	if !pack {
		b = fmt.Appendf(b, `","version":%d,"sha256":"%s`, v.Number, v.SHA256)
	}
	b = append(append(b, `","record":`...), v.Record...)
	return append(b, "}\n"...)
}

// Parse reads a line, and digests its record.
func (v *Version) Parse(line []byte) (err error) {
	s := jsonline.Scanner{Rest: line}
	v.Release = string(s.Text(`{"release":`))
	v.Date = string(s.Text(`,"date":`))
	said := s.HasNext(`,"version":`)
	var number int64
	var sum Digest
	if said {
		number = s.Number(`,"version":`)
		if !s.HasNext(`,"sha256":null`) {
			s.Digest(`,"sha256":`, (*[sha256.Size]byte)(&sum))
		}
		if s.HasNext(`,"sha256":null`) || s.HasNext(`,"id":`) {
			return v.parseTombstone(line)
		}
	}
	s.Skip(`,"record":`)
	if s.Failed() || !bytes.HasSuffix(s.Rest, []byte("}")) || !layout.ValidID(v.Release) || !validDate(v.Date) {
		return fmt.Errorf("%.80q is not a line of a history", line)
	}
	v.Record = s.Rest[:len(s.Rest)-1]
	v.SHA256 = sha256.Sum256(v.Record)
	if v.ID, v.Number, err = nameOf(v.Record); err != nil {
		return err
	}
	if said && (sum != v.SHA256 || number != v.Number) {
		return fmt.Errorf("version %d of %s is not the one that its line describes", number, v.ID)
	}
	return checkID(v.ID)
}

// nameOf reads ID and version of a record: at once where it begins as this program writes records.
func nameOf(record []byte) (id string, version int64, err error) {
	s := jsonline.Scanner{Rest: record}
	id = string(s.Text(`{"id":`))
	s.Text(`,"kind":`)
	version = s.Number(`,"version":`)
	if !s.Failed() && s.HasNext(",") {
		return id, version, nil
	}
	var r struct {
		ID      string `json:"id"`
		Version int64  `json:"version"`
	}
	err = json.Unmarshal(record, &r)
	return r.ID, r.Version, err
}
