// A program that links enough of the standard library to have all kinds of functions: inlined ones,
// generic ones, closures, methods.
package main

import (
	"fmt"
	"net/http"
	"sort"
	"strings"
)

type number interface{ ~int | ~float64 }

//go:noinline
func largest[T number](values []T) T {
	var m T
	for _, v := range values {
		if v > m {
			m = v
		}
	}
	return m
}

//go:noinline
func work(n int) int {
	total := 0
	for i := 0; i < n; i++ {
		total += strings.Count("abcabc", "b")
	}
	return total
}

func main() {
	names := []string{"b", "a"}
	sort.Slice(names, func(i, j int) bool { return names[i] < names[j] })
	fmt.Println(largest([]int{1, 3, 2}), largest([]float64{1.5}), work(10), http.StatusText(200))
}
