package layout

// BehindHeader is the header in which a server says why the latest release may not be the one that
// it serves. Answers for the manifest contain it, and its value is the Reason of a Behind.
const BehindHeader = "Stele-Behind"

// Behind is a reason why a server does not serve the latest release, with its meaning for the
// publisher.
type Behind struct{ Reason, Cause, Remedy string }

// Reasons that the program uses by name.
const (
	BehindFetching   = "fetching"
	BehindUnreadable = "unreadable"
	BehindMissing    = "missing"
	BehindOlder      = "older_serial"
)

// BehindReasons are all reasons. A server that refuses a release gives one of the first seven.
var BehindReasons = [...]Behind{
	{"unsigned", "the server accepts only signed releases, and this one has no signature", "Name the key as publish.key in stele.yaml and publish again"},
	{"signature", "the server verifies with another key, or has seen another log", "Start the server with the key that signs, or announce the new key with stele key change"},
	{"fork", "the release does not follow the release that is served", "Publish from the records that the served release was built from, or push with --fork"},
	{"damaged", "the release that the server reads is damaged", "Run stele verify on that release, and push again with --whole"},
	{"machine", "the server cannot store the release", "Read the server's log for the reason, such as a full disk"},
	{BehindOlder, "the server has already seen a newer pointer", "Publish again from the machine that published last, or delete the server's cache"},
	{"other", "the server refuses the release", "Read the server's log for the reason"},
	{BehindFetching, "the server is fetching the release", "Wait"},
	{BehindUnreadable, "the server cannot read the bucket", "Check the server's network and credentials, and read its log"},
	{BehindMissing, "the server's bucket contains no release", "Start the server with the address of this bucket"},
}

// ExplainBehind returns the entry for a reason, or nil if it is unknown.
func ExplainBehind(reason string) *Behind {
	for i := range BehindReasons {
		if BehindReasons[i].Reason == reason {
			return &BehindReasons[i]
		}
	}
	return nil
}
