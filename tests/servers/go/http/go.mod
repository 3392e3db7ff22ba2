module srvprof.test/http

go 1.19
