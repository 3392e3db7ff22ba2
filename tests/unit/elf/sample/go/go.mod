module srvprof.test/gosample

go 1.19
