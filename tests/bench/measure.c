// measure COMMAND…: runs a command, passes its output on, and prints the CPU time in milliseconds of its process and of
// its main thread alone (0 if the system does not provide it), and its peak resident memory in KiB. Exits with the
// command's status.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// /proc still lists the main thread of a process that has ended but has not been waited for.
static double main_thread_ms(pid_t process) {
  char path[64];
  unsigned long long ns = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)process, (int)process);
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  if (fscanf(file, "%llu", &ns) != 1)
    ns = 0;
  fclose(file);
  return (double)ns / 1e6;
}

static double milliseconds(struct timeval t) {
  return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return fprintf(stderr, "usage: measure COMMAND...\n"), 2;
  pid_t process = fork();
  if (process == 0) {
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  siginfo_t ended;
  while (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR)
      return perror("measure"), 1;
  double main_ms = main_thread_ms(process);
  struct rusage used;
  int status = 0;
  if (wait4(process, &status, 0, &used) < 0)
    return perror("measure"), 1;
  printf("value process %.6f\n", milliseconds(used.ru_utime) + milliseconds(used.ru_stime));
  printf("value main %.6f\n", main_ms);
  printf("value peak %ld\n", used.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
