package signing

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"stele/internal/base/layout"
)

// The kinds of failures, for errors.Is. Each error contains the cause and the remedy.
var (
	ErrUnsigned    = errors.New("the release is not signed")
	ErrUntrusted   = errors.New("no trusted key signed the log")
	ErrAltered     = errors.New("the release or its log was changed or is damaged")
	ErrRolledBack  = errors.New("the log or the release was rolled back")
	ErrForked      = errors.New("the log was forked")
	ErrUnwitnessed = errors.New("too few witnesses have cosigned the log")
	ErrStale       = errors.New("the release is too old")
)

// errTruncated is an ErrAltered because a part of the log is missing.
var errTruncated = fmt.Errorf("%w: a part is missing", ErrAltered)

// failure is an error of one of the kinds above.
type failure struct {
	kind error
	text string
}

func (e *failure) Error() string { return e.text }
func (e *failure) Unwrap() error { return e.kind }

func newFailure(kind error, format string, args ...any) error {
	return &failure{kind, fmt.Sprintf(format, args...)}
}

func unsignedError() error {
	return newFailure(ErrUnsigned, "the release is not signed: %s is missing. "+
		"Ask the publisher for a signed release, or leave out the key to check only digests", layout.ProofPath)
}

// damagedError returns the error for a part of the log that is unreadable or does not match the
// rest.
func damagedError(path, why string) error {
	return newFailure(ErrAltered, "%s is damaged: %s. Fetch the release again; if that does not help, tell the publisher", path, why)
}

func truncatedError(path string) error {
	return newFailure(errTruncated, "%s is missing. Copy the complete folder log. If it is complete, "+
		"%s and the rest belong to two states of the log, or to two logs: fetch the release again",
		path, layout.CheckpointPath)
}

// otherOriginError returns the error for a log whose name differs from the key's.
func otherOriginError(got, want string) error {
	return newFailure(ErrUntrusted, "this is the log of %q, but the key is for %q. "+
		"Check the address, or use the key of this publisher", got, want)
}

// untrustedError returns the error for a log without a trusted signature. Keys are in the form
// "name+number".
func untrustedError(origin string, signed, known []string) error {
	return newFailure(ErrUntrusted, "the log %q is not signed by a key that you trust: it is signed by %s, and you trust %s. "+
		"The publisher may have changed keys without announcing the new one, or started a new log; or it is a forgery. "+
		"Do not use this release until you have compared the publisher's key from a source that you trust",
		origin, cmp.Or(strings.Join(signed, " and "), "nobody"), strings.Join(known, " and "))
}

// otherManifestError returns the error for a release that is not the signed one.
func otherManifestError(what string) error {
	return newFailure(ErrAltered, "the release is not the one that was signed: %s. "+
		"It was changed or built again after signing. Do not use it", what)
}

// rolledBackError returns the error for a log that has size entries now but had seen entries
// before.
func rolledBackError(origin string, size, seen int64) error {
	return newFailure(ErrRolledBack, "the log of %q was rolled back: it has %d entries, but %d were seen before. "+
		"The host serves an old copy: try again later, or another host", origin, size, seen)
}

// ForkError means that two signed histories exist.
type ForkError struct {
	Origin   string
	Evidence []byte // both checkpoints, which prove the fork
	Path     string // file with the evidence, or ""
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

// unwitnessedError returns the error for a log that too few witnesses cosigned. have contains their
// names, and named is the number of witnesses in the policy.
func unwitnessedError(have []string, named int) error {
	list := ""
	if len(have) > 0 {
		list = fmt.Sprintf(" (%s)", strings.Trim(fmt.Sprintf("%q", have), "[]"))
	}
	return newFailure(ErrUnwitnessed, "too few witnesses have cosigned the log: %d of the %d that the policy names%s, and its quorum needs more. "+
		"Try again later, or ask the publisher", len(have), named, list)
}

// Refusals to sign.
var (
	errRewritten = errors.New("the log is not the one that was signed")
	errSuccessor = errors.New("the release was not built on the latest release")
)

// notBuiltOnError returns the error for signing a release that does not follow latest, the latest
// release in the log.
func notBuiltOnError(origin string, release, latest ReleaseEntry) error {
	on := "no release"
	if release.Previous != "" {
		on = fmt.Sprintf("release %.12s", release.Previous)
	}
	return newFailure(errSuccessor, "release %.12s of %s was built on %s, but the latest release in the log of %q is %.12[5]s of %s: "+
		"signing it would silently withdraw that one. There are two solutions. "+
		"If release %.12[5]s was published, build a release that follows it (stele build --previous) and sign that. "+
		"If nobody has it, or you withdraw it on purpose, sign with --rollback-from %.12[5]s, which the log will record",
		release.Release, release.Date, on, origin, latest.Release, latest.Date)
}

// undeclaredError returns the error for a release in the log that does not follow the previous one
// without declaring a reason. seen is set if the log says that the previous release was never
// published, but it was verified here.
func undeclaredError(origin string, g Gap, seen bool) error {
	if seen {
		return newFailure(ErrRolledBack, "the log of %q says that release %.12s of %s was never published, but it was verified here. "+
			"Ask the publisher which of the two is true", origin, g.Before.Release, g.Before.Date)
	}
	return newFailure(ErrRolledBack, "the releases in the log of %q do not follow each other: %s. "+
		"The changes of release %.12s may be lost. Ask the publisher: the log records rollbacks on purpose",
		origin, g, g.Before.Release)
}
