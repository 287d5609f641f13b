package bucket

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// s3Error is an error as Amazon S3 documents it (API/ErrorResponses.html, "REST error responses").
func s3Error(code, message, more string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>" + code + "</Code><Message>" + message +
		"</Message>" + more + "<RequestId>4442587FB7D0A2F9</RequestId></Error>"
}

// googleSays is an error as Google documents it (storage/docs/json_api/v1/status-codes).
func googleSays(code int, reason, message string) string {
	return fmt.Sprintf(`{"error":{"errors":[{"domain":"global","reason":%q,"message":%q}],"code":%d,"message":%[2]q}}`,
		reason, message, code)
}

// azureError is an error as Azure documents it (storageservices/status-and-error-codes2), with the
// detail that it adds where a signature does not hold.
func azureError(code, detail string) string {
	if detail != "" {
		detail = "<AuthenticationErrorDetail>" + detail + "</AuthenticationErrorDetail>"
	}
	return "\ufeff" + `<?xml version="1.0" encoding="utf-8"?><Error><Code>` + code +
		"</Code><Message>Server failed to authenticate the request.\nRequestId:1\nTime:2026-11-17T00:00:00Z</Message>" + detail + "</Error>"
}

// TestAnswers: whatever the clouds answer, the publisher learns the cause and what to write, and no
// secret.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		scheme     string
		status     int
		body       string
		cause, fix string
	}{
		{"s3", 403, s3Error("SignatureDoesNotMatch", "The request signature we calculated does not match", "<AWSAccessKeyId>id</AWSAccessKeyId>"), wrongSecret, "AWS_SECRET_ACCESS_KEY"},
		{"s3", 403, s3Error("InvalidAccessKeyId", "The AWS access key ID you provided does not exist in our records.", ""), unknownKey, "AWS_ACCESS_KEY_ID"},
		{"s3", 400, s3Error("ExpiredToken", "The provided token has expired.", ""), expired, "aws sso login"},
		{"s3", 403, s3Error("RequestTimeTooSkewed", "The difference between the request time and the server's time is too large.", "<MaxAllowedSkewMilliseconds>900000</MaxAllowedSkewMilliseconds>"), wrongClock, "timedatectl"},
		{"s3", 400, s3Error("AuthorizationHeaderMalformed", "The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-central-1'", "<Region>eu-central-1</Region>"), wrongRegion, "?region=eu-central-1"},
		{"s3", 301, s3Error("PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint.", "<Endpoint>records.s3.eu-central-1.amazonaws.com</Endpoint>"), wrongRegion, "?region=the bucket's region"},
		{"s3", 400, s3Error("InvalidRegionName", "The region name 'eu-west-1' is not valid. Must be one of: wnam, enam, weur, eeur, apac, auto", ""), wrongRegion, "?region="},
		{"s3", 400, s3Error("AuthorizationHeaderMalformed", "the region is wrong", "<Region>x?hunter2 y</Region>"), wrongRegion, "?region=the bucket's region"},
		{"s3", 404, s3Error("NoSuchBucket", "The specified bucket does not exist.", "<BucketName>records</BucketName>"), noBucket, "correct its name"},
		{"s3", 400, s3Error("InvalidBucketName", "The specified bucket is not valid.", ""), badName, "lower case"},
		{"s3", 403, s3Error("AccessDenied", "Access Denied", ""), notAllowed, "s3:GetObject"},
		{"s3", 403, s3Error("AllAccessDisabled", "All access to this resource has been disabled.", ""), blocked, "owner"},
		{"s3", 405, s3Error("MethodNotAllowed", "The specified method is not allowed against this resource.", ""), noStore, "?endpoint="},
		{"gs", 401, googleSays(401, "authError", "Invalid Credentials"), expired, "gcloud auth"},
		{"gs", 401, googleSays(401, "required", "Anonymous caller does not have storage.objects.get access to the Google Cloud Storage object."), noAnonymous, "?anonymous=true"},
		{"gs", 403, googleSays(403, "forbidden", "someone does not have storage.objects.get access to the Google Cloud Storage object."), notAllowed, "Storage Object Viewer"},
		{"gs", 403, googleSays(403, "accountDisabled", "The account for the project that owns the bucket has been disabled."), blocked, "owner"},
		{"gs", 404, googleSays(404, "notFound", "The specified bucket does not exist."), noBucket, "correct its name"},
		{"gs", 400, googleSays(400, "invalid", "Invalid bucket name: 'A B'"), badName, "lower case"},
		{"azblob", 403, azureError("AuthenticationFailed", "The MAC signature found in the HTTP request 'hunter2=' is not the same as any computed signature."), wrongSecret, "AZURE_STORAGE_KEY"},
		{"azblob", 403, azureError("AuthenticationFailed", "The Date header in the request is incorrect."), wrongClock, "timedatectl"},
		{"azblob", 403, azureError("AuthenticationFailed", "Request date header too old: 'Fri, 04 Oct 2019 18:02:12 GMT'"), wrongClock, "timedatectl"},
		{"azblob", 403, azureError("AuthenticationFailed", "Signature not valid in the specified time frame: Start [a] - Expiry [b] - Current [c]"), expired, "SAS_TOKEN"},
		{"azblob", 401, azureError("InvalidAuthenticationInfo", ""), expired, "az login"},
		{"azblob", 403, azureError("AuthorizationPermissionMismatch", ""), notAllowed, "Storage Blob Data Reader"},
		{"azblob", 403, azureError("KeyBasedAuthenticationNotPermitted", ""), "does not accept keys", "az login"},
		{"azblob", 403, azureError("AuthorizationFailure", ""), "refuses access", "network rules"},
		{"azblob", 404, azureError("ContainerNotFound", ""), noBucket, "correct its name"},
		{"azblob", 409, azureError("ContainerBeingDeleted", ""), noBucket, "correct its name"},
		{"azblob", 409, azureError("PublicAccessNotPermitted", ""), noAnonymous, "az login"},
		{"azblob", 400, azureError("InvalidResourceName", ""), badName, "lower case"},
	} {
		t.Run(c.scheme+" "+c.cause, func(t *testing.T) {
			b := open(t, answering(t, c.scheme, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}), quick)
			_, err := b.Pointer(t.Context())
			shows(t, err, c.cause, c.fix)
		})
	}
}

