package bucket

import (
	"testing"
)

// TestPlainHTTP: credentials go over plain HTTP to this machine alone, and to hosts that the
// environment names.
func TestPlainHTTP(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AZURE_STORAGE_KEY", "a2V5")
	t.Setenv("STELE_PLAIN_HTTP", "minio.internal:9000")
	for address, may := range map[string]bool{
		"s3://b?endpoint=http://127.0.0.1:9000":                                       true,
		"s3://b?endpoint=http://[::1]:9000":                                           true,
		"s3://b?endpoint=http://localhost:9000":                                       true,
		"s3://b?endpoint=https://store.example":                                       true,
		"s3://b?endpoint=http://minio.internal:9000":                                  true,
		"s3://b?endpoint=http://minio.internal:9001":                                  false,
		"s3://b?endpoint=http://store.example":                                        false,
		"s3://b?endpoint=http://store.example&anonymous=true":                         true,
		"s3://b?endpoint=http://127.0.0.1.example:9000":                               false,
		"azblob://c?domain=store.example&protocol=http&storage_account=a":             false,
		"azblob://c?domain=127.0.0.1:1&protocol=http&storage_account=a&localemu=true": true,
		"azblob://c?storage_account=a":                                                true,
	} {
		b, err := Open(t.Context(), address, Options{})
		if err == nil {
			b.Close()
		}
		if (err == nil) != may {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestFindDestination: the host is found without asking anybody.
func TestFindDestination(t *testing.T) {
	t.Setenv("AZURE_STORAGE_ACCOUNT", "acc")
	for address, want := range map[string]Destination{
		"s3://b/live": {"s3://b/live", "s3.amazonaws.com", false},
		"s3://b/live/?endpoint=https://r2.example&region=auto": {"s3://b/live", "r2.example", true},
		"gs://b":                       {"gs://b", "storage.googleapis.com", false},
		"azblob://c":                   {"azblob://c", "acc.blob.core.windows.net", false},
		"azblob://c?storage_account=x": {"azblob://c", "x.blob.core.windows.net", true},
		"file:///a/b":                  {"file:///a/b", "", false},
	} {
		if is, err := FindDestination(address); err != nil || is != want {
			t.Errorf("%s: %+v, %v", address, is, err)
		}
	}
}
