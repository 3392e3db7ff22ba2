/* A program whose functions the tests look for: global, local, weak, aliased, in assembly. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int sample_data = 3;

int sample_global(int x) { return x * 3 + sample_data; }
static __attribute__((noinline)) int sample_local(int x) { return x ^ sample_global(x); }
__attribute__((weak)) int sample_weak(int x) { return x + 5; }
int __sample_alias(int x) __attribute__((alias("sample_weak")));

/* No size and no type, as much hand-written assembly: not taken for a function. */
__asm__(".text\n.globl sample_label\nsample_label:\n  nop\n");
/* A type but no size: reaches to the next symbol. */
__asm__(".text\n.globl sample_unsized\n.type sample_unsized,@function\nsample_unsized:\n"
	"  nop\n  nop\n  nop\n  ret\n");
/* A function with a smaller one inside. */
__asm__(".text\n.globl sample_outer\n.type sample_outer,@function\nsample_outer:\n  nop\n  nop\n"
	".globl sample_inner\n.type sample_inner,@function\nsample_inner:\n  nop\n"
	".size sample_inner,.-sample_inner\n  nop\n  nop\n.size sample_outer,.-sample_outer\n");

/* Known by the text that it prints. */
__attribute__((noinline, aligned(16))) int sample_complaint(void)
{
	return puts("the sample complains of a large number");
}

/* A USDT probe as <sys/sdt.h> makes it, with arguments that are not there. */
__attribute__((noinline)) int sample_marked(int x)
{
	__asm__ volatile("990: nop\n"
		".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"
		".4byte 992f-991f,994f-993f,3\n"
		"991: .asciz \"stapsdt\"\n992: .balign 4\n"
		"993: .8byte 990b\n.8byte 0\n.8byte 0\n"
		".asciz \"sample\"\n.asciz \"marked\"\n.asciz \"-4@%edi 8@-16(%rbp)\"\n"
		"994: .balign 4\n.popsection\n");
	return x + 1;
}

/* With an argument: stays alive until its standard input ends, for tests that look at a process. */
int main(int argc, char **argv)
{
	char byte;

	(void)argv;
	printf("%d\n", sample_local(argc) + sample_weak(argc) +
	       (argc > 1000 ? sample_complaint() : 0) + sample_marked(argc));
	fflush(stdout);
	while (argc > 1 && read(0, &byte, 1) > 0)
		continue;
	return 0;
}
