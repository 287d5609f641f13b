package publish

import (
	"sync"

	"stele/internal/base/compress"
	"stele/internal/disk/spool"
)

// singles writes the files of single records.
//
// In a folder, where the order of files does not matter, one goroutine does that while collections
// and pages are made and compressed. A second one would not help: the system holds a lock of a
// folder while it makes a file in it. In a zip each kind has its files after its listing.
type singles struct {
	records   *corpus
	unchanged []bool // by number
	files     *files
	spool     *spool.Reader
	meanwhile bool
	running   sync.WaitGroup
}

func startSingles(records *corpus, changes *comparison, to *files) *singles {
	s := &singles{
		records: records, unchanged: changes.unchanged, files: to, spool: records.spool.Reader(),
		meanwhile: to.linker != nil,
	}
	if s.meanwhile {
		s.running.Go(func() {
			for i := range records.kinds {
				if err := s.write(&records.kinds[i]); err != nil {
					to.cancel(err) // all that goes on beside it ends with this
					return
				}
			}
		})
	}
	return s
}

// wait waits until those are written that are written meanwhile.
func (s *singles) wait() {
	if s != nil {
		s.running.Wait()
	}
}

// writeNow writes the files of a kind, unless that is done meanwhile, or not at all in a draft.
func (s *singles) writeNow(k *kindRecords) error {
	if s == nil || s.meanwhile {
		return nil
	}
	return s.write(k)
}

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
		if !same || !s.files.link(at, int64(len(data))) {
			if err := s.files.put(at, data); err != nil {
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
			if err := s.files.put(at+e.Suffix, data); err != nil {
				return err
			}
		}
	}
	return nil
}
