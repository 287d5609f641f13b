package serve

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
	"stele/internal/deliver/serve/http1"
)

// On Linux the fast lane of plain connections is a loop for each core, which asks the system what
// connections have something to say (epoll) and answers them in that order. A goroutine for each
// would wait for its turn in the scheduler, and keep its buffers while it has nothing to do; here
// all share those of the loop. A loop does not wait: what does not fit into a connection is sent on
// when there is room, and for what has to come from a disk, or is not for the lane, there are
// goroutines.

// loop serves connections. All but what is named otherwise belongs to its goroutine.
type loop struct {
	http1.Session
	house   *house
	epoll   int
	bell    int       // becomes readable when somebody has something for the loop
	clients []*client // by descriptor
	open    int       // how many there are
	now     time.Time
	look    time.Time // when to look for connections that have been idle for too long
	in      []byte
	spare   []*sending // that can be used again

	mu    sync.Mutex // for the rest, which others write
	fresh []*client  // that have come
	full  bool       // whether idle ones have to make room for others
	cut   bool       // whether all have to go
	end   bool       // whether the loop has to end
}

type client struct {
	fd       int
	counted  *counted
	progress http1.Progress // of what it asks for next
	begun    []byte         // of a request whose rest has not come
	room     []byte         // where that lies
	sending  *sending       // an answer that did not fit into the connection; nil for none
	fetched  *http1.Asked   // what it went away for, with its answer; nil for none
	parting  bool           // whether nothing more is read that it asks for
	lingers  bool           // whether it has its last answer, and may still be sending
	last     bool           // whether this was its last answer
	unread   bool           // whether something may follow it that nobody reads
	broken   bool           // whether it must leave, because something panicked
	taken    uint64         // how many bytes it had taken when it was given more time
	acked    uint64         // and when somebody last looked because there was no room
	until    time.Time
	stands   time.Time // since when it takes nothing of its answer
}

func newLoop(h *house) (l *loop, err error) {
	l = &loop{house: h, in: make([]byte, http1.Room(&h.limits)), Session: http1.Session{
		Port: h.desk, Out: make([]byte, 0, http1.AnswerRoom), Scratch: library.Scratch{NoWait: true},
	}}
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if l.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, errors.Join(err, unix.Close(l.epoll))
	}
	if err = l.watch(unix.EPOLL_CTL_ADD, l.bell, unix.EPOLLIN); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *loop) close() error { return errors.Join(unix.Close(l.epoll), unix.Close(l.bell)) }

