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
// such as bodies of errors, availability and schemas. Answers to requests for unknown IDs are not
// tested either, because the specification only recommends errors.
var Checks = []Check{
	{isService, Required, "specification, part 4", "the address belongs to a service", `At least one of the sixteen routes answers with JSON below the address. If none
does, nothing else is tested. Give the address without the route: for
https://example.org/data/api/v1/signals.json that is https://example.org/data.`},
	{hasRoute, Required, "specification, parts 2 and 4", "every route of both listings exists", `The collections in both published listings answer GET with 200. The four that
only one listing has may be missing: the report shows that, but it is not
a failure. An HTML page counts as missing, because hosts send one, some with
status 200, for files that they lack. An answer of 5xx is not a failure either: no
availability is promised, so the route counts as not tested.`},
	{isPublic, Required, "specification, part 5", "no route requires credentials", `All routes are public, and the service has no accounts. Let the host serve them
to everyone, without 401 or 407.`},
	{isJSON, Required, "specification, part 4, rule 2", "every answer is JSON", `Each body is one JSON text in UTF-8 (RFC 8259), without a byte order mark and
with nothing after it. Look at the place that the message names: the file may
be cut off, or contain NaN or one comma too many.`},
	{isSingle, Required, "specification, part 4, rule 3", "a single-record path returns the record with that ID", `For each ID of a collection, the path of the single record answers with the
record that has this ID. Fifty of each kind are tried, chosen by the digests of
their IDs, or all with --all. Publish collections and single records together.`},
	{isSame, Required, "specification, parts 2 and 4", "a single record is equal to the one in its collection", `The file of a record and its element in the collection are the same record. A
member with two values is a failure; a member that one of them lacks is a
warning, because the specification gives no schema. Make both from the same
source, and purge both from caches at once.`},
	{isReadOnly, Required, "specification, part 4, rule 1", "nothing can be written", `With --methods, POST, PUT, PATCH and DELETE are tried at a made-up address,
which must still be empty afterwards. A host that answers them with success but
writes nothing gets a warning: clients believe the answer.`},
	{hasIDs, Consistent, "specification, part 2", "each record has an ID that is unique in its kind", `Consumers store records by their IDs. Give each record an ID that no other of
its kind has. The member with the ID is found by its name: id, or the kind's
own such as signal_id.`},
	{refsResolve, Consistent, "specification, part 2", "every reference leads to a record", `signal_id, evidence_id and claim_id in other records name published records,
and edges of the graph begin and end at published records. Other members that
are named like a kind are checked too, with a warning, if most of their values
are IDs of that kind. Change events may name records that were removed.`},
	{countsAgree, Consistent, "specification, part 4", "a collection is complete and its count is correct", `A count next to the records is the number of records, and the collection has no
further pages: it contains all records of its kind.`},
	{takesHead, Recommended, "RFC 9110, section 9.3.2", "HEAD answers like GET, without the body", `Caches, monitors and download tools use HEAD. Its answer has the status, type
and ETag of GET.`},
	{hasType, Recommended, "RFC 8259, section 11; RFC 9110, section 8.3", "JSON is sent as application/json", `Programs and browsers rely on the type. Let the host send files that end in
.json as application/json.`},
	{hasETag, Recommended, "RFC 9110, section 8.8", "every answer has a validator that fits its bytes", `With an ETag, or at least Last-Modified, readers ask whether a file changed
instead of reading it again. A strong ETag belongs to one sequence of bytes: a
compressed answer has another one, or a weak one.`},
	{answers304, Recommended, "RFC 9110, sections 13.1 and 15.4.5", "unchanged files are not sent again", `A request with If-None-Match and the current ETag (or If-Modified-Since) gets
304; one with another ETag gets the file.`},
	{answers206, Recommended, "RFC 9110, section 14", "parts of a file can be requested", `A request with Range gets 206 and only that part, so that an interrupted
download can continue. A host may ignore ranges, but must not send wrong ones.`},
	{answers405, Recommended, "RFC 9110, sections 10.2.1 and 15.5.6", "an answer of 405 has Allow, which lists only methods that read", `An answer of 405 must have Allow. This is tried with OPTIONS and, with
--methods, with methods that write, at a made-up address.`},
	{encodes, Recommended, "RFC 9110, sections 8.4 and 12.5.3", "answers use only encodings that the request accepts", `A reader that accepts only identity or gzip cannot read anything else. A bucket
sends files as it stores them: store them uncompressed.`},
	{varies, Recommended, "RFC 9110, section 12.5.5", "answers that depend on Accept-Encoding have Vary", `Without Vary: Accept-Encoding, a cache sends the compressed answer to readers
who cannot read it.`},
	{caches, Recommended, "RFC 9111, section 5.2.2", "caches may store public files", `The files are public and static. Cache-Control should contain neither private
nor no-store.`},
	{hasCORS, Recommended, "Fetch Standard, section 3.3", "scripts of other sites may read the answers", `Access-Control-Allow-Origin: * lets pages of other sites use public data. With
Access-Control-Allow-Credentials it would not be public.`},
	{noCookies, Recommended, "specification, part 5, rule 2", "no cookies are set", `The service has no sessions. With a cookie, caches store less, and readers ask
what it is for.`},
	{noRedirects, Recommended, "RFC 9110, section 15.4", "routes answer without a redirect", `A redirect costs each reader a request, and some programs do not follow it.
Publish the final address.`},
	{answers404, Recommended, "RFC 9110, section 15.5.5", "requests for missing files get an error status", `If a host answers every address with 200, programs take its page for a record,
and dead links seem to work. Let it answer 404 for files that it lacks.`},
}

func Find(id string) (Check, bool) {
	for _, c := range Checks {
		if c.ID == id {
			return c, true
		}
	}
	return Check{}, false
}
