package serve

import (
	"encoding/base64"
	"os"
	"slices"
	"strconv"

	"stele/internal/compress"
	"stele/release"
)

// resource is what an address of a release answers with, in every encoding that there is of it. All
// that can be prepared is.
type resource struct {
	head  []byte // header lines that all files of this type have
	forms []form // as it is first, then compressed, the smallest first
}

// form is a resource in one encoding.
type form struct {
	encoding int8   // place in compress.Encodings; identity for none
	head     []byte // header lines of its own
	tag      []byte // of these, the ETag: the last one
	body
}

const identity = int8(-1)

// body is what follows a head: bytes in memory, a part of an open file, or both. The system sends
// large files faster than the program.
type body struct {
	data []byte
	file *os.File
	at   int64
	size int64
}

func inMemory(data []byte) body { return body{data: data, size: int64(len(data))} }

// slice is a part of a body.
func (b body) slice(from, size int64) body {
	part := body{file: b.file, at: b.at + from, size: size}
	if b.data != nil {
		part.data = b.data[from : from+size]
	}
	return part
}

// etag is the entity tag, with quotes.
func (f *form) etag() []byte { return f.tag[len("ETag: ") : len(f.tag)-len("\r\n")] }

// newForm prepares the header lines of a form. link is a Link header line, or empty.
func newForm(encoding int8, b body, sum release.Digest, link []byte) form {
	return appendForm(make([]byte, 0, 160+len(link)), encoding, b, sum, link)
}

// appendForm does the same, with the header lines behind what is in head.
func appendForm(head []byte, encoding int8, b body, sum release.Digest, link []byte) form {
	if encoding != identity {
		head = append(append(append(head, "Content-Encoding: "...), compress.Encodings[encoding].Name...), "\r\n"...)
	}
	head = append(head, "Repr-Digest: sha-256=:"...)
	head = base64.StdEncoding.AppendEncode(head, sum[:])
	head = append(append(head, ":\r\n"...), link...)
	tag := len(head)
	head = append(head, `ETag: "`...)
	head = base64.RawURLEncoding.AppendEncode(head, sum[:18])
	head = append(head, "\"\r\n"...)
	return form{encoding: encoding, head: head, tag: head[tag:], body: b}
}

// newResource puts the forms of a file into the order in which they are looked at.
func newResource(head []byte, forms ...form) *resource {
	slices.SortStableFunc(forms[1:], func(x, y form) int { return int(x.size - y.size) })
	return &resource{head: head, forms: forms}
}

// length is a Content-Length header line, appended to b.
func appendLength(b []byte, n int64) []byte {
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, n, 10)
	return append(b, "\r\n"...)
}
