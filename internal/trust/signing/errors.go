package signing

import (
	"fmt"
	"strings"

	"stele/internal/base/layout"
)

// Each of these errors says what happened in plain words, and what to do.

// UnsignedError says that a release has no signature.
type UnsignedError struct{}

func (*UnsignedError) Error() string {
	return "the release is not signed: there is no " + layout.ProofPath +
		". Ask the publisher for a signed release, or leave out the key to check digests alone"
}

// DamagedError says that a part of the log cannot be read or does not fit the rest.
type DamagedError struct {
	Path string
	Why  string
}

func (e *DamagedError) Error() string {
	return e.Path + " is damaged: " + e.Why + ". Fetch the release again; if that does not help, tell the publisher"
}

// TruncatedError says that a part of the log is missing.
type TruncatedError struct{ Path string }

func (e *TruncatedError) Error() string {
	return "the log is cut off: " + e.Path + " is missing. Copy the folder log whole, with all that is in it"
}

// OriginError says that the log is another one.
type OriginError struct{ Got, Want string }

func (e *OriginError) Error() string {
	return fmt.Sprintf("this is the log of %q, and the key is for %q. Check the address, or use the key of this publisher",
		e.Got, e.Want)
}

// KeyError says that no trusted key signed.
type KeyError struct{ Origin string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("the log %q is not signed by a key that you trust. "+
		"Do not use this release; get the publisher's key from a place you trust and compare", e.Origin)
}

// ManifestError says that a release is not the one that was signed.
type ManifestError struct{ What string }

func (e *ManifestError) Error() string {
	return "the release is not the one that was signed: " + e.What +
		". Somebody changed it after it was signed, or it was signed and built again. Do not use it"
}

// SupersededError says that a release is not the newest one of the log that lies beside it.
type SupersededError struct{ Release, Newest, Date string }

func (e *SupersededError) Error() string {
	return fmt.Sprintf("release %.12s is not the newest: the log beside it has release %.12s of %s. Fetch that one",
		e.Release, e.Newest, e.Date)
}

// RollbackError says that the log is older than what was seen before.
type RollbackError struct {
	Origin     string
	Size, Seen int64
}

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

func (e *StaleError) Error() string {
	return fmt.Sprintf("the newest release, %.12s of %s, is %d days old, and at most %d were asked for. "+
		"The publisher may not have published since, or the host may hold newer ones back: ask another host",
		e.Release, e.Date, e.Days, e.Most)
}

// QuorumError says that too few witnesses have cosigned.
type QuorumError struct{ Have []string }

func (e *QuorumError) Error() string {
	have := "none"
	if len(e.Have) > 0 {
		have = strings.Join(e.Have, ", ")
	}
	return "too few witnesses have cosigned the log: the policy asks for more than " + have +
		". Try again later, or ask the publisher"
}

// SuccessorError says that a signer was asked to sign a second history.
type SuccessorError struct {
	Origin       string
	Size, Signed int64
}

func (e *SuccessorError) Error() string {
	return fmt.Sprintf("this key has signed %d entries of the log %q, and this release continues from %d: "+
		"signing it would fork the log for ever. Build upon the newest release (stele build --previous) and sign that",
		e.Signed, e.Origin, e.Size)
}
