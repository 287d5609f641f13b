package signing

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"stele/internal/disk/durable"
)

// Seen is a folder with the latest checkpoint of each log that was verified, to detect logs that
// are rolled back or rewritten. A log is identified by its name and keys. With an empty Dir nothing
// is stored.
type Seen struct{ Dir string }

// Verify verifies a release and stores the checkpoint of its log. If the log was rewritten, it
// saves the proof.
func (s Seen) Verify(ctx context.Context, files Files, manifest []byte, opt VerifyOptions) (*Verified, error) {
	opt.Seen = s
	v, err := Verify(ctx, files, manifest, opt)
	if err == nil {
		err = s.write(v)
	}
	if fork := new(ForkError); errors.As(err, &fork) && s.Dir != "" {
		return nil, errors.Join(err, s.saveFork(fork))
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// nameFor returns the beginning of the names of a log's files.
func nameFor(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return fmt.Sprintf("%x", sum[:12])
}

const seenSuffix = ".checkpoint"

// read returns the stored checkpoints of the log with the given keys. others are the keys of other
// stored logs with the same name.
func (s Seen) read(origin string, keys []note.Verifier) (seen []*signedCheckpoint, others []string, err error) {
	entries, err := os.ReadDir(s.Dir) // fails if there is none
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), nameFor(origin)) || !strings.HasSuffix(e.Name(), seenSuffix) {
			continue
		}
		path := filepath.Join(s.Dir, e.Name())
		old, err := readSeen(path)
		if err != nil {
			return nil, nil, err
		}
		if _, err := old.verify(keys); err == nil && old.Origin == origin {
			seen = append(seen, old)
		} else {
			others = append(others, old.signers()...)
		}
	}
	slices.Sort(others)
	return seen, slices.Compact(others), nil
}

func readSeen(path string) (*signedCheckpoint, error) {
	data, err := ReadLocal(path, maxNote)
	if err != nil {
		return nil, err
	}
	old, err := parseSigned(data)
	if err != nil {
		return nil, fmt.Errorf("%s, the stored checkpoint of a verified log, is damaged: %w. "+
			"Restore it from a backup. If you have none, remove it and compare the size of the log with others: "+
			"without the file, changes of the earlier log go unnoticed", path, err)
	}
	return old, nil
}

// write stores the checkpoint of a verified release, unless a later one was stored meanwhile.
func (s Seen) write(v *Verified) error {
	if s.Dir == "" || v.Checkpoint == nil {
		return nil
	}
	if err := durable.MkdirAll(s.Dir); err != nil {
		return err
	}
	unlock, err := durable.LockSoon(filepath.Join(s.Dir, "lock"))
	if err != nil {
		return fmt.Errorf("%s: %w", s.Dir, err)
	}
	defer unlock()
	now, err := parseSigned(v.Checkpoint)
	if err != nil {
		return err
	}
	for _, k := range v.keys {
		path := filepath.Join(s.Dir, fmt.Sprintf("%s-%08x%s", nameFor(k.Name()), k.KeyHash(), seenSuffix))
		old, err := readSeen(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case old.Size > now.Size:
			return rolledBackError(now.Origin, now.Size, old.Size)
		case old.Size == now.Size && old.Root != now.Root:
			return forkError(old, now)
		}
		if err := durable.WriteFile(path, v.Checkpoint, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// saveFork writes the evidence of a fork to a file, and sets its path in the error.
func (s Seen) saveFork(e *ForkError) error {
	sum := sha256.Sum256(e.Evidence)
	path := filepath.Join(s.Dir, fmt.Sprintf("fork-%x.txt", sum[:6]))
	if err := durable.MkdirAll(s.Dir); err != nil {
		return err
	}
	if err := durable.WriteFile(path, e.Evidence, 0o644); err != nil {
		return err
	}
	e.Path = path
	return nil
}

// signers returns the keys that a checkpoint claims to be signed by, as "name+number".
func (s *signedCheckpoint) signers() (names []string) {
	_, lines, _ := strings.Cut(string(s.note), "\n\n")
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[1] != s.Origin { // a witness
			continue
		}
		if data, err := base64.StdEncoding.DecodeString(fields[2]); err == nil && len(data) > 4 {
			names = append(names, fmt.Sprintf("%s+%08x", fields[1], binary.BigEndian.Uint32(data)))
		}
	}
	return names
}
