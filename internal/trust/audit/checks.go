package audit

// Level is the authority behind a check.
type Level string

// The levels, in display order.
const (
	Required    Level = "required"    // by the specification
	Consistent  Level = "consistent"  // otherwise published data contradict each other
	Recommended Level = "recommended" // by HTTP and its users
)

// Levels are all levels.
var Levels = []Level{Required, Consistent, Recommended}

// Check is a test of a service.
type Check struct {
	ID    string `json:"id"`
	Level Level  `json:"level"`
	Part  string `json:"part"`  // section of the specification or of another standard
	Title string `json:"title"` // what a passing check means
	Text  string `json:"-"`     // reason and remedy
}

// The IDs of the checks.
const (
	isService   = "SPEC-SERVICE"
	hasRoute    = "SPEC-ROUTE"
	isPublic    = "SPEC-PUBLIC"
	isJSON      = "SPEC-JSON"
	isSingle    = "SPEC-SINGLE"
	isSame      = "SPEC-SAME"
	isReadOnly  = "SPEC-READ"
	hasIDs      = "DATA-ID"
	refsResolve = "DATA-REF"
	countsAgree = "DATA-COUNT"
	takesHead   = "HTTP-HEAD"
	hasType     = "HTTP-TYPE"
	hasETag     = "HTTP-ETAG"
	answers304  = "HTTP-304"
	answers206  = "HTTP-206"
	answers405  = "HTTP-405"
	encodes     = "HTTP-ENCODING"
	varies      = "HTTP-VARY"
	caches      = "HTTP-CACHE"
	hasCORS     = "HTTP-CORS"
	noCookies   = "HTTP-COOKIE"
	noRedirects = "HTTP-REDIRECT"
	answers404  = "HTTP-404"
)

// Checks are all checks, in display order. They test nothing that the specification leaves open,
// such as bodies of errors, availability and schemas. That answers for unknown IDs are errors is
// only recommended.
var Checks = []Check{
	{isService, Required, "specification, part 4", "the address is that of a service", `At least one of the sixteen routes answers with JSON below the address. Where
none does, nothing else is tested. Give the address that the paths follow: for
https://example.org/data/api/v1/signals.json that is https://example.org/data.`},
	{hasRoute, Required, "specification, parts 2 and 4", "every route of both listings is there", `The collections that both published listings have answer GET with 200. The
four that one listing has alone may be missing: that is shown, and is no
failure. A page of HTML counts as missing, because hosts send one, some with
status 200, for what they do not have. An answer of 5xx is no failure either:
no availability is promised, so the route counts as not tested.`},
	{isPublic, Required, "specification, part 5", "no route asks for credentials", `All routes are public, and the service has no accounts. Let the host serve
them to anybody, without 401 or 407.`},
	{isJSON, Required, "specification, part 4, rule 2", "every answer is JSON", `Each body is one JSON text in UTF-8 (RFC 8259), without a byte order mark and
with nothing after it. Look where the message says that it is not: a file that
was cut off, NaN, a comma too many.`},
	{isSingle, Required, "specification, part 4, rule 3", "a single-record path returns the record with that ID", `For the IDs of a collection, the path of the single record answers with the
record that has this ID. Fifty of each kind are tried, chosen by the digests
of their IDs, or all with --all. Publish collections and single records
together.`},
	{isSame, Required, "specification, parts 2 and 4", "a single record says what its collection says", `The file of a record and its member in the collection are the same record. A
member with two values is a failure; a member that one of them lacks is a
warning, because no shape is given. Make both from the same source, and let
caches drop both at once.`},
	{isReadOnly, Required, "specification, part 4, rule 1", "nothing can be written", `With --methods, POST, PUT, PATCH and DELETE are tried at a made-up address.
Nothing may be there afterwards. A host that answers them with success and
writes nothing gets a warning: clients believe it.`},
	{hasIDs, Consistent, "specification, part 2", "each record has an ID, and no other record of its kind has the same", `Consumers keep records by their IDs. Give each record one that no other of its
kind has. The member with the ID is found by its name: id, or the kind's own
such as signal_id.`},
	{refsResolve, Consistent, "specification, part 2", "references lead to records", `signal_id, evidence_id and claim_id in other records name records that are
published, and edges of the graph begin and end at some. Other members that
are named like a kind are held to that where most of their values are IDs of
it, as a warning. Change events may tell of records that are gone.`},
	{countsAgree, Consistent, "specification, part 4", "a collection is whole and counts right", `A count beside the records is how many there are, and the collection does not
send readers on to another page: a collection has all records of its kind.`},
	{takesHead, Recommended, "RFC 9110, section 9.3.2", "HEAD answers as GET does, without the body", `Caches, monitors and download tools ask with HEAD. It has the status, type and
ETag of GET.`},
	{hasType, Recommended, "RFC 8259, section 11; RFC 9110, section 8.3", "JSON is sent as application/json", `Programs and browsers choose by the type. Let the host send files that end in
.json as application/json.`},
	{hasETag, Recommended, "RFC 9110, section 8.8", "every answer has a validator that fits its bytes", `With an ETag, or at least Last-Modified, readers ask whether something changed
in place of reading it again. A strong ETag belongs to one sequence of bytes:
a compressed answer has another, or a weak one.`},
	{answers304, Recommended, "RFC 9110, sections 13.1 and 15.4.5", "what did not change is not sent again", `A request with If-None-Match and the current ETag (or If-Modified-Since) gets
304, one with another ETag gets the file.`},
	{answers206, Recommended, "RFC 9110, section 14", "parts can be asked for", `A request with Range gets 206 and just that part, so that a download that
broke off goes on. A host may ignore ranges; it may not send wrong ones.`},
	{answers405, Recommended, "RFC 9110, sections 10.2.1 and 15.5.6", "a refusal of a method has Allow, and that names only methods that read", `An answer of 405 has to have Allow. Tried with OPTIONS, and with --methods by
methods that write, at a made-up address.`},
	{encodes, Recommended, "RFC 9110, sections 8.4 and 12.5.3", "answers are encoded only as the request accepts", `A reader that accepts only identity or gzip can read nothing else. Files that
a bucket holds compressed are sent so to everybody: hold them plain.`},
	{varies, Recommended, "RFC 9110, section 12.5.5", "what depends on Accept-Encoding has Vary", `Without Vary: Accept-Encoding, a cache hands the compressed answer to readers
who cannot read it.`},
	{caches, Recommended, "RFC 9111, section 5.2.2", "caches may keep public files", `The files are public and static. Cache-Control should have neither private nor
no-store.`},
	{hasCORS, Recommended, "Fetch Standard, section 3.3", "scripts of other sites may read it", `Access-Control-Allow-Origin: * lets pages of others use public data. With
Access-Control-Allow-Credentials it would not be public.`},
	{noCookies, Recommended, "specification, part 5, rule 2", "no cookies are set", `The service has no sessions. A cookie makes caches careful, and readers ask
what it is for.`},
	{noRedirects, Recommended, "RFC 9110, section 15.4", "routes answer themselves", `A redirect costs each reader a request, and some programs do not follow.
Publish the address that answers.`},
	{answers404, Recommended, "RFC 9110, section 15.5.5", "what is not there is not answered with success", `A host that answers every address with 200 makes programs take its page for a
record, and dead links look alive. Let it answer 404 for files that it lacks.`},
}

// Find returns the check with an ID.
func Find(id string) (Check, bool) {
	for _, c := range Checks {
		if c.ID == id {
			return c, true
		}
	}
	return Check{}, false
}
