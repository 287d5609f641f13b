package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"stele/client"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/release"
)

// fetchLimits returns the limits from the environment, or the defaults.
func fetchLimits() (l fetch.Limits, err error) {
	const ofTime, ofSize, ofHosts = "STELE_FETCH_TIME", "STELE_FETCH_SIZE", "STELE_FETCH_REDIRECTS"
	if text := os.Getenv(ofTime); text != "" {
		if l.Time, err = time.ParseDuration(text); err != nil || l.Time <= 0 {
			return l, fmt.Errorf("%s is %q, which is not a duration: set it to a value such as 10m", ofTime, text)
		}
	}
	if text := os.Getenv(ofSize); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64>>20 {
			return l, fmt.Errorf("%s is %q, which is not a number: set it to a value such as 4096", ofSize, text)
		}
		l.Bytes = n << 20
	}
	switch text := os.Getenv(ofHosts); text {
	case "", "no":
	case "yes":
		l.Redirects = true
	default:
		return l, fmt.Errorf("%s is %q: set it to yes, or unset it", ofHosts, text)
	}
	return l.WithDefaults(), nil
}

// clientOptions returns client options with the limits of fetchLimits.
func clientOptions(fresh bool) (client.Options, error) {
	l, err := fetchLimits()
	return client.Options{Time: l.Time, Bytes: l.Bytes, Redirects: l.Redirects, Fresh: fresh}, err
}

// openRelease opens a release in a folder, a zip or a bucket, or at a URL. Files from a URL are
// checked against the manifest.
func openRelease(ctx context.Context, where string) (*release.Release, func() error, error) {
	return openEarlier(ctx, where, false)
}

// openEarlier opens a release like openRelease. If caches is set, requests bypass caches.
func openEarlier(ctx context.Context, where string, caches bool) (*release.Release, func() error, error) {
	if !bucket.IsAddress(where) && !fetch.IsURL(where) {
		return store.Open(where)
	}
	opt, err := clientOptions(caches)
	if err != nil {
		return nil, nil, err
	}
	if bucket.IsAddress(where) {
		t, err := bucket.OpenTransport(ctx, where, opt.Bytes, bucket.Options{})
		if err != nil {
			return nil, nil, err
		}
		return openTransport(ctx, t, opt)
	}
	c, err := client.Open(ctx, where, opt)
	if err != nil {
		return nil, nil, err
	}
	return c.Release(ctx), c.Close, nil
}

// openTransport opens the release that a transport reads. Closing the release closes the transport.
func openTransport(ctx context.Context, t *bucket.Transport, opt client.Options) (
	r *release.Release, closeRelease func() error, err error,
) {
	if err = t.Refresh(ctx, nil); err == nil {
		var c *client.Client
		opt.Transport = t
		if c, err = client.Open(ctx, t.Name(), opt); err == nil {
			return c.Release(ctx), func() error { return errors.Join(c.Close(), t.Close()) }, nil
		}
	}
	return nil, nil, errors.Join(err, t.Close())
}

// openByName opens a release and reads its files by name, as ordinary readers do.
func openByName(ctx context.Context, where string) (*release.Release, func() error, error) {
	limits, err := fetchLimits()
	switch {
	case err != nil:
		return nil, nil, err
	case bucket.IsAddress(where):
		ctx, cancel := context.WithTimeout(ctx, limits.Time)
		defer cancel()
		return bucket.OpenRelease(ctx, where, limits.Bytes, bucket.Options{})
	case !fetch.IsURL(where):
		return openRelease(ctx, where)
	}
	return fetch.OpenRelease(ctx, where, limits)
}
