package compiler

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"stele/record"
	"stele/release"
)

// SameOptions returns the options with which a release was built, except renderers. The options
// allow everything that the publisher had to allow.
func SameOptions(r *release.Release) (opt Options, err error) {
	m := r.Manifest
	if m.Built == nil {
		return opt, fmt.Errorf("cannot reproduce release %s: an earlier version of Stele built it, and the manifest lacks the options", m.Release)
	}
	opt = Options{
		Date: record.Date(m.Date), GaveUp: m.GaveUp, AllowShrink: true, AllowLicense: true, AllowMove: true,
		NoVariants: m.Built.Compressor == 0, NoDeltas: !m.Built.Deltas, ByHash: m.Built.ByHash,
		Program: m.Built.Program,
	}
	if opt.Salt, err = r.Salt(); err != nil {
		return opt, err
	}
	if m.Built.At != "" { // earlier programs did not record it
		if opt.At, err = time.Parse(time.RFC3339, m.Built.At); err != nil {
			return opt, fmt.Errorf("release %s: built.at: %w", m.Release, err)
		}
	}
	if m.Built.Pages {
		opt.Downloads = m.Built.Downloads
	}
	for line, err := range r.Records(record.KindChangeEvent) { // archives contain those of earlier releases
		var e record.ChangeEvent
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		if err != nil {
			return opt, err
		}
		if e.Release == m.Release && e.ChangeType == record.ChangeRemoved {
			opt.AllowRemoved = append(opt.AllowRemoved, string(e.RecordID)+": "+e.Summary)
		}
	}
	opt.AllowRemoved = append(opt.AllowRemoved, "?*") // any ID, because removals without a reason were allowed too
	return opt, nil
}

// Differences lists the differences between the files of a published release and of a release that
// was built again.
func Differences(published, again *release.Manifest) (list []string) {
	digests := map[string]release.Digest{}
	for f := range again.Each() {
		digests[f.Path] = f.SHA256
	}
	for f := range published.Each() {
		sum, ok := digests[f.Path]
		switch {
		case !ok:
			list = append(list, f.Path+": missing in the new build")
		case sum != f.SHA256:
			list = append(list, f.Path+": differs")
		}
		delete(digests, f.Path)
	}
	for path := range digests {
		list = append(list, path+": only in the new build")
	}
	slices.Sort(list)
	return list
}