// shows holds an error to what the publisher must learn: the cause before the fix, and neither
// secrets nor that the bucket is empty.
func shows(t *testing.T, err error, cause, fix string) {
	t.Helper()
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrConflict) {
		t.Fatalf("%v, not %s", err, cause)
	}
	if !regexp.MustCompile(`^\w+://[\w-]+: [^:]*` + regexp.QuoteMeta(cause) + ": .*" + regexp.QuoteMeta(fix)).MatchString(err.Error()) {
		t.Errorf("%q and %q are not in: %v", cause, fix, err)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("it shows a secret: %v", err)
	}
}

// TestStoresAnswer: the same of what real stores answer, as far as they can be brought to it.
func TestStoresAnswer(t *testing.T) {
	past := time.Now().Add(-48 * time.Hour).UTC()
	late := func(host string) string { // through a proxy that sets the date of requests back
		proxy := httptest.NewServer(buckettest.Proxy(host, func(r *http.Request) {
			r.Header.Set("X-Amz-Date", past.Format("20060102T150405Z"))
			scope := regexp.MustCompile(`/\d{8}/`)
			r.Header.Set("Authorization", scope.ReplaceAllString(r.Header.Get("Authorization"), past.Format("/20060102/")))
		}, nil))
		t.Cleanup(proxy.Close)
		return strings.TrimPrefix(proxy.URL, "http://")
	}
	for _, c := range []struct {
		name, store string
		env         [2]string
		address     func(s *buckettest.Store, address string) string
		cause, fix  string
	}{
		{"secret", "versitygw", [2]string{"AWS_SECRET_ACCESS_KEY", "hunter2"}, nil, wrongSecret, "AWS_SECRET_ACCESS_KEY"},
		{"key", "versitygw", [2]string{"AWS_ACCESS_KEY_ID", "nobody"}, nil, unknownKey, "AWS_ACCESS_KEY_ID"},
		{"region", "versitygw", [2]string{}, func(_ *buckettest.Store, address string) string {
			return strings.Replace(address, "us-east-1", "eu-central-1", 1)
		}, wrongRegion, "add ?region=us-east-1 to the URL, or set AWS_REGION ("},
		{"clock", "versitygw", [2]string{}, func(s *buckettest.Store, _ string) string {
			return s.Through("guarded", late(s.Host))
		}, wrongClock, "timedatectl"},
		{"bucket", "versitygw", [2]string{}, func(s *buckettest.Store, _ string) string { return s.Named("nowhere") }, noBucket, "correct its name"},
		{"permission", "versitygw", [2]string{}, func(_ *buckettest.Store, address string) string {
			return address + "&anonymous=true"
		}, notAllowed, "s3:GetObject"},
		{"TLS", "versitygw", [2]string{}, func(_ *buckettest.Store, address string) string {
			return strings.Replace(address, "http://", "https://", 1)
		}, plainHTTP, "?endpoint=http://"},
		{"key", "azurite", [2]string{"AZURE_STORAGE_KEY", "aHVudGVyMg=="}, nil, "the account refuses access", "AZURE_STORAGE_KEY"},
		{"bucket", "azurite", [2]string{}, func(s *buckettest.Store, _ string) string { return s.Named("nowhere") }, noBucket, "correct its name"},
	} {
		t.Run(c.store+" "+c.name, func(t *testing.T) {
			s := buckettest.Shared(t, c.store)
			address := s.Named("guarded")
			if !guarded[c.store] {
				address, guarded[c.store] = s.Address(t, "guarded"), true
			}
			if c.env[0] != "" {
				t.Setenv(c.env[0], c.env[1])
			}
			if c.address != nil {
				address = c.address(s, address)
			}
			_, err := open(t, address, quick).Pointer(t.Context())
			shows(t, err, c.cause, c.fix)
		})
	}
}

