package library

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// arena stores the large files of a release that is in memory. It is an unnamed file that belongs
// to this process (memfd_create), from which the system sends without copying. Unlike the release's
// own files, its content cannot change after it was verified. The file is also mapped into memory,
// for senders that need bytes. They must retain the library.
type arena struct {
	mu   sync.Mutex
	file *os.File // nil while the arena is empty
	size int64
	maps [][]byte
}

// put copies data into the arena and returns it as a body. If the system does not support arenas,
// the body refers to data.
func (a *arena) put(data []byte) Body {
	b, err := a.copyIn(data)
	if err != nil {
		return InMemory(data)
	}
	return b
}

func (a *arena) copyIn(data []byte) (Body, error) {
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
	a.size = (at + size + page - 1) / page * page // offset at which the next file can be mapped
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
