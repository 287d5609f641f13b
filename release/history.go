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

// Version is a superseded version of a record: a line of a history. A change event with the
// version's digest says when and why it was superseded.
type Version struct {
	Release string // the first known release that contained it
	Date    string // of that release
	Number  int64
	ID      string // of the record
	SHA256  Digest // zero if it is withheld
	Record  []byte // its JSON, byte for byte; valid until the next iteration; nil if it was redacted
	// Redacted is the day on which the version was redacted, or "", and Reason is the reason, which
	// a change event gives.
	Redacted, Reason string
}

// tombstone is the line of a redacted version.
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

// appendTombstone appends the line of a redacted version.
func (v *Version) appendTombstone(b []byte) []byte {
	t := tombstone{Release: v.Release, Date: v.Date, Version: v.Number, ID: v.ID}
	t.Redacted.Date, t.Redacted.Reason = v.Redacted, v.Reason
	if v.SHA256 != (Digest{}) {
		t.SHA256 = &v.SHA256
	}
	line, err := json.Marshal(t)
	if err != nil {
		panic(err) // cannot happen: it contains only texts and numbers
	}
	return append(append(b, line...), '\n')
}

// parseTombstone parses the line of a redacted version, which has exactly one form.
func (v *Version) parseTombstone(line []byte) error {
	var t tombstone
	if err := json.Unmarshal(line, &t); err != nil || !layout.ValidID(t.Release) || !validDate(t.Date) ||
		!validDate(t.Redacted.Date) || t.Version < 1 {
		return fmt.Errorf("malformed line of a history: %.80q", line)
	}
	*v = Version{
		Release: t.Release, Date: t.Date, Number: t.Version, ID: t.ID,
		Redacted: t.Redacted.Date, Reason: t.Redacted.Reason,
	}
	if t.SHA256 != nil {
		v.SHA256 = *t.SHA256
	}
	if is := v.appendTombstone(nil); !bytes.Equal(is[:len(is)-1], line) {
		return fmt.Errorf("malformed line of a history: %.80q", line)
	}
	return checkID(v.ID)
}

// IsPack reports whether all histories of the kind are in files of many records. Such a file, and
// Kind.Pack, consists of Zstandard frames, one for each release that appended to it.
func (k *Kind) IsPack() bool { return strings.HasSuffix(k.History, layout.HistoryPack) }

// HistoryPath returns the path of a record's superseded versions, or "" if none are kept. The
// kind's path contains the name of a member in braces: for a record with a file of its own its
// value is the ID, otherwise it is any text, which PackName converts to a part of a path.
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

// checkHistory returns an error if the pattern does not yield a valid path.
func (k *Kind) checkHistory() error {
	_, name, _, braces := layout.CutSingle(k.History)
	if k.Pack != "" && !(layout.ValidPath(k.Pack) && isPack(k.Pack) && k.HistoryMember() != "" && !k.IsPack()) {
		return fmt.Errorf("%s: invalid path of the histories of %s: %q", layout.ManifestPath, k.Kind, k.Pack)
	}
	if k.History == "" || layout.ValidPath(k.HistoryPath("x")) && (!braces || layout.ValidName(name)) {
		return nil
	}
	return fmt.Errorf("%s: invalid path of the history of %s: %q", layout.ManifestPath, k.Kind, k.History)
}

// isPack reports whether a path is that of a history of many records.
func isPack(at string) bool { return isHistory(at) && strings.HasSuffix(at, layout.HistoryPack) }

// HistoryFile yields the versions in a history, oldest first for each record. A missing file has no
// versions, because nothing in it has changed yet. A file of the manifest is checked against it at
// the end; the versions of other files must be compared with change events by the caller.
func (r *Release) HistoryFile(path string) iter.Seq2[Version, error] {
	return r.historyFile(path, r.Manifest.File(path))
}

// historyFile yields the versions in a history. If want is not nil, it checks the file against that
// entry.
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
		defer f.Close() // f was only read
		most, total := int64(layout.MaxLine), int64(math.MaxInt64-1)
		var in io.Reader = f
		sum := &hashReader{r: f}
		if want != nil {
			most = min(most, layout.MaxExpanded(want.Size))
			total = r.Manifest.MaxHistorySize(want.Size)
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

// listedHistory returns the entry of a history in the manifest or in the listing of single
// histories, or nil if the release has no such file.
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

// Versions yields the versions in a history. The file is compressed if its path has the extension
// of compressed files. Its size, if known, limits the length of lines.
func (f *File) Versions(in io.Reader) iter.Seq2[Version, error] {
	most := int64(layout.MaxLine)
	if f.Size > 0 {
		most = min(most, layout.MaxExpanded(f.Size))
	}
	return readVersions(f.Path, in, most, math.MaxInt64-1)
}

// MaxVersions returns the maximum number of superseded versions of a release: each has an event.
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

// MaxHistorySize returns the maximum expanded size of a history with a given file size. For earlier
// versions of the program, which did not limit it, it assumes records of usual size.
func (m *Manifest) MaxHistorySize(size int64) int64 {
	const usual = 4 << 10
	return layout.MaxExpanded(size) + usual*m.MaxVersions()
}

// readVersions yields the versions in a history. It limits the length of a line to maxLine bytes,
// and the size of all lines to maxTotal bytes.
func readVersions(path string, in io.Reader, maxLine, maxTotal int64) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		if strings.HasSuffix(path, layout.HistoryPack) {
			var err error
			if in, err = compress.Zstandard.Reader(in); err != nil {
				yield(Version{}, fmt.Errorf("%s: %w", path, err))
				return
			}
		}
		limited := &io.LimitedReader{R: in, N: maxTotal + 1}
		lines := newLines(limited, maxLine)
		for lines.Scan() {
			var v Version
			err := v.Parse(lines.Bytes())
			if err != nil {
				err = damagedError(path, "%s: %v", path, err)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
		err := lines.Err()
		if limited.N == 0 {
			err = fmt.Errorf("it expands to more than the %d bytes that its size and the change events allow", maxTotal)
		}
		if err != nil {
			yield(Version{}, fmt.Errorf("%s: %w", path, err))
		}
	}
}

// Append appends the line of a history to b. Packs omit the digest, which can be computed from the
// record, because it would take two thirds of the compressed size.
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

// Parse parses a line, and computes the digest of its record.
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
		return fmt.Errorf("malformed line of a history: %.80q", line)
	}
	v.Record = s.Rest[:len(s.Rest)-1]
	v.SHA256 = sha256.Sum256(v.Record)
	if v.ID, v.Number, err = idAndVersion(v.Record); err != nil {
		return err
	}
	if said && (sum != v.SHA256 || number != v.Number) {
		return fmt.Errorf("version %d of %s does not match its line", number, v.ID)
	}
	return checkID(v.ID)
}

// idAndVersion returns the ID and the version of a record. It is fast if the record begins as this
// program writes it.
func idAndVersion(record []byte) (id string, version int64, err error) {
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
