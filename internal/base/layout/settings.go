package layout

import (
	"crypto/sha256"
	"encoding/json"
)

// SettingsDigest returns the digest of the settings that a release keeps and that affect its files:
// kept with its members sorted and without accepted findings. It is zero if there are no such
// settings.
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
