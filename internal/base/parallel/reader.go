package parallel

import (
	"context"
	"io"
)

// Reader returns a reader that reads from r and fails with the cause of ctx once ctx is done. It
// ends long work on the input soon after a cancellation.
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