func (l *loop) tell(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	// fails only if it is full, and then the loop wakes anyway
	unix.Write(l.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

func (l *loop) watch(operation, fd int, events uint32) error {
	return unix.EpollCtl(l.epoll, operation, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

// run serves until the loop has to end. It stays on one thread, which the scheduler would otherwise
// change for another every few milliseconds; two then share its core for a while.
func (l *loop) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var events [128]unix.EpollEvent
	for {
		n, err := l.wait(events[:])
		if err != nil && !errors.Is(err, unix.EINTR) {
			panic("epoll_wait: " + err.Error()) // it can only fail if it is used wrongly
		}
		l.now = time.Now()
		rung := false
		for _, e := range events[:max(n, 0)] {
			switch {
			case int(e.Fd) == l.bell:
				rung = true
			case l.clients[e.Fd] == nil: // it has left
			case l.clients[e.Fd].sending != nil:
				l.with(l.clients[e.Fd], (*loop).sendOn)
			default:
				l.with(l.clients[e.Fd], (*loop).receive)
			}
		}
		if rung && l.answerBell() {
			return
		}
		if l.open > 0 && !l.now.Before(l.look) {
			l.closeIdle()
		}
	}
}

// with does something with a client. After a panic the client is gone, and the loop goes on.
func (l *loop) with(c *client, do func(*loop, *client)) {
	defer l.survive(c)
	do(l, c)
}

func (l *loop) survive(c *client) {
	p := recover()
	if p == nil {
		return
	}
	l.house.Panicked(p)
	if c.sending == nil { // which would have it
		l.Answer.Release() // there is nobody to tell
	}
	l.Reply, l.Scratch = exchange.Reply{}, library.Scratch{NoWait: true}
	if l.clients[c.fd] == c {
		l.leave(c)
	}
}

// looks is how often a loop looks whether something has come before it lets itself be woken. That
// takes longer than it takes until the next client of a busy server says something.
const looks = 20

// wait waits until there is something to do.
func (l *loop) wait(events []unix.EpollEvent) (int, error) {
	for range looks {
		n, _, errno := unix.RawSyscall6(
			unix.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
		switch {
		case errno != 0:
			return 0, errno
		case n > 0:
			return int(n), nil
		}
	}
	return unix.EpollWait(l.epoll, events, l.patience())
}

// patience is how long to wait, in milliseconds.
func (l *loop) patience() int {
	if l.open == 0 {
		return -1
	}
	return int(max(l.look.Sub(l.now), 0)/time.Millisecond) + 1
}

// answerBell does what others have asked for, and reports whether the loop has to end.
func (l *loop) answerBell() (end bool) {
	var count [8]byte
	unix.Read(l.bell, count[:]) // it has rung, so this cannot fail
	l.mu.Lock()
	fresh, full, cut, end := l.fresh, l.full, l.cut, l.end
	l.fresh, l.full = nil, false
	l.mu.Unlock()
	for _, c := range fresh {
		l.with(c, (*loop).welcome)
	}
	if full {
		l.makeRoom()
	}
	if cut || l.house.stopping.Load() {
		for _, c := range l.clients {
			switch {
			case c == nil:
			case cut:
				l.with(c, (*loop).leave)
			case c.sending == nil:
				l.with(c, (*loop).part)
			}
		}
	}
	return end
}

func (l *loop) welcome(c *client) {
	if c.fd >= len(l.clients) {
		l.clients = append(l.clients, make([]*client, c.fd+1-len(l.clients))...)
	}
	if l.open == 0 {
		l.look = l.now.Add(l.between())
	}
	l.clients[c.fd] = c
	l.open++
	l.renew(c)
	if err := l.watch(unix.EPOLL_CTL_ADD, c.fd, c.events()); err != nil {
		// the system's limit for what may be watched
		l.house.options.Log.Warn("a connection could not be served", "error", err)
		l.leave(c)
		return
	}
	if c.broken {
		l.leave(c)
		return
	}
	if c.sending != nil {
		l.sendOn(c)
		return
	}
	begun := c.begun // what somebody came back with
	c.begun = nil
	l.converse(c, begun, false)
}

func (c *client) events() uint32 {
	if c.sending != nil {
		return unix.EPOLLOUT
	}
	return unix.EPOLLIN
}

func (l *loop) renew(c *client) { c.until = l.now.Add(l.time(c)) }

// time is how long a client may do nothing: less if the head of a request has to come.
func (l *loop) time(c *client) time.Duration {
	if opt := &l.house.options; c.isShort() {
		return min(opt.HeaderTime, opt.IdleTime)
	}
	return l.house.options.IdleTime
}

// isShort reports whether a client has not asked for anything yet, or has begun to.
func (c *client) isShort() bool { return c.sending == nil && (c.progress.IsFirst() || c.begun != nil) }

func (l *loop) between() time.Duration {
	return min(l.house.options.IdleTime, l.house.options.HeaderTime) / 12
}

// standsSince is since when a client has had its answers and asks for nothing, or nothing whole, or
// takes nothing of an answer. One that has never asked is given some time to.
func (l *loop) standsSince(c *client) (since time.Time, ok bool) {
	switch {
	case c == nil:
		return since, false
	case c.lingers:
		return c.until.Add(-exchange.Linger), true
	case c.sending != nil:
		return c.stands, l.now.Sub(c.stands) >= grace+patience
	}
	since = c.until.Add(-l.time(c))
	return since, !c.isShort() || l.now.Sub(since) >= grace
}

// makeRoom ends the connections that have stood still for the longest time.
func (l *loop) makeRoom() {
	oldest := l.now
	for _, c := range l.clients {
		if since, ok := l.standsSince(c); ok && since.Before(oldest) {
			oldest = since
		}
	}
	most, until := 1+l.open/shareOfRoom, oldest.Add(l.now.Sub(oldest)/32)
	askedFor := 0
	for _, c := range l.clients {
		since, ok := l.standsSince(c)
		if !ok || since.After(until) {
			continue
		}
		if askedFor++; askedFor > maxAskedFor || most == 0 {
			break
		}
		if !c.moves(l.now) {
			l.house.metrics.refuse(refusedIdle)
			l.with(c, (*loop).leave)
			most--
		}
	}
}

// moves reports whether a client that seems to stand still does not: something has come from it
// that the loop has not read yet, or it has taken some of its answer from the system.
func (c *client) moves(now time.Time) bool {
	if c.sending == nil {
		return c.hasSaid()
	}
	taken, ok := takenFrom(c.fd)
	if !ok || taken < c.acked+progress {
		return false
	}
	c.acked, c.stands = taken, now
	return true
}

// hasSaid reports whether something has come from a client that the loop has not read yet.
func (c *client) hasSaid() bool {
	var one [1]byte
	n, err := call(unix.SYS_RECVFROM, c.fd, one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	return err == nil && n > 0
}

// closeIdle closes connections on which nothing has moved for too long.
func (l *loop) closeIdle() {
	l.look = l.now.Add(l.between())
	for _, c := range l.clients {
		switch {
		case c == nil:
		case c.lingers && l.now.Before(c.until):
			l.lookBefore(c.until)
		case c.lingers:
			l.leave(c)
		case c.sending != nil && c.sending.Answer.LeaseEnded():
			l.with(c, (*loop).leave)
		case c.sending != nil && c.goesOn():
			l.renew(c)
		case l.now.After(c.until):
			l.with(c, (*loop).giveUp)
		}
	}
}

// giveUp ends a connection that has been idle for too long. Who has begun to ask is told so.
func (l *loop) giveUp(c *client) {
	switch {
	case c.begun != nil && c.sending == nil:
		l.refuse(c, c.begun, http1.TooSlow)
		return
	case c.isShort():
		l.house.metrics.refuse(refusedSlow)
	}
	l.leave(c)
}

func (l *loop) drop(c *client) {
	unix.EpollCtl(l.epoll, unix.EPOLL_CTL_DEL, c.fd, nil) // cannot fail, because it is watched
	l.clients[c.fd] = nil
	l.open--
}

func (l *loop) leave(c *client) {
	sending, fetched := c.sending, c.fetched
	c.sending, c.fetched = nil, nil // so that nothing is let go twice if something panics
	if sending != nil {
		l.finish(sending) // there is nobody to tell
	}
	if fetched != nil {
		fetched.Answer.Release() // nor here
	}
	l.drop(c)
	unix.Close(c.fd)
	c.counted.leave()
	l.house.ours.Done()
}

// part ends a connection because the server stops. What has come before is answered first. The rest
// is read all the same: the system throws away what it has not sent yet of an answer when a
// connection is closed on which something is unread. A client that goes on and on is not waited
// for.
func (l *loop) part(c *client) {
	if !c.parting {
		c.parting = true
		l.receive(c)
	}
	if l.clients[c.fd] != c || c.sending != nil || c.lingers {
		return // it has left, or does when it has its answer, or its time is over
	}
	l.drain(c)
	l.leave(c)
}

// drain throws away what a client has sent, and reports whether it may send more.
func (l *loop) drain(c *client) bool {
	for range 64 {
		if n, err := read(c.fd, l.in); n <= 0 && err != unix.EINTR {
			return err != nil && again(err)
		}
	}
	return true
}

// goodbye ends a connection after its last answer. A client that may still be sending is told that
// nothing more comes, and has some time to stop.
func (l *loop) goodbye(c *client) {
	c.parting = true
	if !c.unread {
		l.part(c)
		return
	}
	unix.Shutdown(c.fd, unix.SHUT_WR) // if that fails, it has left
	c.lingers, c.until = true, l.now.Add(exchange.Linger)
	l.lookBefore(c.until)
	l.linger(c)
}

// linger reads what a client sends that has its last answer, until it has had its time.
func (l *loop) linger(c *client) {
	if !l.drain(c) {
		l.leave(c)
	}
}

// lookBefore sees to it that connections are looked at soon enough.
func (l *loop) lookBefore(t time.Time) {
	if t.Before(l.look) {
		l.look = t
	}
}

func (l *loop) receive(c *client) {
	if c.lingers {
		l.linger(c)
		return
	}
	have := copy(l.in, c.begun)
	n, err := read(c.fd, l.in[have:])
	switch {
	case err != nil && again(err):
	case err != nil || n == 0 && !c.progress.HasBegun(have):
		l.leave(c)
	case n == 0:
		l.refuse(c, l.in[:have], http1.CutShort)
	default:
		begun := have > 0 || c.progress.HasEmpty()
		c.begun = nil
		l.converse(c, l.in[:have+n], begun)
	}
}

// converse answers the requests in what has come, as long as the connection takes the answers.
// begun says that some of the first had come before: the time for its head goes on. A head that
// comes in many small pieces costs no more than its bytes.
func (l *loop) converse(c *client, data []byte, begun bool) {
	if c.fetched != nil { // what was asked before these
		l.Return(c.fetched)
		c.fetched = nil
		l.Compose(c.counted)
		if !l.send(c) {
			return
		}
	}
	for c.sending == nil {
		size, v := l.Take(data, &c.progress)
		data = data[size:]
		if v == http1.Partial {
			break
		}
		begun = false
		if v == http1.Whole {
			if !l.Ask() {
				l.fetch(c, data)
				return
			}
			l.Compose(c.counted)
		}
		if !l.send(c) {
			return
		}
	}
	if c.room = append(c.room[:0], data...); len(data) > 0 {
		c.begun = c.room
	} else {
		c.room = nil // so that an idle client keeps none
	}
	if !begun {
		l.renew(c)
	}
}

// refuse answers a client that asks for nothing that could be answered, and is the last it gets.
func (l *loop) refuse(c *client, begun []byte, why *exchange.Refusal) {
	l.Refuse(begun, why)
	c.begun = nil
	l.send(c)
}

// send sends an answer, or begins to, and reports whether the connection goes on.
func (l *loop) send(c *client) bool {
	c.last, c.unread = l.Last, l.Unread
	var err error
	if n := 0; l.Answer.Size == 0 {
		if n, err = write(c.fd, l.Out); n == len(l.Out) || unlessLater(err) != nil {
			err = unlessLater(err)
			l.End(&l.Reply)
		} else {
			err = l.begin(c, l.Out[max(n, 0):])
		}
	} else {
		err = l.begin(c, l.Out)
	}
	l.Forget()
	switch {
	case err != nil:
		l.leave(c)
		return false
	case c.sending == nil && c.last:
		l.goodbye(c)
		return false
	}
	return true
}

// begin sends what it can of an answer that is large, or that the connection has no room for.
func (l *loop) begin(c *client, head []byte) error {
	f := l.newSending()
	f.Reply, f.head = l.Reply, head
	f.Due = f.Sent + piece
	f.Keep(l.house.options.AccessLog)
	done, err := f.send(c.fd)
	if done || err != nil && err != library.ErrWouldBlock {
		l.finish(f)
		return err
	}
	f.room = append(f.room[:0], f.head...) // which lies in what all clients share
	f.head, c.sending, c.stands = f.room, f, l.now
	if err == library.ErrWouldBlock {
		l.warm(c)
		return nil
	}
	return l.watch(unix.EPOLL_CTL_MOD, c.fd, c.events())
}

func (l *loop) newSending() *sending {
	if n := len(l.spare) - 1; n >= 0 {
		f := l.spare[n]
		l.spare = l.spare[:n]
		return f
	}
	return new(sending)
}

// sendOn sends more of an answer, and then answers what has been asked meanwhile.
func (l *loop) sendOn(c *client) {
	before := c.sending.Sent
	done, err := c.sending.send(c.fd)
	if err == library.ErrWouldBlock {
		l.warm(c)
		return
	}
	if c.sending.Sent > before {
		c.stands = l.now
	}
	if err == nil && !done {
		if c.sending.Earned(piece) { // a slow client is served, a stuck one is not waited for
			l.renew(c)
		}
		return
	}
	l.finish(c.sending)
	c.sending = nil
	if err == nil {
		err = l.watch(unix.EPOLL_CTL_MOD, c.fd, c.events())
	}
	switch {
	case err != nil:
		l.leave(c)
		return
	case c.last || l.house.stopping.Load():
		l.goodbye(c)
		return
	}
	l.renew(c)
	begun := c.begun
	c.begun = nil
	l.converse(c, begun, false)
}

func (l *loop) finish(f *sending) {
	l.End(&f.Reply)
	if len(l.spare) < maxSpare {
		*f = sending{room: f.room}
		l.spare = append(l.spare, f)
	}
}

// maxSpare is how many sendings a loop keeps to use again. After thousands of slow clients at a
// time, their rooms are given back.
const maxSpare = 64

// goesOn reports whether a client has taken a piece of its answer since that was last so. The loop
// does not hear of it: the system has room for some megabytes, and says that there is some only
// when a good part of it is free.
func (c *client) goesOn() bool {
	taken, ok := takenFrom(c.fd)
	if !ok || taken < c.taken+piece {
		return false // a unix socket has less room than a piece
	}
	c.taken = taken
	return true
}

// fetch sends a client away while what it asks for is read from a file, which others must not wait
// for. It comes back with the answer, and with what it has said after that.
func (l *loop) fetch(c *client, more []byte) {
	l.drop(c)
	c.begun, c.fetched = bytes.Clone(more), l.Leave()
	d := new(library.Scratch)
	go func() {
		defer l.comeBack(c)
		l.house.Ask(&c.fetched.Request, &c.fetched.Answer, d)
	}()
}

// warm sends a client away while the next turn of its answer is brought into the page cache, which
// others must not wait for either.
func (l *loop) warm(c *client) {
	l.drop(c)
	b := c.sending.Answer.Body
	c.sending.warm = true
	go func() {
		defer l.comeBack(c)
		room := lendPiece()
		defer returnPiece(room)
		for at := int64(0); at < min(b.Size, turn); at += int64(len(room)) {
			b.ReadAt(room[:min(int64(len(room)), b.Size-at)], at) // if that fails, so does sending, which says why
		}
	}()
}

// comeBack is deferred by whoever has a client that was sent away: it goes back to its loop.
func (l *loop) comeBack(c *client) {
	if p := recover(); p != nil {
		l.house.Panicked(p)
		c.broken = true
	}
	l.tell(func() { l.fresh = append(l.fresh, c) })
}
