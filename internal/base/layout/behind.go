package layout

// BehindHeader is the header of answers for the manifest that says, in a word, why the latest
// release may not be the one that is served.
const BehindHeader = "Stele-Behind"

// Behind is such a word, and what it means to whoever publishes.
type Behind struct{ Reason, Cause, Remedy string }

// Words of which the program needs the name.
const (
	BehindFetching   = "fetching"
	BehindUnreadable = "unreadable"
	BehindMissing    = "missing"
	BehindOlder      = "older_serial"
)

// BehindReasons are the words. The first seven are those of releases that are refused.
var BehindReasons = [...]Behind{
	{"unsigned", "the server takes only signed releases, and this one has no signature", "Name the key as publish.key in stele.yaml and publish again"},
	{"signature", "the server verifies with another key, or saw another log", "Start the server with the key that signs, or announce the new key with stele key change"},
	{"fork", "the release was not built on the one that is served", "Publish from the records that the served release was built from, or push with --fork"},
	{"damaged", "the release is damaged where the server reads it", "Run stele verify on that place, and push again with --whole"},
	{"machine", "the server's machine cannot take the release", "Its log says why, such as a full disk: make room"},
	{BehindOlder, "the server saw a newer pointer before", "Publish again from the machine that published last, which goes on above it, or empty the server's cache"},
	{"other", "the server refuses the release", "Its log says why"},
	{BehindFetching, "the server is fetching the release", "Wait"},
	{BehindUnreadable, "the server cannot read the bucket", "Check its network and credentials: its log says more"},
	{BehindMissing, "the server's bucket has no release", "Start the server with the address of this bucket"},
}

// ExplainBehind returns the word's meaning, or nil for an unknown word.
func ExplainBehind(reason string) *Behind {
	for i := range BehindReasons {
		if BehindReasons[i].Reason == reason {
			return &BehindReasons[i]
		}
	}
	return nil
}
