package exchange

// Refusal is why a request is not answered.
type Refusal struct {
	Status int
	Detail string
}

// Refusals of both protocols.
var (
	BadLine    = &Refusal{400, "The request does not begin with a method, an address and a version of HTTP."}
	BadTarget  = &Refusal{400, "The address in the request is not well formed."}
	LongTarget = &Refusal{414, "The address in the request is too long."}
	LargeHead  = &Refusal{431, "The head of the request is too large."}
)

// MaxTarget is how many bytes a request's target may have; RFC 9112, section 3, asks for 8,000.
const MaxTarget = 8 << 10
