package bucket

import "strings"

// advice describes an error answer of a store and the advice shown for it. Empty and zero fields
// match everything.
type advice struct {
	scheme string // of the bucket's URL
	status int
	codes  string // the store's error codes, separated by spaces
	says   string // part of the store's message, in lower case
	op     string // the operation: get, put, delete or list
	cause  string
	fix    string // {region} is replaced by the region that the store names
}

func (a *advice) matches(scheme, op string, said *statusError) bool {
	return (a.scheme == "" || a.scheme == scheme) &&
		(a.status == 0 || a.status == said.status) &&
		(a.codes == "" || said.code != "" && strings.Contains(" "+a.codes+" ", " "+said.code+" ")) &&
		(a.says == "" || strings.Contains(strings.ToLower(said.says), a.says)) &&
		(a.op == "" || a.op == op)
}

// Causes common to several stores.
const (
	wrongSecret = "wrong secret"
	unknownKey  = "unknown access key"
	expired     = "the credentials have expired"
	noAnonymous = "the store requires credentials"
	wrongRegion = "the bucket is in another region"
	wrongClock  = "this machine's clock is wrong"
	noBucket    = "bucket not found"
	badName     = "invalid bucket name"
	notAllowed  = "access denied"
	blocked     = "the account is blocked"
	noneFound   = "no credentials found"
	noHost      = "unknown host"
	otherHost   = "the certificate is for another host"
	plainHTTP   = "the store speaks HTTP, not HTTPS"
	noStore     = "not the URL of a store"
)

// The remedies.
const (
	setClock    = "set the clock (timedatectl set-ntp true), and run this again"
	makeBucket  = "create the bucket, or correct its name in the URL"
	nameBucket  = "use 3 to 63 lower case letters, digits and hyphens"
	askOwner    = "ask the account's owner"
	setRegion   = "add ?region={region} to the URL, or set AWS_REGION"
	loginGoogle = "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a file with a valid key"
	loginAzure  = "run az login, or set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN to a valid value"
)

