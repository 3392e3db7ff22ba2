package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Clock ids of clock_gettime(2).
const (
	clockMonotonic     = 1
	clockThreadCPUTime = 3
)

// The handlers' own timers, one line a request; written at exit so that logging does not disturb
// what it measures.
var (
	logLock sync.Mutex
	logText bytes.Buffer
)

// clock reads a clock in ns. CLOCK_MONOTONIC is the clock that recordings use; Go's own time.Time
// does not give its absolute value.
func clock(id uintptr) int64 {
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

// timed burns d of wall time on one thread and logs id,entry_ns,exit_ns,cpu_ns.
func timed(id string, d time.Duration) {
	entry := clock(clockMonotonic)
	runtime.LockOSThread() // the CPU clock below is the thread's
	cpu := clock(clockThreadCPUTime)
	exit := entry
	for exit < entry+int64(d) {
		exit = clock(clockMonotonic)
	}
	cpu = clock(clockThreadCPUTime) - cpu
	runtime.UnlockOSThread()
	exit = clock(clockMonotonic)
	if id != "" {
		logLock.Lock()
		fmt.Fprintf(&logText, "%s,%d,%d,%d\n", id, entry, exit, cpu)
		logLock.Unlock()
	}
}

func writeHandlerLog(path string) {
	if path == "" {
		return
	}
	logLock.Lock()
	defer logLock.Unlock()
	text := append([]byte("id,entry_ns,exit_ns,cpu_ns\n"), logText.Bytes()...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func listen(port string) (net.Listener, error) {
	return net.Listen("tcp", "127.0.0.1:"+port)
}
