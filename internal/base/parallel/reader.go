package parallel

import (
	"context"
	"io"
)

// Reader returns a reader of r that fails once ctx is done, with the cause of that. Long work on
// what is read ends soon then.
func Reader(ctx context.Context, r io.Reader) io.Reader { return reader{ctx, r} }

type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}