// guarded are the stores that have a bucket of this name.
var guarded = map[string]bool{}

// TestTokens: who has an old key of Google's, or a wrong clock, learns so.
func TestTokens(t *testing.T) {
	for says, cause := range map[string]string{
		"Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.": wrongClock,
		"Invalid JWT Signature.": expired,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":"invalid_grant","error_description":%q}`, says)
		}))
		defer server.Close()
		file := t.TempDir() + "/key.json"
		text := fmt.Sprintf(`{"type":"authorized_user","client_id":"id","client_secret":"hunter2","refresh_token":"hunter2","token_uri":%q}`, server.URL)
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
		t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
		_, err := open(t, "gs://records", quick).Pointer(t.Context())
		shows(t, err, cause, "")
	}
}

// TestDocumented: the page about buckets has every cause, with the codes that stores have for it.
func TestDocumented(t *testing.T) {
	page := must.Get(os.ReadFile("../../../docs/buckets.md"))(t)
	for _, a := range knownAnswers {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(a.cause) + ` \|.*`).Find(page)
		if row == nil {
			t.Errorf("no row shows: %s", a.cause)
		}
		for _, code := range strings.Fields(a.codes) {
			if !strings.Contains(a.codes, "no ") && !strings.Contains(a.codes, "certificate ") && !strings.Contains(string(row), "`"+code+"`") {
				t.Errorf("%s is not shown with: %s", code, a.cause)
			}
		}
	}
}
