package publish

import (
	"iter"

	"stele/internal/build/eventlog"
	"stele/record"
	"stele/release"
)

// unpacked is what the histories of many records hold, so that the versions of one can be read. It
// leaves out those of kinds without pages: nobody asks for them, and they are by far the most.
type unpacked struct {
	lines *eventlog.Lines
	byID  map[string][]eventlog.LineRef
}

// unpack reads the histories of many records. That takes as long as they are, so it is done once,
// and only if somebody asks.
func (h *histories) unpack() {
	u := &unpacked{byID: map[string][]eventlog.LineRef{}}
	if u.lines, h.failed = eventlog.NewLines(h.scratch); h.failed != nil {
		return
	}
	h.unpacked = u
	paged := map[string]bool{} // paths
	for i := range h.kinds {
		if record.Kinds[i].HasPage() && h.kinds[i].IsPack() {
			paged[h.kinds[i].History] = true
		}
	}
	for i := range h.packs {
		if f := &h.packs[i]; paged[f.path] {
			if h.failed = h.unpackFile(u, f); h.failed != nil {
				return
			}
		}
	}
	h.failed = u.lines.Flush()
}

func (h *histories) unpackFile(u *unpacked, f *history) error {
	var b []byte
	add := func(v *release.Version) {
		b = release.AppendVersion(b[:0], v, true)
		u.byID[v.ID] = append(u.byID[v.ID], u.lines.Put(b[:len(b)-1]))
	}
	if f.was != nil {
		for v, err := range h.before.HistoryFile(f.path) {
			if err != nil {
				return unreadable(err)
			}
			add(&v)
		}
	}
	var line []byte
	for _, i := range f.added {
		v := &h.superseded.list[i]
		var err error
		if line, err = h.superseded.lines.Read(v.line, line); err != nil {
			return err
		}
		version := h.version(v, line)
		add(&version)
	}
	return nil
}

// of yields the versions of a record.
func (u *unpacked) of(id string) iter.Seq2[release.Version, error] {
	return func(yield func(release.Version, error) bool) {
		var line []byte
		for _, ref := range u.byID[id] {
			var err error
			var v release.Version
			if line, err = u.lines.Read(ref, line); err == nil {
				v, err = release.ParseVersion(line)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}
