package layout

import "iter"

// Built records everything that the bytes of a release depend on besides its records and the
// previous release. Building again with the same values gives the same release.
type Built struct {
	Program    string `json:"program,omitempty" doc:"The version of the program."`
	Compressor int    `json:"compressor,omitempty" doc:"The number of the compressors that made the variants."`
	Deltas     bool   `json:"deltas" doc:"Whether the release has deltas."`
	ByHash     bool   `json:"by_hash" doc:"Whether the release has files by digest."`
	Pages      bool   `json:"pages" doc:"Whether the release has pages, descriptions, feeds and downloads."`
	Downloads  string `json:"downloads,omitempty" doc:"The downloads, as given to the build command."`
	At         string `json:"at,omitempty" doc:"The time, in UTC, against which embargoes were checked."`
	Standings  int    `json:"standings,omitempty" doc:"The edition of the rules behind the listing of standings; absent for the first edition."`
}

// Applied is a line of a collection to which deltas were applied.
type Applied struct {
	Base int64  // its index in the original collection; -1 for a line from a delta
	Text []byte // valid until the next line
}

// BaseLines returns the lines of a collection in the form that deltas are applied to.
func BaseLines(lines iter.Seq2[[]byte, error]) iter.Seq2[Applied, error] {
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

// maxPackName is the greatest length of a name that PackName returns.
const maxPackName = 100

// PackName returns text as a path segment: shortened, in lower case, with a hyphen for each byte
// that is not a letter, digit, hyphen or underscore. Texts with the same name share a file.
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
