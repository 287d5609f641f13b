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

// The kinds of log entries, by their first line.
const (
	releaseHead = "stele-release/1"
	keyHead     = "stele-key/1"
)

// none replaces the ID of the previous release if there was none.
const none = "none"

// Entry is an entry (leaf) of the log: a release, or a change of keys.
type Entry interface {
	// Encode returns the bytes of the entry, which ParseEntry parses.
	Encode() []byte
}

// ReleaseEntry records that a release was published.
type ReleaseEntry struct {
	Service  string // base URL of the service
	Release  string // the release's ID
	Date     string // YYYY-MM-DD
	Previous string // ID of the previous release, or "" for the first
	SHA256   [sha256.Size]byte
	Size     int64 // of the manifest
	// Break says why the release does not follow the previous one in the log, whose ID is Skips.
	// Usually both are "".
	Break Break
	Skips string
}

// Break is a reason why a release does not follow the previous one in the log.
type Break string

// The reasons.
const (
	Rollback    Break = "rollback-from" // the publisher withdrew the previous release on purpose
	Unpublished Break = "unpublished"   // the previous release was signed, but never published
)

// isSameManifest reports whether e and o are for the same manifest, ignoring breaks.
func (e ReleaseEntry) isSameManifest(o ReleaseEntry) bool {
	e.Break, e.Skips, o.Break, o.Skips = "", "", "", ""
	return e == o
}

// breakLine returns the line about a break, or nil.
func (e ReleaseEntry) breakLine() []byte {
	if e.Break == "" {
		return nil
	}
	return fmt.Appendf(nil, "%s %s\n", e.Break, e.Skips)
}

func (e ReleaseEntry) Encode() []byte {
	b := make([]byte, 0, 320)
	b = append(append(b, releaseHead+"\nservice "...), e.Service...)
	b = append(append(b, "\nrelease "...), e.Release...)
	b = append(append(b, "\ndate "...), e.Date...)
	b = append(append(b, "\nprevious "...), cmp.Or(e.Previous, none)...)
	b = hex.AppendEncode(append(b, "\nmanifest "...), e.SHA256[:])
	b = strconv.AppendInt(append(b, ' '), e.Size, 10)
	return append(append(b, '\n'), e.breakLine()...)
}

// KeyAction is a change of a key.
type KeyAction string

// The changes.
const (
	AddKey    KeyAction = "add"    // from here on it may sign
	RetireKey KeyAction = "retire" // from here on it may not
)

// KeyEntry records that a key was added or retired.
type KeyEntry struct {
	Action KeyAction
	Key    string // the public key, in one line
}

func (e KeyEntry) Encode() []byte { return fmt.Appendf(nil, "%s\n%s %s\n", keyHead, e.Action, e.Key) }

// ParseEntry parses an entry. It accepts exactly the form that Encode returns.
func ParseEntry(data []byte) (Entry, error) {
	if len(data) > maxEntry || !utf8.Valid(data) {
		return nil, errors.New("malformed log entry: not text, or too long")
	}
	text, ok := strings.CutSuffix(string(data), "\n")
	if !ok {
		return nil, errors.New("malformed log entry: missing final line break")
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
			err = errors.New("malformed log entry: unknown key action")
		}
		e = KeyEntry{KeyAction(action), key}
	default:
		return nil, fmt.Errorf("unknown kind of log entry %.40q: update the program", head)
	}
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(e.Encode(), data) {
		return nil, errors.New("malformed log entry")
	}
	return e, nil
}

// parseReleaseEntry parses the lines of a release entry. ParseEntry finds lines out of order by
// comparing with Encode.
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
		return e, errors.New("malformed log entry: missing or invalid manifest digest")
	}
	if _, err := hex.Decode(e.SHA256[:], []byte(digest)); err != nil {
		return e, errors.New("malformed log entry: missing or invalid manifest digest")
	}
	e.Size, err = strconv.ParseInt(size, 10, 64)
	if err != nil || e.Size < 0 {
		return e, errors.New("malformed log entry: missing or invalid manifest size")
	}
	if e.Previous == none {
		e.Previous = ""
	}
	if e.Service == "" || e.Release == "" || e.Date == "" || (e.Break != "") != (e.Skips != "") {
		return e, errors.New("malformed log entry: missing release")
	}
	return e, nil
}
