// prio NICE COMMAND...: runs a command with this nice value.
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3 || setpriority(PRIO_PROCESS, 0, atoi(argv[1])) != 0)
		return 1;
	execvp(argv[2], argv + 2);
	return 127;
}
