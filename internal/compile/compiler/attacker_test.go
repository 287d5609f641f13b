package compiler_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/release"
)

const riseFile = "records/signals/sig-example-rise.yaml"

// TestAttacker plays somebody who wants to know what a redaction took out. They have all public
// files of the release that redacts and of the next one, know everything else of the first release,
// and guess. With a salt, no guess is confirmed; without one, the ID of the first release confirms
// the right one, so this test can fail.
func TestAttacker(t *testing.T) {
	race.LeaveOut(t, "one goroutine guesses")
	for name, guesses := range map[string]iter.Seq[string]{
		"figure": func(yield func(string) bool) {
			for i := range 10_000 {
				if !yield(fmt.Sprint(i)) {
					return
				}
			}
		},
		"name": func(yield func(string) bool) {
			for i := range 1000 {
				if !yield(fmt.Sprintf(`"%c%s %s%c"`, 'A'+i%26, "nna", "Quaxworth", 'a'+i/26%26)) {
					return
				}
			}
		},
		"date": func(yield func(string) bool) {
			for day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 1995; day = day.AddDate(0, 0, 1) {
				if !yield(day.Format(`"2006-01-02"`)) {
					return
				}
			}
		},
	} {
		all := slices.Collect(guesses)
		right := all[len(all)*2/3]
		for _, secret := range []string{"", "a secret of the publisher, which nobody else has"} {
			public := redactedReleases(t, right, secret)
			is := guess(t, public, all)
			if want := secret == ""; want != (is == right) || !want && is != "" {
				t.Errorf("%s, secret %q: the guess %q is confirmed, and %q is right", name, secret, is, right)
			}
		}
	}
}

// redactedReleases publishes a value, redacts it, and publishes once more. It returns the last two
// releases.
func redactedReleases(t *testing.T, value, secret string) []made {
	t.Helper()
	first := edit(t, starterFolder(t), riseFile, "version: 1\n", "version: 1\nx_value: "+value+"\n")
	opt := compiler.Options{Date: "2026-02-01", NoVariants: true, ByHash: true, Secret: []byte(secret)}
	one := makeRelease(t, first, opt)
	second := revise(t, starterFolder(t), riseFile, "2026-02-02", "version: 1\n", "version: 2\n")
	second["redactions.yaml"] = &fstest.MapFile{Data: []byte(
		"redactions:\n  - {id: sig-example-rise, versions: 1, members: [/x_value], date: 2026-02-02, reason: It was private.}\n",
	)}
	opt.Date, opt.Previous = "2026-02-02", one.Release
	two := makeRelease(t, second, opt)
	third := revise(t, second, poster, "2026-02-03", "version: 1\n", "version: 2\nx_note: more\n")
	opt.Date, opt.Previous = "2026-02-03", two.Release
	three := makeRelease(t, third, opt)
	verify(t, three.Release)
	for _, r := range []made{one, two, three} {
		salt, err := r.Salt()
		if err != nil || (salt != "") != (secret != "") {
			t.Fatalf("the salt is %q, %v", salt, err)
		}
	}
	return []made{two, three}
}

var (
	digestText = regexp.MustCompile(`[0-9a-f]{64}|[0-9a-f]{12}`)
	saltText   = regexp.MustCompile(`"salt":"[0-9a-f]+",`)
)

