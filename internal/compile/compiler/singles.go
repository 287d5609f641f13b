package compiler

import (
	"crypto/sha256"

	"stele/internal/base/compress"
	"stele/internal/compile/files"
	"stele/internal/disk/spool"
)

// singles writes the files of single records.
//
// In a folder, where files may be written in any order, one goroutine writes them while collections
// and pages are rendered and compressed. A second goroutine would not help, because the system
// locks a folder while it creates a file. In a zip, the files of each kind follow its listing.
type singles struct {
	records   *corpus
	unchanged []bool // by number
	to        *files.Set
	spool     *spool.Reader
}

// startSingles starts writing the files in the background if their order does not matter. It
// returns the function that writes the files of a kind after its listing.
func startSingles(records *corpus, unchanged []bool, to *files.Set) (inTurn func(*kindRecords) error) {
	s := &singles{records, unchanged, to, records.spool.Reader()}
	if !to.AnyOrder() {
		return s.write
	}
	to.Go(func() error {
		for i := range records.kinds {
			if err := s.write(&records.kinds[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return noSingles
}

func noSingles(*kindRecords) error { return nil }

func (s *singles) write(k *kindRecords) error {
	if !k.HasSingle() {
		return nil
	}
	for _, n := range k.numbers {
		at := k.SinglePath(s.records.checker.ID(n))[1:]
		data, err := s.spool.Record(n)
		if err != nil {
			return err
		}
		same := s.unchanged != nil && s.unchanged[n]
		if !same || !s.to.Link(at, int64(len(data)), sha256.Sum256(data)) {
			if err := s.to.Put(at, data); err != nil {
				return err
			}
		}
		for i, e := range compress.Encodings {
			data, err := s.spool.Variant(n, i)
			if err != nil {
				return err
			}
			if len(data) == 0 {
				continue
			}
			if err := s.to.Put(at+e.Suffix, data); err != nil {
				return err
			}
		}
	}
	return nil
}
