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

// On Linux, plain connections are served by a loop per core, which asks the system which
// connections are ready (epoll) and serves them in that order. A goroutine for each would wait for
// the scheduler, and keep its buffers while idle; the connections of a loop share its buffers. A
// loop never waits: the rest of an answer that does not fit into a connection is sent when there is
// room. Goroutines handle requests that must wait for a disk or that are not for the fast lane.

// loop serves connections. Only its own goroutine uses the fields before mu.
type loop struct {
	http1.Session
	shared    *sharedState
	epoll     int
	wakeup    int       // becomes readable when another goroutine needs the loop
	clients   []*client // by file descriptor
	open      int       // number of clients
	now       time.Time
	nextCheck time.Time // when to check for idle connections
	in        []byte
	spare     []*sending // unused, for reuse

	mu         sync.Mutex // guards the following, which other goroutines write
	newClients []*client  // new clients
	full       bool       // whether idle clients must make room
	cut        bool       // whether all clients must be closed
	end        bool       // whether the loop must end
}

type client struct {
	fd        int
	counted   *limitedConn
	progress  http1.Progress // of the next request
	begun     []byte         // the beginning of an incomplete request
	room      []byte         // buffer of begun
	sending   *sending       // an answer that did not fit into the connection, or nil
	fetched   *http1.Asked   // the detached request that was answered from a disk; or nil
	closing   bool           // whether further requests are ignored
	draining  bool           // whether it has its last answer, but may still be sending
	last      bool           // whether this was its last answer
	unread    bool           // whether unread data may follow
	broken    bool           // whether to close it because of a panic
	taken     uint64         // bytes acknowledged when the client was given more time
	acked     uint64         // bytes acknowledged at the last check for room
	until     time.Time
	idleSince time.Time // since when it reads nothing of its answer
}

func newLoop(h *sharedState) (l *loop, err error) {
	l = &loop{shared: h, in: make([]byte, http1.Room(&h.limits)), Session: http1.Session{
		Port: h.responder, Out: make([]byte, 0, http1.AnswerRoom), Scratch: library.Scratch{NoWait: true},
	}}
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if l.wakeup, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, errors.Join(err, unix.Close(l.epoll))
	}
	if err = l.watch(unix.EPOLL_CTL_ADD, l.wakeup, unix.EPOLLIN); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *loop) close() error { return errors.Join(unix.Close(l.epoll), unix.Close(l.wakeup)) }

