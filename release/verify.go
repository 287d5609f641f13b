package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"regexp"

	"stele/internal/compress"
	"stele/internal/layout"
)

// Report is what Verify found.
type Report struct {
	Faults  []Fault
	Files   int
	Records int
}

// Verify reads a whole release again: every size and digest, every variant, no file too many and
// none missing, every single record the same as in its collection, counts, edges that end at nodes,
// and the release's ID. progress may be nil. It ends early when the context does.
func (r *Release) Verify(ctx context.Context, progress func(done, total int64)) (*Report, error) {
	v := &verifier{
		Release: r.within(ctx), local: r.Local(),
		report: &Report{}, known: map[string]bool{layout.ManifestPath: true},
	}
	var total, done int64
	for _, f := range r.Manifest.Files {
		total += f.Size
	}
	for i := range r.Manifest.Files {
		f := &r.Manifest.Files[i]
		v.file(f)
		if done += f.Size; progress != nil {
			progress(done, total)
		}
	}
	v.pages()
	for _, k := range r.Manifest.Kinds {
		v.kind(k)
	}
	v.graph()
	v.identity()
	var err error
	if v.local { // the files of a service cannot be listed
		err = v.strays()
	}
	if ctx.Err() != nil { // what was found since is about that, and not about the release
		return nil, context.Cause(ctx)
	}
	return v.report, err
}

type verifier struct {
	*Release
	local  bool // whether they are here, and not those of a service
	report *Report
	known  map[string]bool // files that belong here
}

// Codes that stele explain knows.
const (
	otherSingle = "OUT01"
	wrongCount  = "OUT02"
)

// maxFaults is how many are listed. Whoever has so many needs no more.
const maxFaults = 1000

// fault notes what is wrong with a file.
func (v *verifier) fault(path, format string, args ...any) { v.coded("", path, format, args...) }

// coded notes a fault that stele explain tells more about.
func (v *verifier) coded(code, path, format string, args ...any) {
	switch n := len(v.report.Faults); {
	case n < maxFaults:
		v.report.Faults = append(v.report.Faults, Fault{code, path, fmt.Sprintf(format, args...)})
	case n == maxFaults:
		v.report.Faults = append(v.report.Faults, Fault{Message: "there is more, which is not listed"})
	}
}

// failed notes what an error says, which names the file.
func (v *verifier) failed(path string, err error) {
	if d := new(DamagedError); errors.As(err, &d) {
		path = d.Path
	}
	v.fault(path, "%v", err)
}

// belongs notes that a file belongs to the release. None is listed twice.
func (v *verifier) belongs(path string) {
	if v.known[path] {
		v.fault(path, "%s is listed twice", path)
	}
	v.known[path] = true
}

// file checks a file and its variants.
func (v *verifier) file(f *File) {
	v.belongs(f.Path)
	v.sum(f.Path, f.Path, f.Size, f.SHA256, nil)
	for _, variant := range f.Variants {
		v.belongs(variant.Path)
		if !v.local { // a service sends variants at the address of the file
			continue
		}
		v.sum(variant.Path, variant.Path, variant.Size, variant.SHA256, nil)
		e, ok := compress.Named(variant.Encoding)
		if !ok {
			v.fault(variant.Path, "%s has the encoding %q, which is not known", variant.Path, variant.Encoding)
			continue
		}
		v.sum(variant.Path, variant.Path+", decoded,", f.Size, f.SHA256, &e)
	}
}

// pages checks the files that have a listing of their own.
func (v *verifier) pages() {
	for f, err := range v.Release.Pages() {
		if err != nil {
			v.failed(v.Manifest.Pages, err)
			return
		}
		v.file(&f)
	}
}

// sum checks size and digest of a file, decoded if an encoding is given.
func (v *verifier) sum(path, name string, size int64, want Digest, e *compress.Encoding) {
	f, err := v.open(path)
	if err != nil {
		v.fault(path, "%s cannot be read: %v", path, err)
		return
	}
	defer f.Close() // it was only read
	var in io.Reader = f
	if e != nil {
		if in, err = e.Reader(f); err != nil {
			v.fault(path, "%s cannot be decoded: %v", path, err)
			return
		}
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(in, size+1))
	switch {
	case err != nil:
		v.fault(path, "%s cannot be read: %v", name, err)
	case n != size:
		v.fault(path, "%s does not have the %d bytes that the manifest says", name, size)
	case Digest(h.Sum(nil)) != want:
		v.fault(path, "%s does not have the digest that the manifest says", name)
	}
}

