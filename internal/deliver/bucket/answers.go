package bucket

import "strings"

// answer is what a store answers, and what is shown for it. What is empty or zero fits everything.
type answer struct {
	scheme string // of the store's addresses
	status int
	codes  string // the store's own names, with spaces between
	says   string // a part of what it says besides, in lower case
	op     string // what was asked for
	cause  string
	fix    string // where {region} stands for the region that the store names
}

func (a *answer) fits(scheme, op string, said *statusError) bool {
	return (a.scheme == "" || a.scheme == scheme) &&
		(a.status == 0 || a.status == said.status) &&
		(a.codes == "" || said.code != "" && strings.Contains(" "+a.codes+" ", " "+said.code+" ")) &&
		(a.says == "" || strings.Contains(strings.ToLower(said.says), a.says)) &&
		(a.op == "" || a.op == op)
}

// The causes that stores have in common.
const (
	wrongSecret = "the secret is not right"
	unknownKey  = "the store does not know this key"
	expired     = "the credentials are no longer valid"
	noAnonymous = "the store asks for credentials"
	wrongRegion = "the bucket lies in another region"
	wrongClock  = "the clock of this machine is wrong"
	noBucket    = "there is no such bucket"
	badName     = "no bucket can have this name"
	notAllowed  = "this is not allowed to you"
	blocked     = "the account is blocked"
	noneFound   = "no credentials were found"
	noHost      = "no host has this name"
	otherHost   = "the certificate is for another name"
	plainHTTP   = "the store speaks HTTP, not HTTPS"
	noStore     = "this is not the address of a store"
)

// What to do about them.
const (
	setClock    = "set it (timedatectl set-ntp true), and run this again"
	makeBucket  = "make it, or mend its name in the address"
	nameBucket  = "write 3 to 63 lower case letters, digits and hyphens"
	askOwner    = "ask whoever pays for it"
	setRegion   = "write ?region={region} after the address, or set AWS_REGION"
	loginGoogle = "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a file with a key that was not deleted"
	loginAzure  = "run az login, or set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN to one that is valid now"
)

