package library

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stele/internal/testkit/specimen"
)

// oneRange is a Range header that asks for one part, in the grammar of RFC 9110, section 14.1.1,
// with numbers that net/http can read.
var oneRange = regexp.MustCompile(`^bytes=[ \t]*([0-9]{1,18}-[0-9]{0,18}|-[0-9]{1,18})$`)

// anyRange allows upper case and numbers that are larger.
var anyRange = regexp.MustCompile(`^[bB][yY][tT][eE][sS]=[ \t]*([0-9]{1,30}-[0-9]{0,30}|-[0-9]{1,30})$`)

// FuzzRange: a range that is well-formed gets the part that net/http's file server gives; any
// other, the whole.
func FuzzRange(f *testing.F) {
	for _, header := range specimen.FieldValues["Range"] {
		f.Add(header, uint16(10))
	}
	f.Fuzz(func(t *testing.T, header string, length uint16) {
		header, size := trim(header), int64(length)
		s, ok, unsatisfiable := parseRange(header, size)
		if ok && (unsatisfiable || s.from < 0 || s.size < 1 || s.from+s.size > size) {
			t.Fatalf("%q of %d bytes: %+v, unsatisfiable: %v", header, size, s, unsatisfiable)
		}
		if !oneRange.MatchString(header) {
			if (ok || unsatisfiable) && !anyRange.MatchString(header) {
				t.Errorf("%q is taken for a range", header)
			}
			return
		}
		if size == 0 || backwards(header) {
			if ok || unsatisfiable {
				t.Errorf("%q of %d bytes is not the whole", header, size)
			}
			// net/http makes a range without bytes of some, and minds the end only if the beginning
			// is there
			return
		}
		if strings.Trim(header, "bytes= \t0") == "-" && !strings.Contains(header, "0-") {
			return // the last none bytes, of which net/http makes a range without end
		}
		got := http.StatusOK
		switch {
		case ok:
			got = http.StatusPartialContent
		case unsatisfiable:
			got = http.StatusRequestedRangeNotSatisfiable
		}
		w := servedRange(header, "", size)
		if got != w.Code {
			t.Fatalf("%q of %d bytes: %d, net/http says %d", header, size, got, w.Code)
		}
		if want := fmt.Sprintf("bytes %d-%d/%d", s.from, s.from+s.size-1, size); ok && w.Header().Get("Content-Range") != want {
			t.Errorf("%q of %d bytes: %s, net/http says %s", header, size, want, w.Header().Get("Content-Range"))
		}
	})
}

// backwards reports whether a range ends before it begins.
func backwards(header string) bool {
	first, last, _ := strings.Cut(strings.TrimLeft(header, "bytes= \t"), "-")
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	return err1 == nil && err2 == nil && to < from
}

// servedRange is what net/http's file server answers.
func servedRange(ranges, ifRange string, size int64) *httptest.ResponseRecorder {
	q := httptest.NewRequest(http.MethodGet, "/", nil)
	q.Header.Set("Range", ranges)
	if ifRange != "" {
		q.Header.Set("If-Range", ifRange)
	}
	w := httptest.NewRecorder()
	w.Header().Set("ETag", sampleTag)
	http.ServeContent(w, q, "x.txt", specimen.Modified, strings.NewReader(strings.Repeat("x", int(size))))
	return w
}

// FuzzIfRange: net/http's file server agrees, but that it does not mind what follows a tag.
func FuzzIfRange(f *testing.F) {
	for _, value := range []string{sampleTag, sampleTime, earlier, `W/"tag"`, "then", `"tag", "b"`} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		value = trim(value)
		if strings.HasPrefix(value, sampleTag) && value != sampleTag || strings.ContainsAny(value, "\r\n") {
			return
		}
		if got, want := isIfRangeTrue(value, []byte(sampleTag), specimen.Modified), servedRange("bytes=0-0", value,
			10).Code == http.StatusPartialContent; got != want {
			t.Errorf("%q: %v, net/http says %v", value, got, want)
		}
	})
}