func (l *loop) wakeWith(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	// fails only if the counter is full, and then the loop wakes anyway
	unix.Write(l.wakeup, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

func (l *loop) watch(operation, fd int, events uint32) error {
	return unix.EpollCtl(l.epoll, operation, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

// run serves clients until the loop must end. It stays on one thread; otherwise the scheduler would
// move it every few milliseconds, and two threads would share a core for a while.
func (l *loop) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var events [128]unix.EpollEvent
	for {
		n, err := l.wait(events[:])
		if err != nil && !errors.Is(err, unix.EINTR) {
			panic("epoll_wait: " + err.Error()) // only possible after a bug
		}
		l.now = time.Now()
		woken := false
		for _, e := range events[:max(n, 0)] {
			switch {
			case int(e.Fd) == l.wakeup:
				woken = true
			case l.clients[e.Fd] == nil: // already closed
			case l.clients[e.Fd].sending != nil:
				l.withClient(l.clients[e.Fd], (*loop).continueSending)
			default:
				l.withClient(l.clients[e.Fd], (*loop).receive)
			}
		}
		if woken && l.runChanges() {
			return
		}
		if l.open > 0 && !l.now.Before(l.nextCheck) {
			l.closeIdle()
		}
	}
}

// withClient calls do with a client. After a panic it closes the client, and the loop continues.
func (l *loop) withClient(c *client, do func(*loop, *client)) {
	defer l.recoverPanic(c)
	do(l, c)
}

func (l *loop) recoverPanic(c *client) {
	p := recover()
	if p == nil {
		return
	}
	l.shared.Panicked(p)
	if c.sending == nil { // otherwise sending has the answer
		l.Answer.Release() // no one receives the error
	}
	l.Reply, l.Scratch = exchange.Reply{}, library.Scratch{NoWait: true}
	if l.clients[c.fd] == c {
		l.closeClient(c)
	}
}

// polls is the number of times that a loop polls before it blocks. Blocking takes longer than the
// time until the next client of a busy server sends something.
const polls = 20

func (l *loop) wait(events []unix.EpollEvent) (int, error) {
	for range polls {
		n, _, errno := unix.RawSyscall6(
			unix.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
		switch {
		case errno != 0:
			return 0, errno
		case n > 0:
			return int(n), nil
		}
	}
	return unix.EpollWait(l.epoll, events, l.waitMilliseconds())
}

// waitMilliseconds returns the time to wait for events, in milliseconds.
func (l *loop) waitMilliseconds() int {
	if l.open == 0 {
		return -1
	}
	return int(max(l.nextCheck.Sub(l.now), 0)/time.Millisecond) + 1
}

// runChanges runs the changes that other goroutines requested, and reports whether the loop must
// end.
func (l *loop) runChanges() (end bool) {
	var count [8]byte
	unix.Read(l.wakeup, count[:]) // cannot fail after another goroutine wrote to it
	l.mu.Lock()
	fresh, full, cut, end := l.newClients, l.full, l.cut, l.end
	l.newClients, l.full = nil, false
	l.mu.Unlock()
	for _, c := range fresh {
		l.withClient(c, (*loop).addClient)
	}
	if full {
		l.makeRoom()
	}
	if cut || l.shared.stopping.Load() {
		for _, c := range l.clients {
			switch {
			case c == nil:
			case cut:
				l.withClient(c, (*loop).closeClient)
			case c.sending == nil:
				l.withClient(c, (*loop).closeAfterAnswers)
			}
		}
	}
	return end
}

func (l *loop) addClient(c *client) {
	if c.fd >= len(l.clients) {
		l.clients = append(l.clients, make([]*client, c.fd+1-len(l.clients))...)
	}
	if l.open == 0 {
		l.nextCheck = l.now.Add(l.checkInterval())
	}
	l.clients[c.fd] = c
	l.open++
	l.renewDeadline(c)
	if err := l.watch(unix.EPOLL_CTL_ADD, c.fd, c.events()); err != nil {
		// the system's limit of watched descriptors
		l.shared.options.Log.Warn("cannot serve a connection", "error", err)
		l.closeClient(c)
		return
	}
	if c.broken {
		l.closeClient(c)
		return
	}
	if c.sending != nil {
		l.continueSending(c)
		return
	}
	begun := c.begun // data that came with a client from a goroutine
	c.begun = nil
	l.answerRequests(c, begun, false)
}

func (c *client) events() uint32 {
	if c.sending != nil {
		return unix.EPOLLOUT
	}
	return unix.EPOLLIN
}

func (l *loop) renewDeadline(c *client) { c.until = l.now.Add(l.idleLimit(c)) }

// idleLimit returns the time for which a client may be idle. It is shorter while the head of a
// request is awaited.
func (l *loop) idleLimit(c *client) time.Duration {
	if opt := &l.shared.options; c.hasShortLimit() {
		return min(opt.HeaderTime, opt.IdleTime)
	}
	return l.shared.options.IdleTime
}

// hasShortLimit reports whether a client has not sent a complete request, or only part of the next
// one, so that its time limit is shorter.
func (c *client) hasShortLimit() bool {
	return c.sending == nil && (c.progress.IsFirst() || c.begun != nil)
}

func (l *loop) checkInterval() time.Duration {
	return min(l.shared.options.IdleTime, l.shared.options.HeaderTime) / 12
}

// idleSince returns the time since which a client has been idle: it has its answers and sends no
// complete request, or does not read its answer. A new client is given some time.
func (l *loop) idleSince(c *client) (since time.Time, ok bool) {
	switch {
	case c == nil:
		return since, false
	case c.draining:
		return c.until.Add(-exchange.Linger), true
	case c.sending != nil:
		return c.idleSince, l.now.Sub(c.idleSince) >= grace+patience
	}
	since = c.until.Add(-l.idleLimit(c))
	return since, !c.hasShortLimit() || l.now.Sub(since) >= grace
}

// makeRoom closes the connections that have been idle for longest.
func (l *loop) makeRoom() {
	oldest := l.now
	for _, c := range l.clients {
		if since, ok := l.idleSince(c); ok && since.Before(oldest) {
			oldest = since
		}
	}
	most, until := 1+l.open/shareOfRoom, oldest.Add(l.now.Sub(oldest)/32)
	askedFor := 0
	for _, c := range l.clients {
		since, ok := l.idleSince(c)
		if !ok || since.After(until) {
			continue
		}
		if askedFor++; askedFor > maxChecked || most == 0 {
			break
		}
		if !c.isActive(l.now) {
			l.shared.metrics.countRefusal(refusedIdle)
			l.withClient(c, (*loop).closeClient)
			most--
		}
	}
}

// isActive reports whether a client that seems idle is active: the loop has not read its data yet,
// or the client has read some of its answer from the system's buffer.
func (c *client) isActive(now time.Time) bool {
	if c.sending == nil {
		return c.hasUnread()
	}
	taken, ok := acknowledgedBytes(c.fd)
	if !ok || taken < c.acked+progress {
		return false
	}
	c.acked, c.idleSince = taken, now
	return true
}

// hasUnread reports whether unread data has arrived from a client.
func (c *client) hasUnread() bool {
	var one [1]byte
	n, err := systemCall(unix.SYS_RECVFROM, c.fd, one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	return err == nil && n > 0
}

// closeIdle closes connections that have been idle for too long.
func (l *loop) closeIdle() {
	l.nextCheck = l.now.Add(l.checkInterval())
	for _, c := range l.clients {
		switch {
		case c == nil:
		case c.draining && l.now.Before(c.until):
			l.checkBefore(c.until)
		case c.draining:
			l.closeClient(c)
		case c.sending != nil && c.sending.Answer.LeaseEnded():
			l.withClient(c, (*loop).closeClient)
		case c.sending != nil && c.isReading():
			l.renewDeadline(c)
		case l.now.After(c.until):
			l.withClient(c, (*loop).giveUp)
		}
	}
}

// giveUp closes a connection that has been idle for too long, with an error answer if a part of a
// request has arrived.
func (l *loop) giveUp(c *client) {
	switch {
	case c.begun != nil && c.sending == nil:
		l.refuse(c, c.begun, http1.TooSlow)
		return
	case c.hasShortLimit():
		l.shared.metrics.countRefusal(refusedSlow)
	}
	l.closeClient(c)
}

func (l *loop) removeClient(c *client) {
	unix.EpollCtl(l.epoll, unix.EPOLL_CTL_DEL, c.fd, nil) // cannot fail for a watched descriptor
	l.clients[c.fd] = nil
	l.open--
}

func (l *loop) closeClient(c *client) {
	sending, fetched := c.sending, c.fetched
	c.sending, c.fetched = nil, nil // so that neither is released twice after a panic
	if sending != nil {
		l.finish(sending) // no one receives the error
	}
	if fetched != nil {
		fetched.Answer.Release() // no one receives the error
	}
	l.removeClient(c)
	unix.Close(c.fd)
	c.counted.removeFromLimits()
	l.shared.ours.Done()
}

// closeAfterAnswers closes a connection because the server is shutting down. Earlier requests are
// answered first. The rest is read too, because when a connection with unread data is closed, the
// system discards unsent parts of answers. The server does not wait for a client that does not
// stop.
func (l *loop) closeAfterAnswers(c *client) {
	if !c.closing {
		c.closing = true
		l.receive(c)
	}
	if l.clients[c.fd] != c || c.sending != nil || c.draining {
		return // it is closed, or will be after its answer or its time
	}
	l.discardReceived(c)
	l.closeClient(c)
}

// discardReceived discards the data that a client has sent, and reports whether the client may send
// more.
func (l *loop) discardReceived(c *client) bool {
	for range 64 {
		if n, err := read(c.fd, l.in); n <= 0 && err != unix.EINTR {
			return err != nil && isTemporary(err)
		}
	}
	return true
}

// endConnection ends a connection after its last answer. If the client may still be sending,
// endConnection shuts down the connection for writing and gives the client some time to stop.
func (l *loop) endConnection(c *client) {
	c.closing = true
	if !c.unread {
		l.closeAfterAnswers(c)
		return
	}
	unix.Shutdown(c.fd, unix.SHUT_WR) // if that fails, it is closed
	c.draining, c.until = true, l.now.Add(exchange.Linger)
	l.checkBefore(c.until)
	l.discardUnread(c)
}

// discardUnread reads the data that a client sends after its last answer, until its time is over.
func (l *loop) discardUnread(c *client) {
	if !l.discardReceived(c) {
		l.closeClient(c)
	}
}

// checkBefore makes the loop check its connections no later than t.
func (l *loop) checkBefore(t time.Time) {
	if t.Before(l.nextCheck) {
		l.nextCheck = t
	}
}

func (l *loop) receive(c *client) {
	if c.draining {
		l.discardUnread(c)
		return
	}
	have := copy(l.in, c.begun)
	n, err := read(c.fd, l.in[have:])
	switch {
	case err != nil && isTemporary(err):
	case err != nil || n == 0 && !c.progress.HasBegun(have):
		l.closeClient(c)
	case n == 0:
		l.refuse(c, l.in[:have], http1.CutShort)
	default:
		begun := have > 0 || c.progress.HasEmpty()
		c.begun = nil
		l.answerRequests(c, l.in[:have+n], begun)
	}
}

// answerRequests answers the requests in data, as long as the connection accepts the answers. begun
// is true if data includes the beginning of a request that arrived earlier, whose time limit
// continues. A head that arrives in many pieces is still parsed in linear time.
func (l *loop) answerRequests(c *client, data []byte, begun bool) {
	if c.fetched != nil { // earlier requests first
		l.Attach(c.fetched)
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
				l.fetchAnswer(c, data)
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
		c.room = nil // so that idle clients have no buffer
	}
	if !begun {
		l.renewDeadline(c)
	}
}

// refuse sends an error answer to a malformed request and ends the connection.
func (l *loop) refuse(c *client, begun []byte, why *exchange.Refusal) {
	l.Refuse(begun, why)
	c.begun = nil
	l.send(c)
}

// send sends an answer or its beginning, and reports whether the connection continues.
func (l *loop) send(c *client) bool {
	c.last, c.unread = l.Last, l.Unread
	var err error
	if n := 0; l.Answer.Size == 0 {
		if n, err = write(c.fd, l.Out); n == len(l.Out) || ignoreWouldBlock(err) != nil {
			err = ignoreWouldBlock(err)
			l.End(&l.Reply)
		} else {
			err = l.startSending(c, l.Out[max(n, 0):])
		}
	} else {
		err = l.startSending(c, l.Out)
	}
	l.Forget()
	switch {
	case err != nil:
		l.closeClient(c)
		return false
	case c.sending == nil && c.last:
		l.endConnection(c)
		return false
	}
	return true
}

// startSending sends the first part of an answer that is large, or that does not fit into the
// connection's buffer.
func (l *loop) startSending(c *client, head []byte) error {
	f := l.newSending()
	f.Reply, f.head = l.Reply, head
	f.Due = f.Sent + piece
	f.DetachRequest(l.shared.options.AccessLog)
	done, err := f.send(c.fd)
	if done || err != nil && err != library.ErrWouldBlock {
		l.finish(f)
		return err
	}
	f.room = append(f.room[:0], f.head...) // head is in a buffer that all clients share
	f.head, c.sending, c.idleSince = f.room, f, l.now
	if err == library.ErrWouldBlock {
		l.readAhead(c)
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

// continueSending sends more of an answer, and then answers later requests.
func (l *loop) continueSending(c *client) {
	before := c.sending.Sent
	done, err := c.sending.send(c.fd)
	if err == library.ErrWouldBlock {
		l.readAhead(c)
		return
	}
	if c.sending.Sent > before {
		c.idleSince = l.now
	}
	if err == nil && !done {
		if c.sending.ReachedGoal(piece) { // slow clients get more time, stuck ones do not
			l.renewDeadline(c)
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
		l.closeClient(c)
		return
	case c.last || l.shared.stopping.Load():
		l.endConnection(c)
		return
	}
	l.renewDeadline(c)
	begun := c.begun
	c.begun = nil
	l.answerRequests(c, begun, false)
}

func (l *loop) finish(f *sending) {
	l.End(&f.Reply)
	if len(l.spare) < maxSpare {
		*f = sending{room: f.room}
		l.spare = append(l.spare, f)
	}
}

// maxSpare is the number of sendings that a loop keeps for reuse. The memory of others is freed.
const maxSpare = 64

// isReading reports whether a client has read a piece of its answer since the last call. The loop
// gets no event for that: the system buffers some megabytes, and reports room only when a large
// part is free.
func (c *client) isReading() bool {
	taken, ok := acknowledgedBytes(c.fd)
	if !ok || taken < c.taken+piece {
		return false // a unix socket's buffer is smaller than a piece
	}
	c.taken = taken
	return true
}

// fetchAnswer detaches a client while its answer is read from a disk, so that other clients need
// not wait. The client returns with the answer, and with the data that came after its request.
func (l *loop) fetchAnswer(c *client, more []byte) {
	l.removeClient(c)
	c.begun, c.fetched = bytes.Clone(more), l.Detach()
	d := new(library.Scratch)
	go func() {
		defer l.reattach(c)
		l.shared.Ask(&c.fetched.Request, &c.fetched.Answer, d)
	}()
}

// readAhead detaches a client while the next part of its answer is read into the page cache.
func (l *loop) readAhead(c *client) {
	l.removeClient(c)
	b := c.sending.Answer.Body
	c.sending.warm = true
	go func() {
		defer l.reattach(c)
		room := getBuffer()
		defer putBuffer(room)
		for at := int64(0); at < min(b.Size, turn); at += int64(len(room)) {
			b.ReadAt(room[:min(int64(len(room)), b.Size-at)], at) // after an error, sending fails too and reports it
		}
	}()
}

// reattach returns a detached client to its loop. It must be deferred.
func (l *loop) reattach(c *client) {
	if p := recover(); p != nil {
		l.shared.Panicked(p)
		c.broken = true
	}
	l.wakeWith(func() { l.newClients = append(l.newClients, c) })
}
