package bucket

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestAzureIdentities: a token is had by each way that machines and people have, and sent with
// every request. The answers have the form that Microsoft documents.
func TestAzureIdentities(t *testing.T) {
	folder := t.TempDir()
	federated := filepath.Join(folder, "federated")
	must.Do(t, os.WriteFile(federated, []byte("assertion\n"), 0o600))
	az := "#!/bin/sh\n[ \"$4\" = https://storage.azure.com ] && echo '{\"accessToken\": \"by-az\", \"expires_on\": 4102444800}'\n"
	must.Do(t, os.WriteFile(filepath.Join(folder, "az"), []byte(az), 0o700))
	for want, env := range map[string]map[string]string{
		"by-secret":    {"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "id", "AZURE_CLIENT_SECRET": "secret"},
		"by-federated": {"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "id", "AZURE_FEDERATED_TOKEN_FILE": federated},
		"by-service":   {"IDENTITY_ENDPOINT": "/identity", "IDENTITY_HEADER": "header"},
		"by-az":        {"PATH": folder + ":" + os.Getenv("PATH")},
	} {
		t.Run(want, func(t *testing.T) {
			got := ""
			address := answering(t, "azblob", func(w http.ResponseWriter, r *http.Request) {
				switch r.ParseForm(); {
				case r.URL.Path == "/tenant/oauth2/v2.0/token" && r.PostForm.Get("client_secret") == "secret":
					w.Write([]byte(`{"token_type": "Bearer", "expires_in": 3599, "access_token": "by-secret"}`))
				case r.URL.Path == "/tenant/oauth2/v2.0/token" && r.PostForm.Get("client_assertion") == "assertion":
					w.Write([]byte(`{"token_type": "Bearer", "expires_in": 3599, "access_token": "by-federated"}`))
				case r.URL.Path == "/identity" && r.Header.Get("X-Identity-Header") == "header":
					w.Write([]byte(`{"token_type": "Bearer", "expires_on": "4102444800", "access_token": "by-service"}`))
				default:
					got = r.Header.Get("Authorization")
					w.Header().Set("ETag", `"1"`)
					w.Header().Set("Content-Length", "0")
				}
			})
			_, host, _ := strings.Cut(address, "domain=")
			t.Setenv("AZURE_STORAGE_KEY", "")
			t.Setenv("AZURE_AUTHORITY_HOST", "http://"+host)
			for name, value := range env {
				if name == "IDENTITY_ENDPOINT" {
					value = "http://" + host + value
				}
				t.Setenv(name, value)
			}
			b := open(t, address, quick)
			if _, _, err := b.Read(t.Context(), "x", 10); err != nil || got != "Bearer "+want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestAzureToken: a token for a container goes with every request, beside its other parameters.
func TestAzureToken(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("sig")+" "+r.URL.Query().Get("prefix"))
		w.Write([]byte("<EnumerationResults><Blobs></Blobs></EnumerationResults>"))
	}))
	defer server.Close()
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint="+server.URL+";SharedAccessSignature=sv=1&sig=a%2Bb")
	for _, name := range []string{"AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_ACCOUNT"} {
		t.Setenv(name, "")
	}
	b := open(t, "azblob://records", quick)
	for _, err := range b.List(t.Context(), "by-hash/") {
		t.Error(err)
	}
	if len(asked) != 1 || asked[0] != "a+b by-hash/" {
		t.Errorf("%q", asked)
	}
}