// guess returns the guess that public files confirm; "" if they confirm none.
func guess(t *testing.T, public []made, guesses []string) string {
	t.Helper()
	seen, salts := map[string]bool{}, []string{""}
	for _, r := range public {
		for _, data := range r.files {
			for _, is := range digestText.FindAll(data, -1) {
				seen[string(is)] = true
			}
			for _, is := range saltText.FindAll(data, -1) {
				salts = append(salts, string(is))
			}
		}
	}
	// the first release as it was, but for the value, which stands in its place as a text
	const unknown = `"here"`
	folder := edit(t, starterFolder(t), riseFile, "version: 1\n", "version: 1\nx_value: "+unknown+"\n")
	like := makeRelease(t, folder, compiler.Options{Date: "2026-02-01", NoVariants: true})
	kind := like.Manifest.Kind(record.KindSignal)
	var line []byte
	for is, err := range like.Records(record.KindSignal) {
		must.Do(t, err)
		if bytes.Contains(is, []byte(unknown)) {
			line = bytes.Clone(is)
		}
	}
	var events [][]byte // that the publisher wrote
	for is, err := range like.Records("change_event") {
		must.Do(t, err)
		events = append(events, bytes.Clone(is))
	}
	was := release.Digest(sha256.Sum256(line)).String()
	for _, value := range guesses {
		now := bytes.Replace(line, []byte(unknown), []byte(value), 1)
		sum := release.Digest(sha256.Sum256(now)).String()
		collection := release.Digest(sha256.Sum256(bytes.Replace(like.files[kind.Collection], line, now, 1)))
		listing := release.Digest(sha256.Sum256(bytes.Replace(like.files[kind.Listing], []byte(was), []byte(sum), 1)))
		digests := []string{sum, collection.String(), listing.String()}
		for _, salt := range salts {
			m := *like.Manifest
			m.Files = slices.Clone(m.Files)
			m.File(kind.Collection).SHA256, m.File(kind.Listing).SHA256 = collection, listing
			head := append([]byte("{"+salt), like.files[layout.StandingPath][1:]...)
			m.File(layout.StandingPath).SHA256 = sha256.Sum256(head)
			m.Content = m.ContentDigest()
			digests = append(digests, m.Content.String(), m.ID(slices.Values(events)))
		}
		if slices.ContainsFunc(digests, func(d string) bool { return seen[d] }) {
			return value
		}
	}
	return ""
}

// TestSalt: the salt follows from the secret, the release before, the date and the content, and a
// release without changes keeps it, also where the secret is not at hand.
func TestSalt(t *testing.T) {
	race.LeaveOut(t, "one goroutine builds at a time")
	folder := starterFolder(t)
	build := func(folder fstest.MapFS, secret, date string, previous *release.Release) made {
		return makeRelease(t, folder, compiler.Options{
			Date: record.Date(date), NoVariants: true, Secret: []byte(secret), Previous: previous,
		})
	}
	one := build(folder, "first", "2026-02-01", nil)
	for _, other := range []made{build(folder, "first", "2026-02-02", nil), build(folder, "second", "2026-02-01", nil)} {
		if must.Get(other.Salt())(t) == must.Get(one.Salt())(t) || other.Manifest.Release == one.Manifest.Release {
			t.Error("the salt is the same")
		}
	}
	again := build(folder, "first", "2026-02-01", nil)
	if !bytes.Equal(again.files[layout.StandingPath], one.files[layout.StandingPath]) {
		t.Error("the same gives another salt")
	}
	for _, secret := range []string{"first", "second", ""} {
		same := build(folder, secret, "2026-02-03", one.Release)
		if !same.outcome.Unchanged || same.Manifest.Release != one.Manifest.Release {
			t.Errorf("with the secret %q, the release changes", secret)
		}
	}
	changed := revise(t, folder, poster, "2026-02-03", "version: 1\n", "version: 2\nx_note: more\n")
	two := build(changed, "first", "2026-02-03", one.Release)
	verify(t, two.Release)
	if must.Get(two.Salt())(t) == must.Get(one.Salt())(t) {
		t.Error("two releases have one salt")
	}
	opt := must.Get(compiler.SameOptions(two.Release))(t)
	opt.Previous = one.Release
	if again := makeRelease(t, changed, opt); again.Manifest.Release != two.Manifest.Release {
		t.Error("it cannot be reproduced without the secret")
	}
	if third := build(folder, "", "2026-02-04", nil); must.Get(third.Salt())(t) != "" {
		t.Error("a release without a secret has a salt")
	}
}
