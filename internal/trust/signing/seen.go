package signing

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Seen is a folder that remembers the newest checkpoint of each log that was verified, so that a
// log that goes back or is rewritten is noticed.
type Seen struct{ Dir string }

// seenName is the name of the file for a log.
func seenName(origin string) string {
	return fmt.Sprintf("%x.checkpoint", sha256.Sum256([]byte(origin)))
}

// Read returns the checkpoint that was seen last, or nil.
func (s Seen) Read(origin string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(s.Dir, seenName(origin)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Write remembers a checkpoint that was verified.
func (s Seen) Write(v *Verified) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	return writeWhole(filepath.Join(s.Dir, seenName(v.Origin)), v.Checkpoint)
}

// Keep writes the evidence of a fork to a file and names it in the error.
func (s Seen) Keep(e *ForkError) error {
	sum := sha256.Sum256(e.Evidence)
	path := filepath.Join(s.Dir, fmt.Sprintf("fork-%x.txt", sum[:6]))
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	if err := writeWhole(path, e.Evidence); err != nil {
		return err
	}
	e.Path = path
	return nil
}

// writeWhole writes a file so that it has the old or the new contents, whatever happens.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteState keeps what a signer did, so that it is never undone.
func WriteState(path string, s *Signature) error { return writeWhole(path, s.State) }
