"""Guests with other kernels, and what is asked of srvprof in them."""