// kind checks a kind's collection against its listing and its single records.
func (v *verifier) kind(k Kind) {
	next, stop := iter.Pull2(v.Entries(k.Kind))
	defer stop()
	count, listed := 0, 0
	for line, err := range v.Release.Records(k.Kind) {
		e, errEntry, ok := next()
		if err = errors.Join(err, errEntry); err != nil {
			v.failed(k.Collection, err)
			break // what was counted so far may tell more
		}
		if ok {
			v.record(k, e, line)
			listed++
		}
		count++
	}
	if _, err, more := next(); more || err != nil {
		v.coded(wrongCount, k.Listing, "%s lists more records than %s has", k.Listing, k.Collection)
	}
	v.report.Records += count
	if count != k.Count {
		v.coded(wrongCount, k.Collection, "%s has %d records, and the manifest says %d", k.Collection, count, k.Count)
	}
	if authored := k.Count - k.Derived; listed != authored && listed != k.Count {
		v.coded(wrongCount, k.Listing, "%s lists %d records, and the publisher wrote %d", k.Listing, listed, authored)
	}
	v.head(k, count)
}

// head checks the count that stands in the collection itself.
func (v *verifier) head(k Kind, count int) {
	f, err := v.open(k.Collection)
	if err != nil {
		v.fault(k.Collection, "%s cannot be read: %v", k.Collection, err)
		return
	}
	defer f.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		v.fault(k.Collection, "%s cannot be read: %v", k.Collection, err)
		return
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var head struct {
		Kind  string `json:"kind"`
		Count int    `json:"count"`
	}
	if err := json.Unmarshal(append(bytes.Clone(first), "]}"...), &head); err != nil || head.Kind != k.Kind ||
		head.Count != count {
		v.coded(
			wrongCount,
			k.Collection,
			"%s says that it holds %d of %q, and holds %d of %q",
			k.Collection,
			head.Count,
			head.Kind,
			count,
			k.Kind,
		)
	}
}

// record checks a record of a collection against its line of the listing and its own file.
func (v *verifier) record(k Kind, e Entry, line []byte) {
	var r struct {
		ID      string `json:"id"`
		Version int64  `json:"version"`
	}
	if err := json.Unmarshal(line, &r); err != nil || r.ID != e.ID || r.Version != e.Version ||
		sha256.Sum256(line) != e.SHA256 {
		v.fault(k.Collection, "%s of %s is not the record that %s describes", e.ID, k.Collection, k.Listing)
		return
	}
	if k.Single == "" {
		return
	}
	path := k.SinglePath(e.ID)
	v.belongs(path)
	data, err := v.Release.ReadFile(path, int64(len(line)))
	var d *DamagedError
	switch {
	case err != nil && !errors.As(err, &d):
		v.fault(path, "%s cannot be read: %v", path, err)
	case err != nil || !bytes.Equal(data, line):
		v.coded(otherSingle, path, "%s is not what %s has for this record", path, k.Collection)
	}
	for _, encoding := range compress.Encodings {
		if _, err := fs.Stat(v.Files, path+encoding.Suffix); err == nil {
			v.belongs(path + encoding.Suffix)
			v.sum(path+encoding.Suffix, path+encoding.Suffix+", decoded,", int64(len(line)), e.SHA256, &encoding)
		}
	}
}

// graph checks that edges end at nodes.
func (v *verifier) graph() {
	nodes := map[string]bool{}
	for line, err := range v.Release.Records(graphNodes) {
		var n struct {
			ID string `json:"id"`
		}
		if err != nil || json.Unmarshal(line, &n) != nil {
			return // said already
		}
		nodes[n.ID] = true
	}
	for line, err := range v.Release.Records(graphEdges) {
		var e struct{ ID, Source, Target string }
		if err != nil || json.Unmarshal(line, &e) != nil {
			return // said already
		}
		for _, end := range []string{e.Source, e.Target} {
			if !nodes[end] {
				v.fault("", "edge %s ends at %s, which is no node", e.ID, end)
			}
		}
	}
}

// strays finds files that do not belong to the release.
func (v *verifier) strays() error {
	for path, err := range names(v.Files) {
		if err == nil {
			err = v.ended()
		}
		if err != nil {
			return err
		}
		v.report.Files++
		if !v.known[path] && !beside(path) {
			v.fault(path, "%s does not belong to the release", path)
		}
	}
	return nil
}

// logFile matches the paths of a log of signed releases: c2sp.org/tlog-tiles, and what Stele adds.
var logFile = regexp.MustCompile(`^log/(checkpoint|policy|keys/\d{1,19}\.tlog-proof|` +
	`tile/(entries|\d{1,2})/(x\d{3}/)*\d{3}(\.p/\d{1,3})?)$`)

// beside reports whether a file lies beside the release and is not part of it: the log of signed
// releases, which has the digest of the manifest in it.
func beside(path string) bool {
	return path == layout.ManifestPath+".tlog-proof" || logFile.MatchString(path)
}

// names are the paths of all files. A file system that has a list of them need not be walked.
func names(files fs.FS) iter.Seq2[string, error] {
	if listed, ok := files.(lister); ok {
		return listed.Names()
	}
	return func(yield func(string, error) bool) {
		err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !yield(path, nil) {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			yield("", err)
		}
	}
}
