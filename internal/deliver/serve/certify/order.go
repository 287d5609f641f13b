package certify

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
)

// orderCertificate obtains a certificate with a new key. It requests the authority's directory each
// time, because the directory is small and can change.
func (s *site) orderCertificate(ctx context.Context) (data []byte, pair *tls.Certificate, err error) {
	transport := &clockedTransport{Transport: http.DefaultTransport.(*http.Transport).Clone(), log: s.opt.Log}
	defer transport.CloseIdleConnections()
	client := &acme.Client{
		DirectoryURL: s.opt.Directory, HTTPClient: &http.Client{Transport: transport, Timeout: 30 * time.Second},
		UserAgent: "stele", RetryBackoff: backoff,
	}
	if err := s.register(ctx, client); err != nil {
		return nil, nil, err
	}
	o, err := client.AuthorizeOrder(ctx, acme.DomainIDs(s.domain))
	if err != nil {
		return nil, nil, err
	}
	for _, at := range o.AuthzURLs {
		if err := s.proveControl(ctx, client, at); err != nil {
			return nil, nil, err
		}
	}
	return s.finishOrder(ctx, client, o.URI)
}

// backoff returns the pause before a request is repeated. The pause is short, because Run repeats
// failed orders too.
func backoff(n int, _ *http.Request, answer *http.Response) time.Duration {
	const most = 3
	if n > most || answer.StatusCode == http.StatusTooManyRequests {
		return 0
	}
	return time.Second
}

// register creates an account, or finds the account of the key. A deactivated account is replaced.
func (s *site) register(ctx context.Context, client *acme.Client) (err error) {
	s.registering.Lock()
	defer s.registering.Unlock()
	agree := func(terms string) bool {
		s.opt.Log.Info("agreeing to the authority's terms", "terms", terms)
		return true
	}
	for first := true; ; first = false {
		if client.Key, err = s.accountKey(); err != nil {
			return err
		}
		_, err = client.Register(ctx, &acme.Account{}, agree)
		if errors.Is(err, acme.ErrAccountAlreadyExists) {
			return nil
		}
		if !first || problemType(err) != "unauthorized" {
			return err
		}
		s.opt.Log.Warn("the account was deactivated by the authority; creating a new one", "error", err)
		if err := os.Remove(s.accountPath()); err != nil {
			return err
		}
	}
}

func (s *site) proveControl(ctx context.Context, client *acme.Client, at string) error {
	z, err := client.GetAuthorization(ctx, at)
	if err != nil || z.Status == acme.StatusValid { // proved before
		return err
	}
	c := s.chooseChallenge(z.Challenges)
	if c == nil {
		return fmt.Errorf("no usable challenge: the authority offers none that works on port 443 alone for %s", s.domain)
	}
	if c.Type == "http-01" {
		text, err := client.HTTP01ChallengeResponse(c.Token)
		if err != nil {
			return err
		}
		path := client.HTTP01ChallengePath(c.Token)
		s.texts.Store(path, text)
		defer s.texts.Delete(path)
	} else {
		proof, err := client.TLSALPN01ChallengeCert(c.Token, s.domain)
		if err != nil {
			return err
		}
		s.proofs.Store(s.domain, &proof)
		defer s.proofs.Delete(s.domain)
	}
	if _, err := client.Accept(ctx, c); err != nil {
		return err
	}
	_, err = client.WaitAuthorization(ctx, at)
	return err
}

// chooseChallenge returns the next challenge to try. It alternates between the types that both
// sides support, because a proxy in front of this server may pass on only one of them.
func (s *site) chooseChallenge(offered []*acme.Challenge) *acme.Challenge {
	var known []*acme.Challenge
	for _, way := range []string{"tls-alpn-01", "http-01"} {
		for _, c := range offered {
			if c.Type == way && (way == "tls-alpn-01" || s.plain) {
				known = append(known, c)
			}
		}
	}
	if len(known) == 0 {
		return nil
	}
	return known[s.way%len(known)]
}

// finishOrder completes an order. If an answer is lost, it reads the order again, because an
// authority issues only a few certificates per week.
func (s *site) finishOrder(
	ctx context.Context, client *acme.Client, order string,
) (data []byte, pair *tls.Certificate, err error) {
	key, data, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	template := &x509.CertificateRequest{DNSNames: []string{s.domain}}
	request, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return nil, nil, err
	}
	const tries = 4
	var chain [][]byte
	for try := 1; ; try++ {
		var o *acme.Order
		if o, err = client.WaitOrder(ctx, order); err == nil && o.Status == acme.StatusValid {
			chain, err = client.FetchCert(ctx, o.CertURL, true)
		} else if err == nil {
			chain, _, err = client.CreateCertFromOrder(ctx, o, request, true)
		}
		if err == nil || try == tries || !isLost(err) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, der := range chain {
		data = append(data, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	pair, err = s.parse(data)
	return data, pair, err
}

// problemType returns the type of an authority's error, in lower case and without the common
// prefix. It returns "" for other errors.
func problemType(err error) string {
	if e := authorityError(err); e != nil {
		return strings.ToLower(e.ProblemType[strings.LastIndexByte(e.ProblemType, ':')+1:])
	}
	return ""
}

// authorityError returns the authority's error answer, or nil for other errors.
func authorityError(err error) *acme.Error {
	var e *acme.Error
	var z *acme.AuthorizationError
	var o *acme.OrderError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &z) && len(z.Errors) > 0:
		return authorityError(z.Errors[0])
	case errors.As(err, &o):
		return o.Problem
	}
	return nil
}
