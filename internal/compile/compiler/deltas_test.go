package compiler_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/release"
)

// checkDeltas applies the deltas of a release to the collections of an earlier one.
func checkDeltas(t tb, earlier, now *release.Release) {
	t.Helper()
	for _, k := range now.Manifest.Kinds {
		was := earlier.Manifest.File(earlier.Manifest.Kind(k.Kind).Collection)
		chain, ok := now.Manifest.Chain(k.Kind, was.SHA256)
		since, okSince := now.Manifest.ChainSince(k.Kind, earlier.Manifest.Release)
		if !ok || !okSince {
			t.Fatalf("%s: there are no deltas since %s: %v, %v", k.Kind, earlier.Manifest.Release, ok, okSince)
		}
		if len(chain) > len(since) {
			t.Fatalf("%s: %d deltas by digest and %d by release", k.Kind, len(chain), len(since))
		}
		if sum := sumAfter(t, earlier, now, k.Kind, chain); sum != now.Manifest.File(k.Collection).SHA256 {
			t.Fatalf("%s: %d deltas lead to %s", k.Kind, len(chain), sum)
		}
		checkUpsert(t, earlier, now, k.Kind, since)
	}
}

// sumAfter is the digest of a collection to which deltas were applied.
func sumAfter(t tb, earlier, now *release.Release, kind string, chain []layout.Delta) release.Digest {
	t.Helper()
	lines := layout.BaseLines(earlier.Records(kind))
	head := string(firstLine(t, earlier, kind))
	for _, d := range chain {
		s := must.Get(now.Delta(kind, d))(t)
		lines, head = s.Apply(lines), s.Head
	}
	sum := sha256.New()
	sum.Write([]byte(head))
	before := "\n"
	for line, err := range lines {
		must.Do(t, err)
		sum.Write([]byte(before))
		sum.Write(line.Text)
		before = ",\n"
	}
	sum.Write([]byte("\n]}\n"))
	return release.Digest(sum.Sum(nil))
}

func firstLine(t tb, r *release.Release, kind string) []byte {
	t.Helper()
	data := must.Get(r.ReadFile(r.Manifest.Kind(kind).Collection, 1<<30))(t)
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	return line
}