// answers are what stores answer. The first row that fits counts. The codes are those of
//
//   - Amazon S3: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html; MinIO has the same;
//   - R2: developers.cloudflare.com/r2/api/error-codes;
//   - versitygw, which has XAdminUserNotFound;
//   - Google: cloud.google.com/storage/docs/json_api/v1/status-codes, and, for tokens,
//     invalid_grant of RFC 6749, section 5.2;
//   - Azure: learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes and
//     …/blob-service-error-codes.
var answers = []answer{
	{scheme: "s3", codes: "SignatureDoesNotMatch", cause: wrongSecret, fix: "set AWS_SECRET_ACCESS_KEY to the one that belongs to AWS_ACCESS_KEY_ID, whole"},
	{scheme: "s3", codes: "InvalidAccessKeyId XAdminUserNotFound", cause: unknownKey, fix: "set AWS_ACCESS_KEY_ID or AWS_PROFILE; for a store that is not Amazon's write its address as ?endpoint="},
	{scheme: "s3", codes: "ExpiredToken InvalidToken TokenRefreshRequired", cause: expired, fix: "get new ones (aws sso login), and set AWS_SESSION_TOKEN to what comes with them, or to nothing"},
	{scheme: "s3", codes: "RequestTimeTooSkewed RequestExpired", cause: wrongClock, fix: setClock},
	{scheme: "s3", codes: "AuthorizationHeaderMalformed", says: "region", cause: wrongRegion, fix: setRegion},
	{scheme: "s3", codes: "PermanentRedirect TemporaryRedirect InvalidRegion InvalidRegionName", cause: wrongRegion, fix: setRegion},
	{scheme: "s3", status: 301, cause: wrongRegion, fix: setRegion},
	{scheme: "s3", codes: "NoSuchBucket", cause: noBucket, fix: makeBucket + "; where buckets are no hosts write ?use_path_style=true"},
	{scheme: "s3", codes: "InvalidBucketName", cause: badName, fix: nameBucket},
	{scheme: "s3", codes: "AccountProblem AllAccessDisabled NotSignedUp", cause: blocked, fix: askOwner},
	{scheme: "s3", status: 401, cause: noAnonymous, fix: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"},
	{scheme: "s3", status: 403, op: "get", cause: notAllowed, fix: "allow s3:GetObject on the objects, and s3:ListBucket on the bucket, without which S3 does not show that an object is absent"},
	{scheme: "s3", status: 403, op: "put", cause: notAllowed, fix: "allow s3:PutObject on the objects, and s3:AbortMultipartUpload for packs of more than 16 MB"},
	{scheme: "s3", status: 403, op: "delete", cause: notAllowed, fix: "allow s3:DeleteObject on the objects"},
	{scheme: "s3", status: 403, op: "list", cause: notAllowed, fix: "allow s3:ListBucket on the bucket"},
	{scheme: "s3", status: 404, op: "put", cause: noBucket, fix: makeBucket},
	{scheme: "s3", status: 405, cause: noStore, fix: "write the one at which programs reach the store as ?endpoint=, not that of a web site"},
	{scheme: "s3", codes: codeNoCredentials, cause: noneFound, fix: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role gives them; ?anonymous=true reads a public bucket"},
	{scheme: "s3", codes: codeNoHost, cause: noHost, fix: "mend ?endpoint=; where buckets are no hosts write ?use_path_style=true"},
	{scheme: "s3", codes: codeOtherName, cause: otherHost, fix: "write ?use_path_style=true, or mend ?endpoint="},
	{scheme: "s3", codes: codeNoTLS, cause: plainHTTP, fix: "write ?endpoint=http://…"},

	{scheme: "gs", codes: "invalid_grant", says: "timeframe", cause: wrongClock, fix: setClock},
	{scheme: "gs", codes: "authError invalid_grant invalid_client unauthorized_client", cause: expired, fix: loginGoogle},
	{scheme: "gs", status: 401, cause: noAnonymous, fix: loginGoogle + "; leave out ?anonymous=true"},
	{scheme: "gs", codes: "accountDisabled accessNotConfigured", cause: blocked, fix: askOwner},
	{scheme: "gs", status: 404, says: "bucket does not exist", cause: noBucket, fix: makeBucket},
	{scheme: "gs", status: 400, says: "bucket name", cause: badName, fix: nameBucket},
	{scheme: "gs", status: 403, op: "get", cause: notAllowed, fix: "give the role Storage Object Viewer (storage.objects.get), and look whether the bucket is there"},
	{scheme: "gs", status: 403, op: "put", cause: notAllowed, fix: "give the role Storage Object User (storage.objects.create, and storage.objects.delete, which it takes to replace one)"},
	{scheme: "gs", status: 403, op: "delete", cause: notAllowed, fix: "give the role Storage Object User (storage.objects.delete)"},
	{scheme: "gs", status: 403, op: "list", cause: notAllowed, fix: "give the role Storage Object Viewer (storage.objects.list)"},
	{scheme: "gs", status: 404, op: "put", cause: noBucket, fix: makeBucket},
	{scheme: "gs", codes: codeNoCredentials, cause: noneFound, fix: "run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS, or run where a service account gives them; ?anonymous=true reads a public bucket"},

	{scheme: "azblob", codes: "AuthenticationFailed", says: "date header", cause: wrongClock, fix: setClock},
	{scheme: "azblob", codes: "AuthenticationFailed", says: "time frame", cause: expired, fix: loginAzure + ", and see that the clock of this machine is right"},
	{scheme: "azblob", codes: "AuthenticationFailed", cause: wrongSecret, fix: "set AZURE_STORAGE_KEY to one of the two keys of the account that AZURE_STORAGE_ACCOUNT names, or AZURE_STORAGE_SAS_TOKEN to a token of it"},
	{scheme: "azblob", codes: "InvalidAuthenticationInfo", cause: expired, fix: loginAzure},
	{scheme: "azblob", codes: "KeyBasedAuthenticationNotPermitted", cause: "the account takes no keys", fix: "unset AZURE_STORAGE_KEY, and run az login"},
	{scheme: "azblob", codes: "AccountIsDisabled", cause: blocked, fix: askOwner},
	{scheme: "azblob", codes: "AuthorizationFailure AuthorizationSourceIPMismatch", cause: "the account does not let you in", fix: "see that AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN is one of this account and valid now, and that its network rules allow this machine"},
	{scheme: "azblob", codes: "ContainerNotFound ContainerBeingDeleted ContainerDisabled", cause: noBucket, fix: makeBucket},
	{scheme: "azblob", codes: "InvalidResourceName OutOfRangeInput", cause: badName, fix: nameBucket},
	{scheme: "azblob", codes: "NoAuthenticationInformation PublicAccessNotPermitted ResourceNotFound", cause: noAnonymous, fix: loginAzure},
	{scheme: "azblob", status: 401, cause: noAnonymous, fix: loginAzure},
	{scheme: "azblob", status: 403, op: "get", cause: notAllowed, fix: "give the role Storage Blob Data Reader, or a token that allows reading"},
	{scheme: "azblob", status: 403, op: "put", cause: notAllowed, fix: "give the role Storage Blob Data Contributor, or a token that allows writing and creating"},
	{scheme: "azblob", status: 403, op: "delete", cause: notAllowed, fix: "give the role Storage Blob Data Contributor, or a token that allows deleting"},
	{scheme: "azblob", status: 403, op: "list", cause: notAllowed, fix: "give the role Storage Blob Data Reader, or a token that allows listing"},
	{scheme: "azblob", status: 404, op: "put", cause: noBucket, fix: makeBucket},
	{scheme: "azblob", codes: codeNoCredentials, cause: noneFound, fix: "set AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, run az login, or run where an identity gives them"},
	{scheme: "azblob", codes: codeNoHost, cause: noHost, fix: "set AZURE_STORAGE_ACCOUNT to the name of an account"},
}
