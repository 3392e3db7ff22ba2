// What late.c loads while it runs: three functions without frame pointers, the innermost with rbp as a scratch
// register, so that only its unwinding table leads out of it.
//   cc -O2 -fomit-frame-pointer -fPIC -shared -o late_part.so late_part.c

unsigned long late_outer(unsigned long n);

__attribute__((noinline)) static unsigned long late_inner(unsigned long n)
{
	unsigned long sum = n, step = n | 1;

	for (unsigned long i = 0; i < n; i++) {
#ifdef __x86_64__
		__asm__ volatile("add %1, %0" : "+r"(sum) : "r"(step) : "rbp", "rbx", "r12", "r13");
#else
		__asm__ volatile("" : "+r"(sum) : "r"(step));
		sum += step;
#endif
	}
	return sum;
}

__attribute__((noinline)) static unsigned long late_middle(unsigned long n)
{
	return late_inner(n) + late_inner(n + 1);
}

unsigned long late_outer(unsigned long n)
{
	return late_middle(n) ^ n;
}
