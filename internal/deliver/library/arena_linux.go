package library

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// arena is where the large files of a release lie that is held in memory. It is a file without a
// name that only this process has (memfd_create): the system sends from it without copying, and
// nobody can change what was checked, as somebody could in the release's own files. What lies there
// is also mapped, for those that need bytes. So whoever has some of them holds the library.
type arena struct {
	mu   sync.Mutex
	file *os.File // nil before there is something in it
	size int64
	maps [][]byte
}

// put puts data into the arena. Where the system has none, it stays where it is.
func (a *arena) put(data []byte) Body {
	b, err := a.take(data)
	if err != nil {
		return InMemory(data)
	}
	return b
}

func (a *arena) take(data []byte) (Body, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		fd, err := unix.MemfdCreate("release", unix.MFD_CLOEXEC)
		if err != nil {
			return Body{}, err
		}
		a.file = os.NewFile(uintptr(fd), "release")
	}
	at, size := a.size, int64(len(data))
	if _, err := a.file.WriteAt(data, at); err != nil {
		return Body{}, err
	}
	mapped, err := unix.Mmap(int(a.file.Fd()), at, len(data), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return Body{}, err
	}
	page := int64(os.Getpagesize())
	a.size = (at + size + page - 1) / page * page // where the next can be mapped
	a.maps = append(a.maps, mapped)
	return Body{Data: mapped, File: a.file, At: at, Size: size}, nil
}

func (a *arena) isUsed() bool { return len(a.maps) > 0 }

func (a *arena) close() (err error) {
	for _, m := range a.maps {
		err = errors.Join(err, unix.Munmap(m))
	}
	if a.file != nil {
		err = errors.Join(err, a.file.Close())
	}
	return err
}
