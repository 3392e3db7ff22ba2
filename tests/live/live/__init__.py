"""What the live tests share: servers, loads, faults and access to what srvprof says."""
