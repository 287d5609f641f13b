package lists

import (
	"crypto/sha256"
	"errors"
	"io"

	"stele/internal/base/layout"
)

// Copy copies in to to. It fails unless in has exactly size bytes and, if want is not nil, that
// digest.
func Copy(to io.Writer, in io.Reader, size int64, want *layout.Digest) (int64, error) {
	sum := sha256.New()
	if want != nil {
		to = io.MultiWriter(to, sum)
	}
	n, err := io.Copy(to, io.LimitReader(in, size+1))
	if err == nil && (n != size || want != nil && layout.Digest(sum.Sum(nil)) != *want) {
		err = errors.New("not the file that the manifest describes")
	}
	return n, err
}
