package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Destination is the store and the bucket that a URL names.
type Destination struct {
	Name string // the URL without parameters
	Host string // receives the requests and the credentials; "" for a folder
	// Named reports whether the URL itself names the host. Otherwise it is the cloud's own host, or
	// comes from the environment.
	Named bool
}

// FindDestination returns the destination that a bucket's URL names. It sends no request and looks
// for no credentials.
func FindDestination(address string) (d Destination, err error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) {
		return d, errNoAddress
	}
	d.Name = strings.TrimSuffix(u.Scheme+"://"+u.Host+"/"+strings.Trim(u.Path, "/"), "/")
	query := u.Query()
	switch u.Scheme {
	case "file":
		return Destination{Name: "file://" + u.Path}, nil
	case "gs":
		d.Host = cmp.Or(hostAndPort(os.Getenv("STORAGE_EMULATOR_HOST")), "storage.googleapis.com")
	case "s3":
		d.Named = query.Has("endpoint")
		d.Host = cmp.Or(hostAndPort(query.Get("endpoint")), "s3.amazonaws.com")
	default:
		a, err := newAzureAccount(u)
		if err != nil {
			return d, err
		}
		d.Named = query.Has("domain") || query.Has("storage_account") || query.Has("protocol") || query.Has("localemu")
		d.Host = hostAndPort(a.endpoint)
	}
	return d, nil
}

var errNoAddress = errors.New("not a bucket URL: use s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///FOLDER")

// hostAndPort returns the host and port of a URL, with or without a scheme.
func hostAndPort(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// refusePlainHTTP returns an error if requests to endpoint would send credentials unencrypted.
// Plain HTTP is allowed to this machine and to the hosts in STELE_PLAIN_HTTP (separated by commas).
func refusePlainHTTP(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" {
		return err
	}
	at, err := netip.ParseAddr(u.Hostname())
	if u.Hostname() == "localhost" || err == nil && at.Unmap().IsLoopback() {
		return nil
	}
	if slices.Contains(strings.Split(os.Getenv("STELE_PLAIN_HTTP"), ","), u.Host) {
		return nil
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "443")
	}
	return fmt.Errorf("cannot send credentials to %s over plain http: write https://%s, or set STELE_PLAIN_HTTP=%s on this machine if you trust its network", u.Host, host, u.Host)
}
