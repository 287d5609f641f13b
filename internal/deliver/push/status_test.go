package push

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/deliver/bucket"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
	"stele/internal/trust/signing"
	"stele/release"
)

// operated is a server on a bucket, as those who run it see it.
type operated struct {
	t        *testing.T
	place    *bucket.Place
	status   *serve.Status
	follower *serve.Follower
	log      bytes.Buffer
}

// operate starts a server that serves everything but one release, which it takes for unsigned.
func operate(t *testing.T, address, cache, unsigned string, opt bucket.Options) *operated {
	t.Helper()
	o := &operated{t: t, status: new(serve.Status)}
	b := must.Get(bucket.Open(t.Context(), address, opt))(t)
	log := slog.New(slog.NewTextHandler(&o.log, nil))
	o.place = must.Get(b.At(t.Context(), bucket.PlaceOptions{
		Cache: cache, Every: time.Nanosecond, Log: log, Refused: o.status.Count,
	}))(t)
	t.Cleanup(func() { o.place.Close() })
	o.status.Follow(o.place)
	o.expectHealth(http.StatusServiceUnavailable, "not ready")
	must.Do(t, o.place.Await(t.Context()))
	guard := &serve.Guard{Place: o.place, Verify: func(r *release.Release) ([]string, error) {
		if r.Manifest.Release == unsigned {
			return nil, signing.ErrUnsigned
		}
		return nil, nil
	}}
	o.follower = must.Get(serve.Follow(b.Name(), guard, serve.Options{Status: o.status, Log: log}))(t)
	t.Cleanup(func() { o.follower.Server().Shutdown(context.Background()) })
	return o
}

func (o *operated) get(path string) (int, string) {
	w := httptest.NewRecorder()
	o.status.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func (o *operated) expectHealth(status int, begins string, has ...string) {
	o.t.Helper()
	code, text := o.get("/health")
	if code != status || !strings.HasPrefix(text, begins) {
		o.t.Errorf("health is %d %s", code, text)
	}
	for _, part := range has {
		if !strings.Contains(text, part) {
			o.t.Errorf("%q is not in %s", part, text)
		}
	}
}

func (o *operated) metric(name string) float64 {
	o.t.Helper()
	_, text := o.get("/metrics")
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (.*)$`).FindStringSubmatch(text)
	if found == nil {
		o.t.Fatalf("there is no %s in\n%s", name, text)
	}
	return must.Get(strconv.ParseFloat(found[1], 64))(o.t)
}

func (o *operated) expectMetrics(serial float64, isBehind, lags bool, refused string) {
	o.t.Helper()
	if got := o.metric("stele_bucket_pointer_serial"); got != serial {
		o.t.Errorf("the serial is %v, not %v", got, serial)
	}
	if got := o.metric("stele_behind"); (got == 1) != isBehind {
		o.t.Errorf("behind is %v", got)
	}
	if got := o.metric("stele_bucket_lag_seconds"); (got > 0) != lags {
		o.t.Errorf("the lag is %v", got)
	}
	for _, reason := range []string{"unsigned", "older_serial"} {
		if got := o.metric(`stele_refused_releases_total{reason="` + reason + `"}`); (got == 1) != (reason == refused) {
			o.t.Errorf("%v are refused as %s", got, reason)
		}
	}
	if o.metric("stele_request_duration_seconds_count") < 0 || o.metric("stele_open_seconds") <= 0 {
		o.t.Error("the time is not measured")
	}
}

// expectWait makes sure that whoever publishes is told why the server does not show a release.
func (o *operated) expectWait(b *bucket.Bucket, id, why string) {
	o.t.Helper()
	server := httptest.NewServer(o.follower.Server())
	defer server.Close()
	s := &Service{Bucket: b, Address: server.URL}
	err := s.ReadBack(o.t.Context(), &release.Manifest{Release: id}, 0, func(string) {})
	if err == nil || !strings.Contains(err.Error(), why) {
		o.t.Errorf("publish says %v, not %q", err, why)
	}
}

// TestFourStates: those who run a server see that it serves the latest release, or an older one and
// why: the latest is refused, the bucket was restored from an old copy, or it cannot be read. The
// log tells each state once.
func TestFourStates(t *testing.T) {
	h := newHistory(t)
	one, two := h.next(), h.next()
	address := buckettest.Folder(t)
	pointer := filepath.Join(strings.TrimPrefix(address, "file://"), filepath.FromSlash(bucket.PointerPath))
	b, cache := open(t, address, quick), t.TempDir()
	push(t, b, one, Options{})
	old := must.Get(os.ReadFile(pointer))(t)
	push(t, b, two, Options{})

	healthy := operate(t, address, cache, "", quick)
	healthy.expectHealth(http.StatusOK, "serving release "+idOf(t, two))
	healthy.expectMetrics(2, false, false, "")
	healthy.expectWait(b, "0123456789ab", "another machine published release "+idOf(t, two))

	refused := operate(t, address, t.TempDir(), idOf(t, two), quick)
	refused.expectHealth(http.StatusOK, "behind: serving release "+idOf(t, one), idOf(t, two), signing.ErrUnsigned.Error())
	refused.expectMetrics(2, true, true, "unsigned")
	refused.expectWait(b, idOf(t, two), "accepts only signed releases")
	if text := refused.log.String(); !strings.Contains(text, signing.ErrUnsigned.Error()) {
		t.Errorf("the log does not say why:\n%s", text)
	}

	must.Do(t, os.WriteFile(pointer, old, 0o644))
	for range 5 {
		healthy.follower.Look(false)
	}
	healthy.expectHealth(http.StatusOK, "behind: serving release "+idOf(t, two), "pointer 1", "pointer 2", "created again")
	healthy.expectMetrics(1, true, true, "older_serial")
	healthy.expectWait(b, idOf(t, one), "newer pointer")
	if n := strings.Count(healthy.log.String(), "older_serial"); n != 1 {
		t.Errorf("the log tells %d times of one state:\n%s", n, healthy.log.String())
	}
	must.Do(t, healthy.place.Close())

	var away atomic.Bool
	away.Store(true)
	fails := func(string, string) error {
		if away.Load() {
			return errors.New("nobody is there")
		}
		return nil
	}
	restarted := operate(t, address, cache, "", bucket.Options{Pause: time.Millisecond, Before: fails})
	restarted.follower.Look(false)
	restarted.expectHealth(http.StatusOK, "behind: serving release "+idOf(t, two), "Cannot read the bucket", "nobody is there")
	restarted.expectWait(b, idOf(t, one), "the server cannot read the bucket")
	if restarted.metric("stele_bucket_pointer_age_seconds") <= 0 || restarted.metric("stele_bucket_failures_total") == 0 {
		t.Error("the pointer was never read, and nothing shows it")
	}
	away.Store(false)
	push(t, b, two, Options{Fork: true}) // pointer 2 again, which is as new as the one that was seen
	restarted.follower.Look(false)
	restarted.expectHealth(http.StatusOK, "serving release "+idOf(t, two))
}
