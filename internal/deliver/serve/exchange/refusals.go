package exchange

// Refusal is the reason for not answering a request.
type Refusal struct {
	Status int
	Detail string
}

// Refusals of both protocols.
var (
	BadLine    = &Refusal{400, "Malformed request line: want method, target and HTTP version."}
	BadTarget  = &Refusal{400, "Malformed request target."}
	LongTarget = &Refusal{414, "The target of the request is too long."}
	LargeHead  = &Refusal{431, "The head of the request is too large."}
)

// MaxTarget is the maximum length of a request's target; RFC 9112, section 3, recommends at least
// 8,000.
const MaxTarget = 8 << 10