// checkUpsert does what somebody does who keeps records by their IDs: takes the changed ones and
// removes those that are gone. Events that were moved into an archive are not gone.
func checkUpsert(t tb, earlier, now *release.Release, kind string, chain []layout.Delta) {
	t.Helper()
	ids := func(r *release.Release) map[string]bool {
		all := map[string]bool{}
		records := r.Records(kind)
		if kind == "change_event" {
			records = r.Events()
		}
		for line, err := range records {
			must.Do(t, err)
			all[idOf(t, line)] = true
		}
		return all
	}
	have := ids(earlier)
	for _, d := range chain {
		s := must.Get(now.Delta(kind, d))(t)
		for _, id := range s.Removed {
			if !have[id] {
				t.Fatalf("%s: %s is gone and was not there", kind, id)
			}
			delete(have, id)
		}
		for line, err := range s.Records() {
			must.Do(t, err)
			have[idOf(t, line)] = true
		}
	}
	if want := ids(now); !maps.Equal(have, want) {
		t.Fatalf("%s: the deltas give %v, want %v", kind, slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
	}
}

// revisions is a folder of signals that are revised from release to release.
type revisions struct {
	version []int
	updated []record.Date
	day     int
}

func newRevisions(count int) *revisions {
	r := &revisions{make([]int, count), make([]record.Date, count), 0}
	r.revise(0, count)
	return r
}

func (r *revisions) date() record.Date {
	return record.Date(fmt.Sprintf("2026-%02d-%02d", 1+r.day/28, 1+r.day%28))
}

// revise gives some signals another version on the next day.
func (r *revisions) revise(from, to int) {
	r.day++
	for i := from; i < to; i++ {
		r.version[i]++
		r.updated[i] = r.date()
	}
}

func (r *revisions) build(t *testing.T, before *release.Release) made {
	t.Helper()
	var lines strings.Builder
	for i, v := range r.version {
		sum := sha256.Sum256(fmt.Append(nil, i, v))
		fmt.Fprintf(&lines, `{"id":"sig-%05d","version":%d,"title":"Signal %d","summary":"%x","signal_type":"trend","observation":"Seen.","detected_date":"2026-01-01","evidence_ids":["evd-base"],`+
			`"source_links":[{"url":"https://example.org/","role":"primary"}],"claim_boundary":{"statement":"Nothing beyond."},"verification_date":"2026-01-01","published_date":"2026-01-01","updated_date":%q,"source_updates":[],"corrections":[]}`+"\n",
			i, v, i, sum, r.updated[i])
	}
	return makeRelease(t, fstest.MapFS{
		"stele.yaml":                 {Data: []byte("{title: t, base_url: https://example.org, publisher: p, license: CC0-1.0, contact: c@example.org, language: en, notice: n}")},
		"records/signals/all.ndjson": {Data: []byte(lines.String())},
		"records/evidence/one.ndjson": {Data: []byte(`{"id":"evd-base","version":1,"title":"t","summary":"s","evidence_type":"guideline","finding":"Found.","evidence_label":"not_rated",` +
			`"source_links":[{"url":"https://example.org/","role":"primary"}],"claim_boundary":{"statement":"Nothing beyond."},"verification_date":"2026-01-01","published_date":"2026-01-01","updated_date":"2026-01-01","source_updates":[],"corrections":[]}` + "\n")},
	}, compiler.Options{Date: r.date(), Previous: before, NoVariants: true})
}

// TestDeltasHaveLimits: a release keeps thirty steps at most, and of a kind no more than a quarter
// of its collection.
func TestDeltasHaveLimits(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("left out by -short: it makes forty releases")
	}
	const count = 400
	r := newRevisions(count)
	all := []made{r.build(t, nil)}
	next := func(from, to int) made {
		t.Helper()
		r.revise(from, to)
		all = append(all, r.build(t, all[len(all)-1].Release))
		now := all[len(all)-1]
		verify(t, now.Release)
		return now
	}
	reaches := func(now made, back int) bool {
		_, ok := now.Manifest.ChainSince("signal", all[len(all)-1-back].Manifest.Release)
		return ok
	}
	var now made
	for n := range 32 {
		now = next(n, n+1)
	}
	if len(now.Manifest.Earlier) != 30 || len(now.Manifest.Kind("signal").Deltas) != 30 ||
		!reaches(now, 30) || reaches(now, 31) {
		t.Errorf("there are %d earlier releases and %d deltas", len(now.Manifest.Earlier), len(now.Manifest.Kind("signal").Deltas))
	}
	checkDeltas(t, all[len(all)-1-30].Release, now.Release)

	now = next(0, count*3/4)
	if k := now.Manifest.Kind("signal"); k.Since != "" || len(k.Deltas) > 0 || reaches(now, 1) {
		t.Errorf("most records changed, and there are %d deltas", len(k.Deltas))
	}
	if k := now.Manifest.Kind("entity"); k.Since == "" || len(k.Deltas) > 0 {
		t.Errorf("nothing changed of a kind, and it is told since %q", k.Since)
	}
	for n := range 6 {
		now = next(n*40, n*40+40)
	}
	if !reaches(now, 1) || !reaches(now, 2) || reaches(now, 5) {
		t.Errorf("a tenth changed again and again, and it is told since %s", now.Manifest.Kind("signal").Since)
	}
	total := int64(0)
	for _, d := range now.Manifest.Kind("signal").Deltas {
		total += now.Manifest.File(d.Path).Size
	}
	if size := now.Manifest.File("api/v1/signals.json").Size; total > size/4 {
		t.Errorf("the deltas have %d bytes, and the collection %d", total, size)
	}
}

// TestDamagedDelta: a delta that cannot be carried over costs nothing but what it tells.
func TestDamagedDelta(t *testing.T) {
	r := newRevisions(20)
	one := r.build(t, nil)
	r.revise(0, 1)
	two := r.build(t, one.Release)
	r.revise(1, 2)
	three := r.build(t, two.Release)
	damaged := three.Manifest.Kind("signal").Deltas[0].Path
	three.files[damaged][len(three.files[damaged])/2] ^= 1
	r.revise(2, 3)
	four := r.build(t, three.Release)
	k := four.Manifest.Kind("signal")
	if len(k.Deltas) != 2 || k.Since != two.Manifest.Release || four.files[damaged] != nil {
		t.Errorf("since %s: %v", k.Since, k.Deltas)
	}
	checkDeltas(t, two.Release, four.Release)
	verify(t, four.Release)
}
