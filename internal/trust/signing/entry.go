package signing

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// The kinds of leaves, by their first line.
const (
	releaseHead = "stele-release/1"
	keyHead     = "stele-key/1"
)

// none stands where a release has no release before it.
const none = "none"

// Entry is a leaf of the log: a release, or a word about a key.
type Entry interface {
	// Encode returns the leaf's bytes, which ParseEntry reads back.
	Encode() []byte
}

// ReleaseEntry says that a release was published.
type ReleaseEntry struct {
	Service  string // the base address of the service
	Release  string // the release's ID
	Date     string // YYYY-MM-DD
	Previous string // the ID of the release before it, or "" for the first
	SHA256   [sha256.Size]byte
	Size     int64 // of the manifest
	// Break says why the release was not built on the one before it in the log, whose ID is then
	// Skips. It is "" as a rule.
	Break Break
	Skips string
}

// Break is why a release does not follow the one before it in the log.
type Break string

// Why a release may not follow the one before it.
const (
	Rollback    Break = "rollback-from" // the publisher took that one back on purpose
	Unpublished Break = "unpublished"   // that one was signed, and never put in its place
)

// same reports whether two entries are about the same manifest, whatever came before them.
func (e ReleaseEntry) same(o ReleaseEntry) bool {
	e.Break, e.Skips, o.Break, o.Skips = "", "", "", ""
	return e == o
}

// extra is the line about a break, or nil.
func (e ReleaseEntry) extra() []byte {
	if e.Break == "" {
		return nil
	}
	return fmt.Appendf(nil, "%s %s\n", e.Break, e.Skips)
}

// Encode returns the leaf's bytes.
func (e ReleaseEntry) Encode() []byte {
	b := make([]byte, 0, 320)
	b = append(append(b, releaseHead+"\nservice "...), e.Service...)
	b = append(append(b, "\nrelease "...), e.Release...)
	b = append(append(b, "\ndate "...), e.Date...)
	b = append(append(b, "\nprevious "...), cmp.Or(e.Previous, none)...)
	b = hex.AppendEncode(append(b, "\nmanifest "...), e.SHA256[:])
	b = strconv.AppendInt(append(b, ' '), e.Size, 10)
	return append(append(b, '\n'), e.extra()...)
}

// KeyAction is what happens to a key.
type KeyAction string

// What can happen to a key.
const (
	AddKey    KeyAction = "add"    // from here on it may sign
	RetireKey KeyAction = "retire" // from here on it may not
)

// KeyEntry says that a key was added or retired.
type KeyEntry struct {
	Action KeyAction
	Key    string // the public key, as one line
}

// Encode returns the leaf's bytes.
func (e KeyEntry) Encode() []byte { return fmt.Appendf(nil, "%s\n%s %s\n", keyHead, e.Action, e.Key) }

// ParseEntry reads a leaf. It takes only what Encode writes, to the byte.
func ParseEntry(data []byte) (Entry, error) {
	if len(data) > maxEntry || !utf8.Valid(data) {
		return nil, errors.New("an entry of the log is not text, or too long")
	}
	text, ok := strings.CutSuffix(string(data), "\n")
	if !ok {
		return nil, errors.New("an entry of the log does not end in a line break")
	}
	head, rest, _ := strings.Cut(text, "\n")
	var e Entry
	var err error
	switch head {
	case releaseHead:
		e, err = parseReleaseEntry(rest)
	case keyHead:
		action, key, _ := strings.Cut(rest, " ")
		if _, err = note.NewVerifier(key); err == nil && action != string(AddKey) && action != string(RetireKey) {
			err = errors.New("an entry about a key neither adds nor retires it")
		}
		e = KeyEntry{KeyAction(action), key}
	default:
		return nil, fmt.Errorf("an entry of the log is of an unknown kind, %.40q: a newer version of Stele may know it", head)
	}
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(e.Encode(), data) {
		return nil, errors.New("an entry of the log is not written as it should be")
	}
	return e, nil
}

// parseReleaseEntry reads the lines of a release. What is out of order is found by comparing it
// with what Encode writes.
func parseReleaseEntry(text string) (e ReleaseEntry, err error) {
	var digest, size string
	for line := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "service":
			e.Service = value
		case "release":
			e.Release = value
		case "date":
			e.Date = value
		case "previous":
			e.Previous = value
		case "manifest":
			digest, size, _ = strings.Cut(value, " ")
		case string(Rollback), string(Unpublished):
			e.Break, e.Skips = Break(name), value
		}
	}
	if len(digest) != 2*sha256.Size {
		return e, errors.New("an entry of the log has no digest of a manifest")
	}
	if _, err := hex.Decode(e.SHA256[:], []byte(digest)); err != nil {
		return e, errors.New("an entry of the log has no digest of a manifest")
	}
	e.Size, err = strconv.ParseInt(size, 10, 64)
	if err != nil || e.Size < 0 {
		return e, errors.New("an entry of the log has no size of a manifest")
	}
	if e.Previous == none {
		e.Previous = ""
	}
	if e.Service == "" || e.Release == "" || e.Date == "" || (e.Break != "") != (e.Skips != "") {
		return e, errors.New("an entry of the log does not say which release it is about")
	}
	return e, nil
}
