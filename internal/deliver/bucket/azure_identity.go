package bucket

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// azureIdentity gets tokens for the identity of this machine or its user: from a secret or a
// federated token in the environment, from the managed identity of a service or a machine, or from
// az login.
type azureIdentity struct{}

const azureResource = "https://storage.azure.com"

// Token returns a new token.
func (azureIdentity) Token() (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tenant, id := os.Getenv("AZURE_TENANT_ID"), os.Getenv("AZURE_CLIENT_ID")
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "scope": {azureResource + "/.default"}}
	if secret := os.Getenv("AZURE_CLIENT_SECRET"); secret != "" {
		form.Set("client_secret", secret)
		return azureToken(ctx, http.MethodPost, azureAuthority(tenant), form, "")
	}
	if file := os.Getenv("AZURE_FEDERATED_TOKEN_FILE"); file != "" {
		assertion, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", strings.TrimSpace(string(assertion)))
		return azureToken(ctx, http.MethodPost, azureAuthority(tenant), form, "")
	}
	query := url.Values{"resource": {azureResource}}
	if id != "" {
		query.Set("client_id", id)
	}
	if at := os.Getenv("IDENTITY_ENDPOINT"); at != "" { // set in App Service and Functions
		query.Set("api-version", "2019-08-01")
		return azureToken(ctx, http.MethodGet, at, query, os.Getenv("IDENTITY_HEADER"))
	}
	if program, err := exec.LookPath("az"); err == nil {
		out, err := exec.CommandContext(ctx, program, "account", "get-access-token", "--resource", azureResource, "-o", "json").Output()
		if err == nil {
			return readAzureToken(out)
		}
	}
	query.Set("api-version", "2018-02-01")
	ctx, cancel = context.WithTimeout(ctx, 3*time.Second) // outside Azure, nothing answers at this address
	defer cancel()
	token, err := azureToken(ctx, http.MethodGet, "http://169.254.169.254/metadata/identity/oauth2/token", query, "")
	if err != nil {
		return nil, permanentError{fmt.Errorf("%w: %w", errNoCredentials, err)}
	}
	return token, nil
}

func azureAuthority(tenant string) string {
	host := cmp.Or(os.Getenv("AZURE_AUTHORITY_HOST"), "https://login.microsoftonline.com")
	return strings.TrimSuffix(host, "/") + "/" + url.PathEscape(tenant) + "/oauth2/v2.0/token"
}

// azureToken requests a token from the URL at. It sends values as a form or as query parameters.
func azureToken(ctx context.Context, method, at string, values url.Values, secret string) (*oauth2.Token, error) {
	body, form := values.Encode(), "application/x-www-form-urlencoded"
	if method == http.MethodGet {
		at, body, form = at+"?"+body, "", ""
	}
	answer, text, err := doRequest(ctx, http.DefaultClient, method, at, strings.NewReader(body), int64(len(body)),
		"Content-Type", form, "Metadata", "true", "X-Identity-Header", secret)
	if err != nil {
		return nil, err
	}
	if text != nil {
		var said struct {
			Error       string `json:"error"`
			Description string `json:"error_description"`
		}
		if json.Unmarshal(text, &said) != nil {
			said.Error = http.StatusText(answer.StatusCode)
		}
		return nil, &oauth2.RetrieveError{Response: answer, ErrorCode: said.Error, ErrorDescription: said.Description}
	}
	defer answer.Body.Close() // answer was only read
	if text, err = io.ReadAll(io.LimitReader(answer.Body, maxExplained)); err != nil {
		return nil, err
	}
	return readAzureToken(text)
}

// readAzureToken decodes a token in the format of the login service, of a managed identity or of
// az.
func readAzureToken(text []byte) (*oauth2.Token, error) {
	var said struct {
		Token  string      `json:"access_token"`
		Ends   json.Number `json:"expires_in"`
		AtTime json.Number `json:"expires_on"`
		Cli    string      `json:"accessToken"`
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Token+said.Cli == "" {
		return nil, errors.New("the answer contains no token")
	}
	token := &oauth2.Token{AccessToken: said.Token + said.Cli, TokenType: "Bearer", Expiry: time.Now().Add(5 * time.Minute)}
	if seconds, err := said.Ends.Int64(); err == nil && seconds > 0 {
		token.Expiry = time.Now().Add(time.Duration(seconds) * time.Second)
	} else if at, err := said.AtTime.Int64(); err == nil && at > 0 {
		token.Expiry = time.Unix(at, 0)
	}
	return token, nil
}
