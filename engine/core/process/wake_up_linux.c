// Wake-up objects on Linux: event counters of the kernel (eventfd).
#include "process/wake_up.h"

#include "base/assert.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

wait_handle_t wake_up_create(void) {
  return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void wake_up_destroy(wait_handle_t handle) {
  if (handle != WAIT_NONE)
    close((int)handle);
}

void wake_up_set(wait_handle_t handle) {
  const uint64_t increment = 1;
  if (write((int)handle, &increment, sizeof increment) < 0)
    shoal_assert(errno == EAGAIN, "cannot set wake-up object %d: %s", (int)handle, strerror(errno));
}

void wake_up_clear(wait_handle_t handle) {
  uint64_t count;
  if (read((int)handle, &count, sizeof count) < 0)
    shoal_assert(errno == EAGAIN || errno == EINTR, "cannot clear wake-up object %d: %s", (int)handle, strerror(errno));
}
