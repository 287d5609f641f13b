package layout

import "iter"

// What those who write a release and those who read one share of its files.

// Built says how a release was made, as far as its bytes depend on that. Who makes it again from
// the same records, after the same release, needs nothing else.
type Built struct {
	Program    string `json:"program,omitempty" doc:"The version of the program."`
	Compressor int    `json:"compressor,omitempty" doc:"Which compressors made the variants."`
	Deltas     bool   `json:"deltas" doc:"Whether it has deltas."`
	ByHash     bool   `json:"by_hash" doc:"Whether it has files by their digest."`
	Pages      bool   `json:"pages" doc:"Whether it has pages, descriptions, feeds and downloads."`
	Downloads  string `json:"downloads,omitempty" doc:"Which downloads, in the words of the command."`
	At         string `json:"at,omitempty" doc:"The moment, in UTC, at which it was decided which embargoes have ended."`
	Standings  int    `json:"standings,omitempty" doc:"Which edition of the rules its listing of standings follows; the first ones say none."`
}

// Applied is a line of a collection to which deltas were applied.
type Applied struct {
	Base int64  // its place in the collection with which it began; -1 if a delta brought it
	Text []byte // valid until the next line
}

// Base returns the lines of a collection, ready to have deltas applied to them.
func Base(lines iter.Seq2[[]byte, error]) iter.Seq2[Applied, error] {
	return func(yield func(Applied, error) bool) {
		at := int64(0)
		for line, err := range lines {
			if !yield(Applied{at, line}, err) || err != nil {
				return
			}
			at++
		}
	}
}

// maxPackName is how long a part of a path made of a text can be.
const maxPackName = 100

// PackName makes a part of a path of any text: in lower case, with a hyphen for each byte that is
// no letter, digit, hyphen or underscore. Texts that become the same share a file.
func PackName(text string) string {
	name := []byte(text[:min(len(text), maxPackName)])
	for i, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			name[i] += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			name[i] = '-'
		}
	}
	if len(name) == 0 {
		return "-"
	}
	return string(name)
}
