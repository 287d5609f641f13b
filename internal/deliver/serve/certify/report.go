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

// report logs why there is no new certificate, and what to do.
func (s *site) report(err error, pause time.Duration) {
	s.failures.Add(1)
	because, do := s.explain(err)
	now := time.Now()
	about := []any{"domain", s.domain, "because", because}
	if do != "" {
		about = append(about, "do", do)
	}
	about = append(about, "again", now.Add(pause).UTC().Format(time.DateTime), "error", err)
	pair := s.pair.Load()
	switch {
	case pair == nil:
		s.opt.Log.Error("there is no certificate; plain http is served meanwhile", about...)
	case !holds(pair, now):
		s.opt.Log.Error("there is no new certificate, and the old one has ended; plain http is served meanwhile", about...)
	default:
		s.opt.Log.Warn("there is no new certificate; the one before is served", append(about, "until", pair.Leaf.NotAfter.Format(time.DateTime))...)
	}
}

// causes is what problems of the authority mean, and what to do. %s is the domain.
var causes = map[string][2]string{
	"dns": {"the authority finds no address of %s", "add an A or AAAA record with the address of this machine where the domain is kept"},
	"connection": {
		"the authority does not reach %s",
		"let the domain point to this machine, and let ports 80 and 443 through its firewall and its router",
	},
	"unauthorized": otherServer, "tls": otherServer, "incorrectresponse": otherServer,
	"caa":                     {"the CAA record of %s names other authorities", "add this authority to it where the domain is kept"},
	"rejectedidentifier":      {"the authority gives no certificate for %s", "use another domain or, with --acme-directory, another authority"},
	"externalaccountrequired": {"the authority wants an account that was made with it before", "use another one: --acme-directory"},
	"ratelimited":             {"the authority has a limit, and it is reached for %s", "wait; use --try while you try, and keep the folder of --cache"},
}

var otherServer = [2]string{
	"the authority does not find this server at %s",
	"let all addresses of the domain, A and AAAA, point to this machine; who stands before it must pass port 80 or 443 on as it is",
}

func (s *site) explain(err error) (because, do string) {
	if why, ok := causes[problem(err)]; ok {
		return strings.ReplaceAll(why[0], "%s", s.domain), why[1]
	}
	var old x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var asked *url.Error
	var notNow notNowError
	switch e := answered(err); {
	case errors.As(err, &old) && old.Reason == x509.Expired:
		return "by the clock of this machine, the authority's own certificate does not hold", "set the clock: it shows " + time.Now().UTC().Format(time.DateTime) + " UTC"
	case errors.As(err, &notNow):
		return "the authority gave a certificate that does not hold now", "set the clock of this machine, if it is wrong: it shows " +
			time.Now().UTC().Format(time.DateTime) + " UTC"
	case errors.As(err, &unknown):
		return "this machine does not trust the authority", "install ca-certificates, or name a file with its root in SSL_CERT_FILE"
	case e != nil && e.StatusCode >= http.StatusInternalServerError:
		return "the authority has a fault", ""
	case e != nil:
		return "the authority refuses", ""
	case errors.As(err, &asked):
		return "the authority cannot be reached", "let this machine connect to " + s.opt.Directory
	}
	return "it could not be asked for", ""
}

// notNowError is about a certificate that has ended, or has not begun.
type notNowError struct{ begin, end time.Time }

func (e notNowError) Error() string {
	return "it holds from " + e.begin.UTC().Format(time.DateTime) + " to " + e.end.UTC().Format(time.DateTime) + " UTC"
}

// isLost reports whether an answer did not come, or came from a server that has a fault.
func isLost(err error) bool {
	e := answered(err)
	return e == nil || e.StatusCode >= http.StatusInternalServerError
}

// retryAfter is how long a limit lasts, if there is one. A certificate that does not hold counts
// among the five for one name that Let's Encrypt gives in a week.
func retryAfter(err error) time.Duration {
	if errors.As(err, new(notNowError)) {
		return 36 * time.Hour
	}
	e := answered(err)
	if e == nil {
		return 0
	}
	wait, _ := acme.RateLimit(e)
	const most = 7 * 24 * time.Hour
	return min(max(wait, 0), most)
}

// clockedTransport compares the clock with that of the authority, and reads no answer without end.
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
		t.log.Warn("the clock of this machine is wrong, so certificates seem to begin and end at other times: set it",
			"here", now.UTC().Format(time.DateTime), "authority", there.UTC().Format(time.DateTime))
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxFile), answer.Body}
	return answer, nil
}
