module srvprof.test/gc

go 1.19
