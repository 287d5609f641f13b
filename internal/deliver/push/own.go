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

// own lets a machine take up at once what it left off. While files are written, the pointer has a
// text that only this machine knows, and this process has a lock, which ends with it. Who finds a
// text of its own in the pointer and gets the lock knows that the writer is gone. A text is new for
// each push: one that comes back with a copy of the folder, such as from a cache, is that of a push
// that ended.
type own struct {
	path   string   // of the file with the texts; "" if there is none
	text   string   // that the pointer gets
	before []string // that it may have from a push before
	busy   bool     // whether another process of this machine has the lock
	unlock func()
}

// claim takes the lock for a bucket. Without a folder that can be written to, nobody is known
// again, and who comes after an interruption waits.
func claim(folder, bucket string) *own {
	o := &own{unlock: func() {}}
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

// wrote reports whether a text in the pointer is that of a push of this machine.
func (o *own) wrote(text string) bool { return text != "" && slices.Contains(o.before, text) }

// remember keeps the text before the pointer gets it. The one that the pointer has stays until
// then. Where that fails there is no text, as without a folder.
func (o *own) remember(has string) {
	texts := o.text + "\n"
	if o.wrote(has) {
		texts += has + "\n"
	}
	if o.path == "" || durable.WriteFile(o.path, []byte(texts), 0o600) != nil {
		o.text = ""
	}
}
