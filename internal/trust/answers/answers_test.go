package answers_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/trust/answers"
)

func TestEncoding(t *testing.T) {
	for _, c := range []struct {
		want  string
		lines []string
	}{
		{"", nil},
		{"", []string{"identity"}},
		{"", []string{"aws-chunked"}},
		{"gzip", []string{"aws-chunked,gzip"}},
		{"gzip", []string{"GZip, AWS-Chunked"}},
		{"br", []string{"aws-chunked", "br"}},
		{"gzip, br", []string{"gzip, br"}},
		{"x-aws-chunked", []string{"x-aws-chunked"}},
	} {
		if got := answers.Encoding(http.Header{"Content-Encoding": c.lines}); got != c.want {
			t.Errorf("%q is %q, not %q", c.lines, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which no time passes
		now := time.Now()
		for text, want := range map[string]time.Duration{
			"": 0, "soon": 0, "-1": 0, "3": 3 * time.Second,
			now.Add(time.Minute).UTC().Format(http.TimeFormat):  time.Minute,
			now.Add(-time.Minute).UTC().Format(http.TimeFormat): 0,
		} {
			if got := answers.RetryAfter(http.Header{"Retry-After": {text}}); got != want {
				t.Errorf("%q is %s, not %s", text, got, want)
			}
		}
	})
}
