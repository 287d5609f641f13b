package release

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
)

// Report is what Verify found.
type Report struct {
	Faults  []Fault
	Left    []string // files that are no part of the release: a process that was killed left them
	Files   int
	Records int
}

// Verify reads a whole release again: every size and digest, every variant, no file too many and
// none missing, every single record the same as in its collection, counts, edges that end at nodes,
// every version that an event says was superseded, and the release's ID. progress may be nil. It
// ends early when the context does.
func (r *Release) Verify(ctx context.Context, progress func(done, total int64)) (*Report, error) {
	v := &verifier{
		Release: r.Within(ctx), local: r.Local(),
		report: &Report{}, known: map[string]bool{layout.ManifestPath: true},
	}
	v.manifestFiles(progress)
	v.listedFiles()
	for _, k := range r.Manifest.Kinds {
		v.kind(k)
		v.deltas(&k)
	}
	v.graph()
	v.archives()
	v.histories()
	v.identity()
	var err error
	if v.local {
		err = v.strays()
	} else { // the files of a service cannot be listed
		v.report.Files = len(v.known) - v.unread
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
	unread int             // how many of them were not asked for
}

// Codes that stele explain knows.
const (
	otherSingle = "OUT01"
	wrongCount  = "OUT02"
	wrongDate   = "OUT03"
	wrongEvents = "OUT04"
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
		if path = d.Path; d.Code != "" {
			v.coded(d.Code, path, "%s", d.Message)
			return
		}
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

// found is what a part of the work found, and which files it saw.
type found struct {
	faults []Fault
	paths  []string
	unread int    // how many of them were not asked for
	after  func() // what is left to do when all before it is known; may be nil
}

func (f *found) fault(path, format string, args ...any) { f.coded("", path, format, args...) }

func (f *found) coded(code, path, format string, args ...any) {
	if len(f.faults) > maxFaults {
		return
	}
	f.faults = append(f.faults, Fault{code, path, fmt.Sprintf(format, args...)})
}

// onAllCores does the parts of some work on all cores, and notes what they find in their order.
func onAllCores[T any](v *verifier, parts iter.Seq[T], do func(T, *found)) {
	worker := func(part T) iter.Seq[found] {
		return func(yield func(found) bool) {
			var f found
			do(part, &f)
			yield(f)
		}
	}
	for f := range parallel.Ordered(parts, slices.Repeat([]func(T) iter.Seq[found]{worker}, parallel.Workers(0))) {
		for _, path := range f.paths {
			v.belongs(path)
		}
		v.unread += f.unread
		for _, fault := range f.faults {
			v.coded(fault.Code, fault.Path, "%s", fault.Message)
		}
		if f.after != nil {
			f.after()
		}
	}
}

// inBatches passes values on together, because handing over costs more than some of them.
func inBatches[T any](values iter.Seq[T]) iter.Seq[[]T] {
	const most = 64
	return func(yield func([]T) bool) {
		var batch []T
		for value := range values {
			if batch = append(batch, value); len(batch) == most {
				if !yield(batch) {
					return
				}
				batch = nil
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// fileCheck is a file, or one of its variants, that is to be read.
type fileCheck struct {
	*File
	variant *Variant // nil for the file itself
}

// manifestFiles checks the files that the manifest lists. They may be large, so that each is a part
// of its own.
func (v *verifier) manifestFiles(progress func(done, total int64)) {
	var total, done int64
	for _, f := range v.Manifest.Files {
		total += f.Size
	}
	onAllCores(v, func(yield func(fileCheck) bool) {
		for i := range v.Manifest.Files {
			for _, c := range checksOf(&v.Manifest.Files[i]) {
				if !yield(c) {
					return
				}
			}
		}
	}, func(c fileCheck, f *found) {
		v.file(c, f)
		if c.variant == nil && progress != nil {
			f.after = func() {
				done += c.Size
				progress(done, total)
			}
		}
	})
}

// checksOf is a file and its variants.
func checksOf(f *File) []fileCheck {
	list := []fileCheck{{File: f}}
	for i := range f.Variants {
		list = append(list, fileCheck{f, &f.Variants[i]})
	}
	return list
}

// file checks a file or a variant.
func (v *verifier) file(c fileCheck, f *found) {
	if c.variant == nil {
		f.paths = append(f.paths, c.Path)
		v.sum(f, c.Path, c.Path, c.Size, c.SHA256, nil)
		return
	}
	if !v.local { // a service sends variants at the address of the file
		return
	}
	path := c.variant.Path
	f.paths = append(f.paths, path)
	v.sum(f, path, path, c.variant.Size, c.variant.SHA256, nil)
	e, ok := compress.Named(c.variant.Encoding)
	if !ok {
		f.fault(path, "%s has the encoding %q, which is not known", path, c.variant.Encoding)
		return
	}
	v.sum(f, path, path+", decoded,", c.Size, c.SHA256, &e)
}

// listedFiles checks the files that have listings of their own, each in the right one.
func (v *verifier) listedFiles() {
	for _, listing := range v.Manifest.FileListings() {
		var failed error
		onAllCores(v, inBatches(func(yield func(File) bool) {
			for f, err := range v.Release.ListedFiles(listing) {
				if failed = err; err != nil || !yield(f.File) {
					return
				}
			}
		}), func(batch []File, f *found) {
			for i := range batch {
				path := batch[i].Path
				if v.Manifest.Histories != "" && isHistory(path) != (listing == v.Manifest.Histories) {
					f.fault(path, "%s does not belong into %s", path, listing)
				}
				if !v.local && v.isDerived(path) { // it is held to what it follows from
					f.paths = append(f.paths, path)
					f.unread++
					continue
				}
				for _, c := range checksOf(&batch[i]) {
					v.file(c, f)
				}
			}
		})
		if failed != nil {
			v.failed(listing, failed)
		}
	}
}

// sum checks size and digest of a file, decoded if an encoding is given.
func (v *verifier) sum(found *found, path, name string, size int64, want Digest, e *compress.Encoding) {
	f, err := v.open(path)
	if err != nil {
		found.fault(path, "%s cannot be read: %v", path, err)
		return
	}
	defer f.Close() // it was only read
	var in io.Reader = f
	if e != nil {
		if in, err = e.Reader(f); err != nil {
			found.fault(path, "%s cannot be decoded: %v", path, err)
			return
		}
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(in, size+1))
	switch {
	case err != nil:
		found.fault(path, "%s cannot be read: %v", name, err)
	case n != size:
		found.fault(path, "%s does not have the %d bytes that the manifest says", name, size)
	case Digest(h.Sum(nil)) != want:
		found.fault(path, "%s does not have the digest that the manifest says", name)
	}
}

// kind checks a kind's collection against its listing and its single records.
func (v *verifier) kind(k Kind) {
	next, stop := iter.Pull2(v.Entries(k.Kind))
	defer stop()
	count, lines, newest := 0, 0, ""
	var failed error
	onAllCores(v, inBatches(func(yield func(listed) bool) {
		for line, err := range v.Release.Records(k.Kind) {
			e, errEntry, ok := next()
			if failed = errors.Join(err, errEntry); failed != nil {
				return // what was counted so far may tell more
			}
			if ok {
				lines++
			}
			if count++; ok && !yield(listed{e, bytes.Clone(line)}) {
				return
			}
		}
	}), func(batch []listed, f *found) {
		date := ""
		for _, r := range batch {
			date = max(date, v.record(f, k, r.Entry, r.JSON))
		}
		f.after = func() { newest = max(newest, date) }
	})
	if failed != nil {
		v.failed(k.Collection, failed)
	}
	if _, err, more := next(); more || err != nil {
		v.coded(wrongCount, k.Listing, "%s lists more records than %s has", k.Listing, k.Collection)
	}
	v.report.Records += count
	if count != k.Count {
		v.coded(wrongCount, k.Collection, "%s has %d records, and the manifest says %d", k.Collection, count, k.Count)
	}
	if authored := k.Count - k.Derived; lines != authored && lines != k.Count {
		v.coded(wrongCount, k.Listing, "%s lists %d records, and the publisher wrote %d", k.Listing, lines, authored)
	}
	v.head(k, count, newest)
}

// head checks the count and the date that stand in the collection itself.
func (v *verifier) head(k Kind, count int, newest string) {
	var head struct {
		Kind  string `json:"kind"`
		Count int    `json:"count"`
		AsOf  string `json:"as_of"`
	}
	if err := json.Unmarshal([]byte(v.firstLine(k.Collection)+"]}"), &head); err != nil || head.Kind != k.Kind ||
		head.Count != count {
		v.coded(wrongCount, k.Collection, "%s says that it holds %d of %q, and holds %d of %q",
			k.Collection, head.Count, head.Kind, count, k.Kind)
	}
	// Nodes have no dates of their own, but those of the records that they stand for.
	if head.AsOf != newest && k.Kind != graphNodes {
		v.coded(wrongDate, k.Collection, "%s says as of %q, and the newest date in it is %q",
			k.Collection, head.AsOf, newest)
	}
}

// firstLine is that of a collection; "" if there is none of a sensible length.
func (v *verifier) firstLine(path string) string {
	f, err := v.open(path)
	if err != nil {
		return "" // said already
	}
	defer f.Close() // it was only read
	line, err := bufio.NewReaderSize(f, layout.MaxHead).ReadSlice('\n')
	if err != nil {
		return ""
	}
	return string(line[:len(line)-1])
}

// record checks a record of a collection against its line of the listing and its own file. It
// answers with the day of the record.
func (v *verifier) record(f *found, k Kind, e Entry, line []byte) (date string) {
	var r struct {
		ID        string `json:"id"`
		Version   int64  `json:"version"`
		Title     string `json:"title"`
		Published string `json:"published_date"`
		Updated   string `json:"updated_date"`
	}
	if err := json.Unmarshal(line, &r); err != nil || r.ID != e.ID || r.Version != e.Version ||
		e.Title != "" && e.Title != r.Title || e.Updated != "" && e.Updated != r.Updated ||
		sha256.Sum256(line) != e.SHA256 {
		f.fault(k.Collection, "%s of %s is not the record that %s describes", e.ID, k.Collection, k.Listing)
		return ""
	}
	date = max(r.Published, r.Updated)
	if k.Single == "" {
		return date
	}
	path := k.SinglePath(e.ID)
	f.paths = append(f.paths, path)
	data, err := v.Release.ReadFile(path, int64(len(line)))
	var d *DamagedError
	switch {
	case err != nil && !errors.As(err, &d):
		f.fault(path, "%s cannot be read: %v", path, err)
	case err != nil || !bytes.Equal(data, line):
		f.coded(otherSingle, path, "%s is not what %s has for this record", path, k.Collection)
	}
	if !v.local {
		return date
	}
	for _, encoding := range compress.Encodings {
		if _, err := fs.Stat(v.Files, path+encoding.Suffix); err == nil {
			f.paths = append(f.paths, path+encoding.Suffix)
			v.sum(f, path+encoding.Suffix, path+encoding.Suffix+", decoded,", int64(len(line)), e.SHA256, &encoding)
		}
	}
	return date
}

// graph checks that edges end at nodes.
func (v *verifier) graph() {
	nodes, whole := map[string]bool{}, true // what is not whole was said already
	v.linesOf(graphNodes, &whole, func(batch [][]byte, f *found) {
		var list []string
		for _, line := range batch {
			var n struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(line, &n) != nil {
				f.after = func() { whole = false }
				return
			}
			list = append(list, n.ID)
		}
		f.after = func() {
			for _, id := range list {
				nodes[id] = true
			}
		}
	})
	if !whole {
		return
	}
	v.linesOf(graphEdges, &whole, func(batch [][]byte, f *found) {
		for _, line := range batch {
			var e struct{ ID, Source, Target string }
			if json.Unmarshal(line, &e) != nil {
				return
			}
			for _, end := range []string{e.Source, e.Target} {
				if !nodes[end] {
					f.fault("", "edge %s ends at %s, which is not a node", e.ID, end)
				}
			}
		}
	})
}

// linesOf passes the records of a kind on, until one cannot be read.
func (v *verifier) linesOf(kind string, whole *bool, do func(batch [][]byte, f *found)) {
	failed := false
	onAllCores(v, inBatches(func(yield func([]byte) bool) {
		for line, err := range v.Release.Records(kind) {
			if failed = err != nil; failed || !yield(bytes.Clone(line)) {
				return
			}
		}
	}), do)
	*whole = *whole && !failed
}

// strays finds files that do not belong to the release.
func (v *verifier) strays() error {
	paths := map[Digest]string{}
	for f := range v.Manifest.Each() {
		paths[f.SHA256] = f.Path
	}
	for path, err := range v.Names() {
		if err == nil {
			err = v.ended()
		}
		if err != nil {
			return err
		}
		v.report.Files++
		switch {
		case v.known[path] || beside(path):
		case strings.HasPrefix(path, layout.ByHashFolder):
			v.byHash(path, paths)
		case strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], layout.TemporaryPrefix):
			v.report.Left = append(v.report.Left, path)
		default:
			v.fault(path, "%s does not belong to the release", path)
		}
	}
	return nil
}

// byHash checks a file that is named by its digest. It is another name of one that was checked
// already, or of the release before.
func (v *verifier) byHash(path string, paths map[Digest]string) {
	var want Digest
	err := want.UnmarshalText([]byte(path[len(layout.ByHashFolder):]))
	if err != nil || layout.ByHashPath(want.String()) != path {
		v.fault(path, "%s does not belong to the release", path)
		return
	}
	is, err := fs.Stat(v.Files, path)
	if err != nil {
		v.fault(path, "%s cannot be read: %v", path, err)
		return
	}
	if other, err := fs.Stat(v.Files, paths[want]); err == nil && os.SameFile(is, other) {
		return
	}
	var f found
	v.sum(&f, path, path, is.Size(), want, nil)
	for _, fault := range f.faults {
		v.fault(path, "%s does not have the digest that is its name", fault.Path)
	}
}

// logFile matches the paths of a log of signed releases: c2sp.org/tlog-tiles, and what Stele adds.
var logFile = regexp.MustCompile(`^log/(checkpoint|policy|keys/\d{1,19}\.tlog-proof|` +
	`tile/(entries|\d{1,2})/(x\d{3}/)*\d{3}(\.p/\d{1,3})?)$`)

// beside reports whether a file lies beside the release and is not part of it: the log of signed
// releases, which has the digest of the manifest in it, and what says which parts a copy has.
func beside(path string) bool {
	return path == layout.ProofPath || path == layout.CopyPath || logFile.MatchString(path)
}

// Names returns the paths of all files, in any order. A file system that has a list of them need
// not be walked.
func (r *Release) Names() iter.Seq2[string, error] {
	if files, ok := r.Files.(lister); ok {
		return files.Names()
	}
	return func(yield func(string, error) bool) {
		err := fs.WalkDir(r.Files, ".", func(path string, d fs.DirEntry, err error) error {
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
