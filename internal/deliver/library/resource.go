package library

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"slices"

	"stele/internal/base/compress"
	"stele/release"
)

// resource is a file of a release with its variants, prepared as far as possible.
type resource struct {
	head            []byte           // header lines of all files of this type
	isGone          bool             // whether it is the page of a removed record
	representations []representation // the plain one, then the compressed ones, smallest first
}

type representation struct {
	coding compress.Coding
	head   []byte // header lines of this representation
	tag    []byte // the last line of head: the ETag
	Body
}

// Body is the body of an answer: bytes in memory, a part of an open file, or both. The operating
// system can send a part of a file faster than the program can.
type Body struct {
	Data   []byte
	File   *os.File
	At     int64
	Size   int64
	packed *packedFile // contains the body if it is neither of these yet
}

// InMemory returns a body with the given bytes.
func InMemory(data []byte) Body { return Body{Data: data, Size: int64(len(data))} }

// Slice returns a part of a body.
func (b Body) Slice(from, size int64) Body {
	part := Body{File: b.File, At: b.At + from, Size: size}
	if b.Data != nil {
		part.Data = b.Data[from : from+size]
	}
	return part
}

// withCoding returns the representation with the coding c, which must exist.
func (r *resource) withCoding(c compress.Coding) *representation {
	return &r.representations[slices.IndexFunc(r.representations, func(f representation) bool { return f.coding == c })]
}

func (f *representation) etag() []byte { return f.tag[len("ETag: ") : len(f.tag)-len("\r\n")] }

// plainRepresentation returns data as a representation without an encoding.
func plainRepresentation(data []byte) representation {
	return newRepresentation(compress.Identity, InMemory(data), sha256.Sum256(data))
}

// newRepresentation returns a representation with its header lines.
func newRepresentation(coding compress.Coding, b Body, sum release.Digest) representation {
	return appendRepresentation(make([]byte, 0, 160), coding, b, sum)
}

// appendRepresentation is like newRepresentation, but appends the header lines to head.
func appendRepresentation(head []byte, coding compress.Coding, b Body, sum release.Digest) representation {
	if coding != compress.Identity {
		head = append(append(append(head, "Content-Encoding: "...), coding.String()...), "\r\n"...)
	}
	head = append(head, "Repr-Digest: sha-256=:"...)
	head = base64.StdEncoding.AppendEncode(head, sum[:])
	head = append(head, ":\r\n"...)
	tag := len(head)
	head = append(head, `ETag: "`...)
	head = base64.RawURLEncoding.AppendEncode(head, sum[:18])
	head = append(head, "\"\r\n"...)
	return representation{coding: coding, head: head, tag: head[tag:], Body: b}
}

// newResource returns a resource with the representations in order of preference.
func newResource(head []byte, forms ...representation) *resource {
	slices.SortStableFunc(forms[1:], func(x, y representation) int { return int(x.Size - y.Size) })
	return &resource{head: head, representations: forms}
}
