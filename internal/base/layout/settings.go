package layout

import (
	"crypto/sha256"
	"encoding/json"
)

// SettingsDigest is the digest of those of a publisher's settings that a release keeps and that
// reach its files: an object with the members in order, without the findings that are accepted. It
// is zero where there are none.
func SettingsDigest(kept []byte) (sum [sha256.Size]byte, err error) {
	if len(kept) == 0 {
		return sum, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(kept, &members); err != nil {
		return sum, err
	}
	delete(members, "accept")
	if len(members) == 0 {
		return sum, nil
	}
	data, err := json.Marshal(members)
	return sha256.Sum256(data), err
}
