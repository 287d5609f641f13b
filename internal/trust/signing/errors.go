package signing

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"stele/internal/base/layout"
)

// Each of these errors says what happened in plain words, and what to do.

// What went wrong, for programs: each error below is one of these, by errors.Is.
var (
	ErrUnsigned    = errors.New("the release is not signed")
	ErrUntrusted   = errors.New("no trusted key signed the log")
	ErrAltered     = errors.New("the release or its log was changed or is damaged")
	ErrRolledBack  = errors.New("the log or the release goes back")
	ErrForked      = errors.New("there are two histories")
	ErrUnwitnessed = errors.New("too few witnesses have cosigned the log")
	ErrStale       = errors.New("the release is too old")
)

// errTruncated is the sort of ErrAltered where a part of the log is missing.
var errTruncated = fmt.Errorf("%w: a part is missing", ErrAltered)

// failure is an error of a sort.
type failure struct {
	sort error
	text string
}

func (e *failure) Error() string { return e.text }
func (e *failure) Unwrap() error { return e.sort }

func failed(sort error, format string, args ...any) error {
	return &failure{sort, fmt.Sprintf(format, args...)}
}

func unsigned() error {
	return failed(ErrUnsigned, "the release is not signed: there is no %s. "+
		"Ask the publisher for a signed release, or leave out the key to check digests alone", layout.ProofPath)
}

// damaged says that a part of the log cannot be read or does not fit the rest.
func damaged(path, why string) error {
	return failed(ErrAltered, "%s is damaged: %s. Fetch the release again; if that does not help, tell the publisher", path, why)
}

func truncated(path string) error {
	return failed(errTruncated, "%s is missing. Copy the folder log whole, with all that is in it. If it is whole, "+
		"%s and the rest of it come from two states of the log, or from two logs: fetch the release again",
		path, layout.CheckpointPath)
}

// otherOrigin says that the log is another one.
func otherOrigin(got, want string) error {
	return failed(ErrUntrusted, "this is the log of %q, and the key is for %q. "+
		"Check the address, or use the key of this publisher", got, want)
}

// untrusted says that no trusted key signed. Keys are given by their names and numbers.
func untrusted(origin string, signed, known []string) error {
	return failed(ErrUntrusted, "the log %q is not signed by a key that you trust: it is signed by %s, and you trust %s. "+
		"The publisher may have changed keys without announcing the new one, or begun a new log; or somebody else made this one. "+
		"Do not use this release before the publisher's key, from a place you trust, says which",
		origin, cmp.Or(strings.Join(signed, " and "), "nobody"), strings.Join(known, " and "))
}

// otherManifest says that a release is not the one that was signed.
func otherManifest(what string) error {
	return failed(ErrAltered, "the release is not the one that was signed: %s. "+
		"Somebody changed it after it was signed, or it was signed and built again. Do not use it", what)
}

// rolledBack says that the log is older than what was seen before.
func rolledBack(origin string, size, seen int64) error {
	return failed(ErrRolledBack, "the log of %q went back: it has %d entries, and %d were seen before. "+
		"The host serves an old copy: try again later, or another host", origin, size, seen)
}

// ForkError says that there are two histories, both signed.
type ForkError struct {
	Origin   string
	Evidence []byte // both checkpoints, which prove it to anybody
	Path     string // where the evidence was kept, if it was
}

func (*ForkError) Unwrap() error { return ErrForked }

func (e *ForkError) Error() string {
	where := ""
	if e.Path != "" {
		where = " Both signed checkpoints are in " + e.Path + ": keep that file, it is the proof."
	}
	return fmt.Sprintf("the log of %q was rewritten: what was seen before is not part of it.%s "+
		"Do not use this release, and tell the publisher and others who use it", e.Origin, where)
}

// unwitnessed says that too few witnesses have cosigned: these, of so many that the policy names.
func unwitnessed(have []string, named int) error {
	list := ""
	if len(have) > 0 {
		list = fmt.Sprintf(" (%s)", strings.Trim(fmt.Sprintf("%q", have), "[]"))
	}
	return failed(ErrUnwitnessed, "too few witnesses have cosigned the log: %d of the %d that the policy names%s, and its quorum needs more. "+
		"Try again later, or ask the publisher", len(have), named, list)
}

// What a signer refuses to do.
var (
	errRewritten = errors.New("the log is not the one that was signed")
	errSuccessor = errors.New("the release was not built on the newest one")
)

// notBuiltOn says that a signer was asked to sign a release that was not built on the newest one.
func notBuiltOn(origin string, release, newest ReleaseEntry) error {
	on := "no release"
	if release.Previous != "" {
		on = fmt.Sprintf("release %.12s", release.Previous)
	}
	return failed(errSuccessor, "release %.12s of %s was built on %s, and the newest release in the log of %q is %.12[5]s of %s: "+
		"signed, this one would silently take that one back. There are two ways out. "+
		"If release %.12[5]s was published, build upon it (stele build --previous) and sign that. "+
		"If it never reached anybody, or you go back from it on purpose, sign with --rollback-from %.12[5]s: the log will say so",
		release.Release, release.Date, on, origin, newest.Release, newest.Date)
}

// undeclared says that a release of the log was not built on the one before it; seen, that the one
// before it was verified here, although the log says that nobody got it.
func undeclared(origin string, g Gap, seen bool) error {
	if seen {
		return failed(ErrRolledBack, "the log of %q says that release %.12s of %s was never published, and it was verified here. "+
			"Ask the publisher which of the two counts", origin, g.Before.Release, g.Before.Date)
	}
	return failed(ErrRolledBack, "the releases in the log of %q do not follow each other: %s. "+
		"What release %.12s changed may be gone. Ask the publisher; going back on purpose stands in the log",
		origin, g, g.Before.Release)
}