// knownAnswers lists the known error answers of stores. The first row that matches is used. The
// codes are documented here:
//
//   - Amazon S3: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html; MinIO has the same;
//   - R2: developers.cloudflare.com/r2/api/error-codes;
//   - versitygw, which has XAdminUserNotFound;
//   - Google: cloud.google.com/storage/docs/json_api/v1/status-codes, and, for tokens,
//     invalid_grant of RFC 6749, section 5.2;
//   - Azure: learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes and
//     …/blob-service-error-codes.
var knownAnswers = []advice{
	{scheme: "s3", codes: "SignatureDoesNotMatch", cause: wrongSecret, fix: "set AWS_SECRET_ACCESS_KEY to the complete secret that belongs to AWS_ACCESS_KEY_ID"},
	{scheme: "s3", codes: "InvalidAccessKeyId XAdminUserNotFound", cause: unknownKey, fix: "set AWS_ACCESS_KEY_ID or AWS_PROFILE; for a store other than Amazon's, add its URL as ?endpoint="},
	{scheme: "s3", codes: "ExpiredToken InvalidToken TokenRefreshRequired", cause: expired, fix: "get new credentials (aws sso login), and set AWS_SESSION_TOKEN to their token, or unset it"},
	{scheme: "s3", codes: "RequestTimeTooSkewed RequestExpired", cause: wrongClock, fix: setClock},
	{scheme: "s3", codes: "AuthorizationHeaderMalformed", says: "region", cause: wrongRegion, fix: setRegion},
	{scheme: "s3", codes: "PermanentRedirect TemporaryRedirect InvalidRegion InvalidRegionName", cause: wrongRegion, fix: setRegion},
	{scheme: "s3", status: 301, cause: wrongRegion, fix: setRegion},
	{scheme: "s3", codes: "NoSuchBucket", cause: noBucket, fix: makeBucket + "; if the store has no host for each bucket, add ?use_path_style=true"},
	{scheme: "s3", codes: "InvalidBucketName", cause: badName, fix: nameBucket},
	{scheme: "s3", codes: "AccountProblem AllAccessDisabled NotSignedUp", cause: blocked, fix: askOwner},
	{scheme: "s3", status: 401, cause: noAnonymous, fix: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"},
	{scheme: "s3", status: 403, op: "get", cause: notAllowed, fix: "allow s3:GetObject on the objects, and s3:ListBucket on the bucket; otherwise S3 answers 403, not 404, for a missing object"},
	{scheme: "s3", status: 403, op: "put", cause: notAllowed, fix: "allow s3:PutObject on the objects, and s3:AbortMultipartUpload for packs larger than 16 MB"},
	{scheme: "s3", status: 403, op: "delete", cause: notAllowed, fix: "allow s3:DeleteObject on the objects"},
	{scheme: "s3", status: 403, op: "list", cause: notAllowed, fix: "allow s3:ListBucket on the bucket"},
	{scheme: "s3", status: 404, op: "put", cause: noBucket, fix: makeBucket},
	{scheme: "s3", status: 405, cause: noStore, fix: "set ?endpoint= to the store's API endpoint, not to a website"},
	{scheme: "s3", codes: codeNoCredentials, cause: noneFound, fix: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run on a machine with an IAM role; ?anonymous=true reads a public bucket"},
	{scheme: "s3", codes: codeNoHost, cause: noHost, fix: "correct ?endpoint=; if the store has no host for each bucket, add ?use_path_style=true"},
	{scheme: "s3", codes: codeOtherName, cause: otherHost, fix: "add ?use_path_style=true, or correct ?endpoint="},
	{scheme: "s3", codes: codeNoTLS, cause: plainHTTP, fix: "write ?endpoint=http://…"},

	{scheme: "gs", codes: "invalid_grant", says: "timeframe", cause: wrongClock, fix: setClock},
	{scheme: "gs", codes: "authError invalid_grant invalid_client unauthorized_client", cause: expired, fix: loginGoogle},
	{scheme: "gs", status: 401, cause: noAnonymous, fix: loginGoogle + "; remove ?anonymous=true"},
	{scheme: "gs", codes: "accountDisabled accessNotConfigured", cause: blocked, fix: askOwner},
	{scheme: "gs", status: 404, says: "bucket does not exist", cause: noBucket, fix: makeBucket},
	{scheme: "gs", status: 400, says: "bucket name", cause: badName, fix: nameBucket},
	{scheme: "gs", status: 403, op: "get", cause: notAllowed, fix: "grant the role Storage Object Viewer (storage.objects.get), and check that the bucket exists"},
	{scheme: "gs", status: 403, op: "put", cause: notAllowed, fix: "grant the role Storage Object User (storage.objects.create, and storage.objects.delete for replacing objects)"},
	{scheme: "gs", status: 403, op: "delete", cause: notAllowed, fix: "grant the role Storage Object User (storage.objects.delete)"},
	{scheme: "gs", status: 403, op: "list", cause: notAllowed, fix: "grant the role Storage Object Viewer (storage.objects.list)"},
	{scheme: "gs", status: 404, op: "put", cause: noBucket, fix: makeBucket},
	{scheme: "gs", codes: codeNoCredentials, cause: noneFound, fix: "run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS, or run on a machine with a service account; ?anonymous=true reads a public bucket"},

	{scheme: "azblob", codes: "AuthenticationFailed", says: "date header", cause: wrongClock, fix: setClock},
	{scheme: "azblob", codes: "AuthenticationFailed", says: "time frame", cause: expired, fix: loginAzure + ", and check this machine's clock"},
	{scheme: "azblob", codes: "AuthenticationFailed", cause: wrongSecret, fix: "set AZURE_STORAGE_KEY to one of the two keys of the account in AZURE_STORAGE_ACCOUNT, or AZURE_STORAGE_SAS_TOKEN to a token of that account"},
	{scheme: "azblob", codes: "InvalidAuthenticationInfo", cause: expired, fix: loginAzure},
	{scheme: "azblob", codes: "KeyBasedAuthenticationNotPermitted", cause: "the account does not accept keys", fix: "unset AZURE_STORAGE_KEY, and run az login"},
	{scheme: "azblob", codes: "AccountIsDisabled", cause: blocked, fix: askOwner},
	{scheme: "azblob", codes: "AuthorizationFailure AuthorizationSourceIPMismatch", cause: "the account refuses access", fix: "check that AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN belongs to this account and is valid, and that the account's network rules allow this machine"},
	{scheme: "azblob", codes: "ContainerNotFound ContainerBeingDeleted ContainerDisabled", cause: noBucket, fix: makeBucket},
	{scheme: "azblob", codes: "InvalidResourceName OutOfRangeInput", cause: badName, fix: nameBucket},
	{scheme: "azblob", codes: "NoAuthenticationInformation PublicAccessNotPermitted ResourceNotFound", cause: noAnonymous, fix: loginAzure},
	{scheme: "azblob", status: 401, cause: noAnonymous, fix: loginAzure},
	{scheme: "azblob", status: 403, op: "get", cause: notAllowed, fix: "grant the role Storage Blob Data Reader, or use a token that allows reading"},
	{scheme: "azblob", status: 403, op: "put", cause: notAllowed, fix: "grant the role Storage Blob Data Contributor, or use a token that allows writing and creating"},
	{scheme: "azblob", status: 403, op: "delete", cause: notAllowed, fix: "grant the role Storage Blob Data Contributor, or use a token that allows deleting"},
	{scheme: "azblob", status: 403, op: "list", cause: notAllowed, fix: "grant the role Storage Blob Data Reader, or use a token that allows listing"},
	{scheme: "azblob", status: 404, op: "put", cause: noBucket, fix: makeBucket},
	{scheme: "azblob", codes: codeNoCredentials, cause: noneFound, fix: "set AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, run az login, or run on a machine with a managed identity"},
	{scheme: "azblob", codes: codeNoHost, cause: noHost, fix: "set AZURE_STORAGE_ACCOUNT to the name of an existing account"},
}
