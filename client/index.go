package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/release"
)

// index finds lines of a listing or collection by ID. For each block of lines it stores the
// position, the first ID and the digest. That is enough if the IDs are sorted, as they usually are.
type index struct {
	blocks  []block
	ordered bool
}

type block struct {
	first    string
	at, size int64
	sum      [sha256.Size]byte
}

const (
	linesOfBlock = 64
	bytesOfBlock = 256 << 10 // size at which a block ends
)

func lineID(line []byte) (string, error) {
	var head struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(line, &head)
	return head.ID, err
}

// find returns the verified line with an ID, or nil.
func (c *Client) find(ctx context.Context, path, id string) ([]byte, error) {
	c.mu.Lock()
	x := c.indexes[path]
	c.mu.Unlock()
	if x == nil {
		var err error
		if x, err = c.readIndex(ctx, path); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.indexes[path] = x
		c.mu.Unlock()
	}
	if !x.ordered {
		return c.search(ctx, path, id)
	}
	i, found := slices.BinarySearchFunc(x.blocks, id, func(b block, id string) int {
		return strings.Compare(b.first, id)
	})
	if !found {
		i--
	}
	if i < 0 {
		return nil, nil
	}
	lines, err := c.readBlock(ctx, path, &x.blocks[i])
	if err != nil {
		return nil, err
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte(","))
		is, err := lineID(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if is == id {
			return line, nil
		}
	}
	return nil, nil
}

// readIndex reads a whole listing or collection, and thereby verifies it.
func (c *Client) readIndex(ctx context.Context, path string) (*index, error) {
	x := &index{ordered: true}
	sum, last, count := sha256.New(), "", 0
	var b *block
	end := func() {
		if b != nil {
			sum.Sum(b.sum[:0])
			sum.Reset()
		}
		b, count = nil, 0
	}
	for line, err := range c.Release(ctx).Lines(path) {
		if err != nil {
			return nil, err
		}
		id, err := lineID(line.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if x.ordered = x.ordered && id > last; !x.ordered {
			continue // to the end, because that verifies the file
		}
		if last = id; b == nil {
			x.blocks = append(x.blocks, block{first: id, at: line.Offset})
			b = &x.blocks[len(x.blocks)-1]
		}
		b.size = line.Offset - b.at + int64(len(line.Text))
		sum.Write(line.Text)
		if count++; count == linesOfBlock || b.size > bytesOfBlock {
			end()
		}
	}
	if end(); !x.ordered {
		x.blocks = nil
	}
	return x, nil
}

// readBlock reads the lines of a block, with the text between them.
func (c *Client) readBlock(ctx context.Context, path string, b *block) ([]byte, error) {
	f, err := c.Release(ctx).Files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // f was only read
	data := make([]byte, b.size)
	if at, ok := f.(io.ReaderAt); ok {
		_, err = at.ReadAt(data, b.at)
	} else if _, err = io.CopyN(io.Discard, f, b.at); err == nil {
		_, err = io.ReadFull(f, data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.New()
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		sum.Write(bytes.TrimSuffix(line, []byte(",")))
	}
	if [sha256.Size]byte(sum.Sum(nil)) != b.sum {
		message := path + " has changed since it was first read"
		return nil, &release.DamagedError{Fault: release.Fault{Path: path, Message: message}}
	}
	return data, nil
}

// search reads all lines to find the one with an ID.
func (c *Client) search(ctx context.Context, path, id string) (found []byte, err error) {
	for line, err := range c.Release(ctx).Lines(path) { // to the end, because that verifies the file
		if err != nil {
			return nil, err
		}
		if found != nil || !bytes.Contains(line.Text, []byte(id)) {
			continue
		}
		if is, err := lineID(line.Text); err == nil && is == id {
			found = bytes.Clone(line.Text)
		}
	}
	return found, nil
}
