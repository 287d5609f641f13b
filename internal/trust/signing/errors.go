package signing

import (
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

// UnsignedError says that a release has no signature.
type UnsignedError struct{}

func (*UnsignedError) Is(target error) bool { return target == ErrUnsigned }

func (*UnsignedError) Error() string {
	return "the release is not signed: there is no " + layout.ProofPath +
		". Ask the publisher for a signed release, or leave out the key to check digests alone"
}

// DamagedError says that a part of the log cannot be read or does not fit the rest.
type DamagedError struct {
	Path string
	Why  string
}

func (*DamagedError) Is(target error) bool { return target == ErrAltered }

func (e *DamagedError) Error() string {
	return e.Path + " is damaged: " + e.Why + ". Fetch the release again; if that does not help, tell the publisher"
}

// TruncatedError says that a part of the log is missing.
type TruncatedError struct{ Path string }

func (*TruncatedError) Is(target error) bool { return target == ErrAltered }

func (e *TruncatedError) Error() string {
	return e.Path + " is missing. Copy the folder log whole, with all that is in it. If it is whole, " +
		layout.CheckpointPath + " and the rest of it come from two states of the log, or from two logs: fetch the release again"
}

// OriginError says that the log is another one.
type OriginError struct{ Got, Want string }

func (*OriginError) Is(target error) bool { return target == ErrUntrusted }

func (e *OriginError) Error() string {
	return fmt.Sprintf("this is the log of %q, and the key is for %q. Check the address, or use the key of this publisher",
		e.Got, e.Want)
}

// KeyError says that no trusted key signed.
type KeyError struct {
	Origin        string
	Signed, Known []string // names and numbers of keys
}

func (*KeyError) Is(target error) bool { return target == ErrUntrusted }

func (e *KeyError) Error() string {
	by := strings.Join(e.Signed, " and ")
	if by == "" {
		by = "nobody"
	}
	return fmt.Sprintf("the log %q is not signed by a key that you trust: it is signed by %s, and you trust %s. "+
		"The publisher may have changed keys without announcing the new one, or begun a new log; or somebody else made this one. "+
		"Do not use this release before the publisher's key, from a place you trust, says which",
		e.Origin, by, strings.Join(e.Known, " and "))
}

// ManifestError says that a release is not the one that was signed.
type ManifestError struct{ What string }

func (*ManifestError) Is(target error) bool { return target == ErrAltered }

func (e *ManifestError) Error() string {
	return "the release is not the one that was signed: " + e.What +
		". Somebody changed it after it was signed, or it was signed and built again. Do not use it"
}

// SupersededError says that a release is not the newest one of the log that lies beside it.
type SupersededError struct{ Release, Newest, Date string }

func (*SupersededError) Is(target error) bool { return target == ErrRolledBack }

func (e *SupersededError) Error() string {
	return fmt.Sprintf("release %.12s is not the newest: the log beside it has release %.12s of %s. Fetch that one",
		e.Release, e.Newest, e.Date)
}

// RollbackError says that the log is older than what was seen before.
type RollbackError struct {
	Origin     string
	Size, Seen int64
}

func (*RollbackError) Is(target error) bool { return target == ErrRolledBack }

func (e *RollbackError) Error() string {
	return fmt.Sprintf("the log of %q went back: it has %d entries, and %d were seen before. "+
		"The host serves an old copy: try again later, or another host", e.Origin, e.Size, e.Seen)
}

// ForkError says that there are two histories, both signed.
type ForkError struct {
	Origin   string
	Evidence []byte // both checkpoints, which prove it to anybody
	Path     string // where the evidence was kept, if it was
}

func (*ForkError) Is(target error) bool { return target == ErrForked }

func (e *ForkError) Error() string {
	where := ""
	if e.Path != "" {
		where = " Both signed checkpoints are in " + e.Path + ": keep that file, it is the proof."
	}
	return fmt.Sprintf("the log of %q was rewritten: what was seen before is not part of it.%s "+
		"Do not use this release, and tell the publisher and others who use it", e.Origin, where)
}

// StaleError says that the newest release is older than asked for.
type StaleError struct {
	Release, Date string
	Days, Most    int
}

func (*StaleError) Is(target error) bool { return target == ErrStale }

func (e *StaleError) Error() string {
	return fmt.Sprintf("the newest release, %.12s of %s, is %d days old, and at most %d were asked for. "+
		"The publisher may not have published since, or the host may hold newer ones back: ask another host",
		e.Release, e.Date, e.Days, e.Most)
}

// QuorumError says that too few witnesses have cosigned.
type QuorumError struct {
	Have  []string // names of the witnesses in the policy
	Named int      // how many witnesses the policy names
}

func (*QuorumError) Is(target error) bool { return target == ErrUnwitnessed }

func (e *QuorumError) Error() string {
	have := ""
	for _, name := range e.Have {
		have += fmt.Sprintf(" %q", name)
	}
	if have != "" {
		have = " (" + strings.TrimSpace(have) + ")"
	}
	return fmt.Sprintf("too few witnesses have cosigned the log: %d of the %d that the policy names%s, and its quorum needs more. "+
		"Try again later, or ask the publisher", len(e.Have), e.Named, have)
}

// RewrittenError says that the log beside a release is not the one that the signer signed.
type RewrittenError struct {
	Origin       string
	Size, Signed int64
}

func (e *RewrittenError) Error() string {
	return fmt.Sprintf("the log of %q beside this release has %d entries that do not go with the %d that this key has signed: "+
		"signing it would fork the log for ever. Build upon the newest release that was signed (stele build --previous) and sign that",
		e.Origin, e.Size, e.Signed)
}

// SuccessorError says that a signer was asked to sign a release that was not built on the newest
// one.
type SuccessorError struct {
	Origin          string
	Release, Newest ReleaseEntry
}

func (e *SuccessorError) Error() string {
	on := "no release"
	if e.Release.Previous != "" {
		on = fmt.Sprintf("release %.12s", e.Release.Previous)
	}
	return fmt.Sprintf("release %.12s of %s was built on %s, and the newest release in the log of %q is %.12[5]s of %s: "+
		"signed, this one would silently take that one back. There are two ways out. "+
		"If release %.12[5]s was published, build upon it (stele build --previous) and sign that. "+
		"If it never reached anybody, or you go back from it on purpose, sign with --rollback-from %.12[5]s: the log will say so",
		e.Release.Release, e.Release.Date, on, e.Origin, e.Newest.Release, e.Newest.Date)
}

// GapError says that a release of the log was not built on the one before it.
type GapError struct {
	Origin string
	Gap
	Seen bool // whether the one before it was verified here, although the log says that nobody got it
}

func (e *GapError) Is(target error) bool { return target == ErrRolledBack }

func (e *GapError) Error() string {
	if e.Seen {
		return fmt.Sprintf("the log of %q says that release %.12s of %s was never published, and it was verified here. "+
			"Ask the publisher which of the two counts", e.Origin, e.Before.Release, e.Before.Date)
	}
	return fmt.Sprintf("the releases in the log of %q do not follow each other: %s. "+
		"What release %.12s changed may be gone. Ask the publisher; going back on purpose stands in the log",
		e.Origin, e.Gap, e.Before.Release)
}
