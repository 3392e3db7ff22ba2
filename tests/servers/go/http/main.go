// Command http is a net/http test server without dependencies.
//
//	http PORT        env: DOWNSTREAM=host:port  HANDLER_LOG=file
//
// GET /hello, GET /items?page=N (3 KB of JSON), POST /echo, and one known fault a route:
// GET /busy[/ID]?us=N burns a CPU and times itself, GET /db[/ID] asks DOWNSTREAM over kept
// connections, GET /sleep?ms=N answers from a timer, GET /large?kb=N answers with N KB.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type item struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Price int      `json:"price"`
	Tags  []string `json:"tags"`
	Text  string   `json:"text"`
}

func hello(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, "hello\n")
}

func items(w http.ResponseWriter, r *http.Request) {
	page := number(r, "page", 0)
	list := make([]item, 20)
	for i := range list {
		id := page*20 + i
		list[i] = item{id, fmt.Sprint("item ", id), id * 37 % 1000, []string{"red", "large", "new"},
			"a short text that describes this item in a few words"}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"page": page, "items": list})
}

func echo(w http.ResponseWriter, r *http.Request) {
	var body any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}

func busy(w http.ResponseWriter, r *http.Request) {
	timed(lastSegment(r), time.Duration(number(r, "us", 1000))*time.Microsecond)
	io.WriteString(w, "busy\n")
}

func sleep(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Duration(number(r, "ms", 20)) * time.Millisecond)
	io.WriteString(w, "slept\n")
}

func large(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, number(r, "kb", 1024)*1024)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

var downstream = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func db(w http.ResponseWriter, r *http.Request) {
	reply, err := downstream.Get("http://" + os.Getenv("DOWNSTREAM") + "/row/" + lastSegment(r))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	io.Copy(io.Discard, reply.Body)
	reply.Body.Close()
	io.WriteString(w, `{"rows":1}`)
}

// lastSegment returns ID of /route/ID, "" of /route.
func lastSegment(r *http.Request) string {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 2)
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

func number(r *http.Request, key string, otherwise int) int {
	if n, err := strconv.Atoi(r.URL.Query().Get(key)); err == nil && n >= 0 {
		return n
	}
	return otherwise
}

func exitOnTerm() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	<-signals
	writeHandlerLog(os.Getenv("HANDLER_LOG"))
	os.Exit(0)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: http PORT")
		os.Exit(2)
	}
	for route, handler := range map[string]http.HandlerFunc{
		"/hello": hello, "/items": items, "/echo": echo, "/sleep": sleep, "/large": large,
		"/busy": busy, "/busy/": busy, "/db": db, "/db/": db, "/health": hello, "/health/": hello,
	} {
		http.HandleFunc(route, handler)
	}
	go exitOnTerm()
	listener, err := listen(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("READY", os.Args[1])
	http.Serve(listener, nil)
}
