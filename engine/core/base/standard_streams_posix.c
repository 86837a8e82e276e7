// Standard streams on POSIX systems.
#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

bool standard_input_is_terminal(void) {
  return isatty(STDIN_FILENO);
}

void standard_error_write(const char *text, size_t bytes) {
  ssize_t written = write(STDERR_FILENO, text, bytes);
  (void)written; // the failure cannot be reported
}

void standard_error_silence(void) {
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
}
