package certify

import (
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
)

// logFailure logs the reason why no new certificate was obtained, and the remedy.
func (s *site) logFailure(err error, pause time.Duration) {
	s.failures.Add(1)
	because, do := s.causeAndRemedy(err)
	now := time.Now()
	about := []any{"domain", s.domain, "because", because}
	if do != "" {
		about = append(about, "do", do)
	}
	about = append(about, "again", now.Add(pause).UTC().Format(time.DateTime), "error", err)
	pair := s.pair.Load()
	switch {
	case pair == nil:
		s.opt.Log.Error("no certificate; serving plain http meanwhile", about...)
	case !isValid(pair, now):
		s.opt.Log.Error("no new certificate, and the old one has expired; serving plain http meanwhile", about...)
	default:
		s.opt.Log.Warn("no new certificate; using the previous one", append(about, "until", pair.Leaf.NotAfter.Format(time.DateTime))...)
	}
}

// causes maps an authority's problem types to the cause and the remedy. %s is the domain.
var causes = map[string][2]string{
	"dns": {"the authority finds no address for %s", "add an A or AAAA record with this machine's address to the domain's DNS"},
	"connection": {
		"the authority cannot reach %s",
		"point the domain at this machine, and open ports 80 and 443 in its firewall and its router",
	},
	"unauthorized": otherServer, "tls": otherServer, "incorrectresponse": otherServer,
	"caa":                     {"the CAA record of %s excludes this authority", "add this authority to it in the domain's DNS"},
	"rejectedidentifier":      {"the authority refuses to issue certificates for %s", "use another domain or, with --acme-directory, another authority"},
	"externalaccountrequired": {"the authority requires an existing account", "use another authority: --acme-directory"},
	"ratelimited":             {"rate limit of the authority reached for %s", "wait; use --try for tests, and keep the --cache folder"},
}

var otherServer = [2]string{
	"the authority does not find this server at %s",
	"point all addresses of the domain, A and AAAA, at this machine; a proxy in front of it must pass port 80 or 443 through unchanged",
}

func (s *site) causeAndRemedy(err error) (because, do string) {
	if why, ok := causes[problemType(err)]; ok {
		return strings.ReplaceAll(why[0], "%s", s.domain), why[1]
	}
	var old x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var asked *url.Error
	var notNow notNowError
	switch e := authorityError(err); {
	case errors.As(err, &old) && old.Reason == x509.Expired:
		return "by this machine's clock, the authority's own certificate is not valid", "set the clock: it shows " + time.Now().UTC().Format(time.DateTime) + " UTC"
	case errors.As(err, &notNow):
		return "the authority issued a certificate that is not valid now", "set this machine's clock if it is wrong: it shows " +
			time.Now().UTC().Format(time.DateTime) + " UTC"
	case errors.As(err, &unknown):
		return "this machine does not trust the authority", "install ca-certificates, or name a file with its root in SSL_CERT_FILE"
	case e != nil && e.StatusCode >= http.StatusInternalServerError:
		return "internal error of the authority", ""
	case e != nil:
		return "refused by the authority", ""
	case errors.As(err, &asked):
		return "cannot reach the authority", "allow connections from this machine to " + s.opt.Directory
	}
	return "cannot send the request", ""
}

// notNowError means that a certificate has expired or is not valid yet.
type notNowError struct{ begin, end time.Time }

func (e notNowError) Error() string {
	return "it is valid from " + e.begin.UTC().Format(time.DateTime) + " to " + e.end.UTC().Format(time.DateTime) + " UTC"
}

// isLost reports whether an answer was lost, or came from a faulty server.
func isLost(err error) bool {
	e := authorityError(err)
	return e == nil || e.StatusCode >= http.StatusInternalServerError
}

// retryAfter returns the duration of a rate limit, or zero. Certificates that are not valid now
// count towards the limit of five per name and week of Let's Encrypt.
func retryAfter(err error) time.Duration {
	if errors.As(err, new(notNowError)) {
		return 36 * time.Hour
	}
	e := authorityError(err)
	if e == nil {
		return 0
	}
	wait, _ := acme.RateLimit(e)
	const most = 7 * 24 * time.Hour
	return min(max(wait, 0), most)
}

// clockedTransport compares the clock with the authority's, and limits the size of answers.
type clockedTransport struct {
	*http.Transport
	log  *slog.Logger
	said bool
}

func (t *clockedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	const tolerance = 10 * time.Minute
	now := time.Now()
	if there, err := http.ParseTime(answer.Header.Get("Date")); err == nil && !t.said && now.Sub(there).Abs() > tolerance {
		t.said = true
		t.log.Warn("this machine's clock is wrong, so the validity of certificates cannot be checked: set the clock",
			"here", now.UTC().Format(time.DateTime), "authority", there.UTC().Format(time.DateTime))
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxFile), answer.Body}
	return answer, nil
}
