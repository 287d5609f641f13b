package compress

import (
	"fmt"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// Compressing against a dictionary: what a client has already (RFC 9842). What comes out begins
// with a frame that decoders of Zstandard pass over, which has the SHA-256 of the dictionary.
const dictionaryFrame = "\x5e\x2a\x4d\x18\x20\x00\x00\x00"

// MaxDictionary is how many bytes a dictionary may have. Making something against it takes up to
// five times as much memory.
const MaxDictionary = 60 << 20

// leastWindow is the window that every decoder has (RFC 9842, section 5).
const leastWindow = 8 << 20

// TakesDictionary reports whether something of a size can be compressed against a dictionary of
// another: all of it has to be in a decoder's window, which is 1.25 times the dictionary.
func TakesDictionary(size, dictionary int64) bool {
	return dictionary > 0 && dictionary <= MaxDictionary && size <= max(leastWindow, dictionary+dictionary/4)
}

// AgainstDictionary compresses data against a dictionary, which has a SHA-256. The best level is
// the only one that finds what both have in common: others do not look so far back.
func AgainstDictionary(data, dictionary []byte, sum [32]byte) ([]byte, error) {
	if !TakesDictionary(int64(len(data)), int64(len(dictionary))) {
		return nil, fmt.Errorf("%d bytes cannot be compressed against %d", len(data), len(dictionary))
	}
	// a power of two, with some room for what was put in before
	far := max(len(dictionary)+len(dictionary)/16, len(data), 64<<10)
	window := 1 << bits.Len(uint(far-1))
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window), zstd.WithEncoderDictRaw(0, dictionary),
		zstd.WithSingleSegment(true)) // so that the decoder's window is the size of the data
	if err != nil {
		return nil, err
	}
	out := append([]byte(dictionaryFrame), sum[:]...)
	return z.EncodeAll(data, out), z.Close()
}
