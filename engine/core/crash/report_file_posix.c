// Crash report files on POSIX systems: unbuffered file descriptors.
#include "crash/report_file.h"

#include <fcntl.h>
#include <unistd.h>

int report_file_open(const char *path, bool is_new) {
  // With O_NONBLOCK, opening a FIFO fails instead of blocking.
  return open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (is_new ? O_CREAT | O_TRUNC : O_APPEND), 0666);
}

bool report_file_write(int file, const char *text, size_t bytes) {
  return write(file, text, bytes) >= 0;
}
