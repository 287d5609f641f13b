package push

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/disk/durable"
	"stele/release"
)

// memory is the data that this machine stores about a folder of records: where it last published
// them, and which release.
type memory struct {
	Folder  string `json:"folder,omitempty"`
	Bucket  string `json:"bucket,omitempty"`
	Host    string `json:"host,omitempty"`   // of the bucket
	Serial  int64  `json:"serial,omitempty"` // of the last pointer written
	Release string `json:"release,omitempty"`
	Date    string `json:"date,omitempty"`

	Agreed []agreed `json:"agreed,omitempty"`
}

// agreed is a bucket to which the user agreed to publish.
type agreed struct {
	Bucket string `json:"bucket"`
	Host   string `json:"host,omitempty"`
}

// IsKnown reports whether this machine has published the folder to its bucket at the same host, or
// the user has agreed to that. A local folder needs no agreement, since nothing is sent.
func (s *Service) IsKnown() (bool, error) {
	if s.To.Host == "" {
		return true, nil
	}
	was, _, err := s.readMemory()
	to := agreed{s.To.Name, s.To.Host}
	isLast := was.Bucket == to.Bucket && (was.Host == to.Host || was.Host == "") // older versions did not store the host
	return isLast || slices.Contains(was.Agreed, to), err
}

// Agree stores that the user agreed to publish to the bucket.
func (s *Service) Agree() error {
	was, path, err := s.readMemory()
	if err != nil || path == "" {
		return err
	}
	was.Agreed = append(was.Agreed, agreed{s.To.Name, s.To.Host})
	return was.writeFile(path)
}

func (m memory) writeFile(path string) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(data, '\n'), 0o600)
}

// StateOf creates and returns the folder of this machine's state for another folder.
func (s *Service) StateOf(kind, folder string) (string, error) {
	at, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if s.State == "" {
		return "", errors.New("cannot find a folder for the program's state: set XDG_STATE_HOME")
	}
	dir := filepath.Join(s.State, kind, fmt.Sprintf("%.12x", sha256.Sum256([]byte(at))))
	return dir, os.MkdirAll(dir, 0o700)
}

// readMemory reads the memory, and returns the path of its file.
func (s *Service) readMemory() (m memory, path string, err error) {
	if s.State == "" {
		return m, "", nil
	}
	dir, err := s.StateOf("publish", s.Records)
	if err != nil {
		return m, "", err
	}
	path = filepath.Join(dir, "last.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, path, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, path, err
}

func (s *Service) currentMemory() (m memory, err error) {
	if s.Folder != "" {
		m.Folder, err = filepath.Abs(s.Folder)
	}
	if s.Bucket != nil {
		m.Bucket, m.Host = s.Bucket.Name(), s.To.Host
	}
	return m, err
}

// Moved returns the destination of the last publication if the destination has changed since, or
// "". Settings in a folder of records may come from another person.
func (s *Service) Moved() (string, error) {
	was, _, err := s.readMemory()
	if err != nil || was.Folder == "" && was.Bucket == "" {
		return "", err
	}
	now, err := s.currentMemory()
	switch {
	case err != nil:
		return "", err
	case now.Folder != was.Folder && now.Folder != "":
		return cmp.Or(was.Folder, was.Bucket), nil
	case now.Host != "" && slices.Contains(was.Agreed, agreed{now.Bucket, now.Host}):
	case now.Bucket != "" && (now.Bucket != was.Bucket || was.Host != "" && now.Host != was.Host):
		return strings.TrimSuffix(cmp.Or(was.Bucket, was.Folder)+" at "+was.Host, " at "), nil
	}
	return "", nil
}

// checkFollows returns an error if live (nil for none) does not follow the release that this
// machine last published: after a restored backup, the history would fork.
func (s *Service) checkFollows(live *release.Release) error {
	was, _, err := s.readMemory()
	if err != nil || was.Release == "" || s.GaveUp {
		return err
	}
	has := "nothing"
	if live != nil {
		follows, gaveUp, err := live.Follows(was.Release)
		if err != nil || follows || gaveUp {
			return err
		}
		has = fmt.Sprintf("release %s of %s, which was not built on it", live.Manifest.Release, live.Manifest.Date)
	}
	return fmt.Errorf(`this machine published release %s of %s, but %s has %s. An old backup may have been restored, or another machine pushed with --fork: restore that release first.
  If it was given up on purpose, add --allow forget`, was.Release, was.Date, s.Names(), has)
}

// remember stores which release was published, and where. If shown is false, readers cannot see the
// release yet, so the next release need not follow it.
func (s *Service) remember(m *release.Manifest, shown bool, serial int64) error {
	was, path, err := s.readMemory()
	if err != nil || path == "" {
		return err
	}
	now, err := s.currentMemory()
	if err != nil {
		return err
	}
	now.Agreed, now.Serial = was.Agreed, max(was.Serial, serial)
	if now.Bucket != was.Bucket {
		now.Serial = serial
	}
	if now.Release, now.Date = was.Release, was.Date; shown {
		now.Release, now.Date = m.Release, m.Date
	}
	return now.writeFile(path)
}
