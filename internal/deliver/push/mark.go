package push

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/disk/durable"
)

// machineMark lets a machine continue its interrupted push at once. While files are being written,
// the pointer contains a random text that only this machine knows, and this process holds a lock. A
// process that gets the lock and finds the machine's text in the pointer knows that the writer has
// ended. Each push has a new text, so a text in a restored state folder belongs to a push that has
// ended.
type machineMark struct {
	path   string   // of the file with the texts, or ""
	text   string   // for the pointer
	before []string // texts of earlier pushes
	busy   bool     // whether another process of this machine holds the lock
	unlock func()
}

// claimBucket locks bucket in the state folder. If the folder is not writable, earlier pushes of
// this machine are not recognized, and a push after an interruption must wait.
func claimBucket(folder, bucket string) *machineMark {
	o := &machineMark{unlock: func() {}}
	if folder == "" || os.MkdirAll(folder, 0o700) != nil {
		return o
	}
	sum := sha256.Sum256([]byte(bucket))
	path := filepath.Join(folder, hex.EncodeToString(sum[:8]))
	unlock, err := durable.Lock(path + ".lock")
	if err != nil && !errors.Is(err, durable.ErrBusy) {
		return o
	}
	if data, err := os.ReadFile(path); err == nil && len(data) < 1<<10 {
		o.before = strings.Fields(string(data))
	}
	if unlock == nil {
		o.busy = true
		return o
	}
	o.path, o.text, o.unlock = path, strings.ToLower(rand.Text()), unlock
	return o
}

// isOwn reports whether text, from the pointer, was written by an earlier push of this machine.
func (o *machineMark) isOwn(text string) bool { return text != "" && slices.Contains(o.before, text) }

// store saves the text of this push before it is written to the pointer. It also keeps has, the
// text in the current pointer. If storing fails, the text becomes "", as without a folder.
func (o *machineMark) store(has string) {
	texts := o.text + "\n"
	if o.isOwn(has) {
		texts += has + "\n"
	}
	if o.path == "" || durable.WriteFile(o.path, []byte(texts), 0o600) != nil {
		o.text = ""
	}
}
