// Command gc is a net/http server that makes garbage.
//
//	gc PORT        env: LIVE_MB=N (live objects that every collection has to mark)
//
// GET /alloc?kb=N makes N KB of objects, /pages?kb=N as much in 64 KB pieces, GET /work?us=N burns N microseconds without allocating, GET /gc says
// what MemStats says: {"collections":12,"longest_ms":0.3}; the longest since the last answer (of 256 at most).
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

type node struct {
	next *node
	text string
	data [8]int64
}

var (
	live      []*node
	kept      [256]*node
	keptPages [256][][]*int
	told      uint32 // collections that /gc has told of
)

func number(r *http.Request, name string, otherwise int) int {
	if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil {
		return n
	}
	return otherwise
}

// chain makes a list of about kb KB, each part of which has a pointer.
func chain(kb int) *node {
	var first *node
	for i := 0; i < kb*8; i++ {
		first = &node{next: first, text: strconv.Itoa(i + 100000)}
	}
	return first
}

func alloc(w http.ResponseWriter, r *http.Request) {
	made := chain(number(r, "kb", 64))
	kept[time.Now().UnixNano()/1000%int64(len(kept))] = made
	io.WriteString(w, "made\n")
}

// The same in pieces of 64 KB full of pointers: few assists, each long, where alloc has thousands of 10 us each.
func pages(w http.ResponseWriter, r *http.Request) {
	made := make([][]*int, number(r, "kb", 64)/64+1)
	for i := range made {
		made[i] = make([]*int, 8192)
		made[i][0] = &i
	}
	keptPages[time.Now().UnixNano()/1000%int64(len(keptPages))] = made
	io.WriteString(w, "made\n")
}

func work(w http.ResponseWriter, r *http.Request) {
	until := time.Now().Add(time.Duration(number(r, "us", 1000)) * time.Microsecond)
	for time.Now().Before(until) {
	}
	io.WriteString(w, "worked\n")
}

func collector(w http.ResponseWriter, r *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var longest uint64
	for n := m.NumGC; n > told && n+256 > m.NumGC; n-- {
		if pause := m.PauseNs[(n+255)%256]; pause > longest {
			longest = pause
		}
	}
	told = m.NumGC
	fmt.Fprintf(w, "{\"collections\":%d,\"longest_ms\":%g}\n", m.NumGC, float64(longest)/1e6)
}

func main() {
	if mb, err := strconv.Atoi(os.Getenv("LIVE_MB")); err == nil {
		for i := 0; i < mb; i++ {
			live = append(live, chain(1024))
		}
	}
	http.HandleFunc("/alloc", alloc)
	http.HandleFunc("/pages", pages)
	http.HandleFunc("/work", work)
	http.HandleFunc("/gc", collector)
	http.HandleFunc("/health", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok\n") })
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stop
		os.Exit(0)
	}()
	port := os.Args[1]
	go func() {
		for {
			if answer, err := http.Get("http://127.0.0.1:" + port + "/health"); err == nil {
				answer.Body.Close()
				fmt.Println("READY " + port)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if err := http.ListenAndServe("127.0.0.1:"+port, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = live
}
