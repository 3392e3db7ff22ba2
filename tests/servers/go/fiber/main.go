// Command fiber is a test server on Fiber (fasthttp): GET /hello, GET /users, POST /echo.
//
//	fiber PORT
package main

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/gofiber/fiber/v2"
)

type user struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func users(c *fiber.Ctx) error {
	list := make([]user, 40)
	for i := range list {
		list[i] = user{i, fmt.Sprint("user ", i)}
	}
	return c.JSON(list)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fiber PORT")
		os.Exit(2)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/hello", func(c *fiber.Ctx) error { return c.SendString("hello\n") })
	app.Get("/users", users)
	app.Post("/echo", func(c *fiber.Ctx) error { return c.Send(c.Body()) })

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		os.Exit(0)
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("READY", os.Args[1])
	if err := app.Listener(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
