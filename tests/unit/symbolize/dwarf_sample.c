/* A function with a call that the compiler puts into it. The tests look for the marked lines. */
#include <stdio.h>

volatile int sink;

static inline __attribute__((always_inline)) int inlined_step(int x)
{
	sink = x * 7; /* inlined line */
	return sink ^ x;
}

__attribute__((noinline)) int holds_the_call(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += inlined_step(i); /* call line */
	return sum + sink;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", holds_the_call(argc));
	return 0;
}
