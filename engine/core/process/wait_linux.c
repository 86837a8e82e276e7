// Waits with ppoll, whose time limit is not rounded to milliseconds.
#include "process/wait.h"

#include "base/assert.h"

#include <poll.h>
#include <time.h>

int wait_for_any(wait_t *handles, uint32_t count, int64_t timeout_us) {
  struct pollfd polled[WAIT_MAX_HANDLES];
  struct timespec timeout = {.tv_sec = timeout_us / 1000000, .tv_nsec = timeout_us % 1000000 * 1000};
  shoal_assert(count <= WAIT_MAX_HANDLES, "cannot wait for %u handles (at most %u)", count, WAIT_MAX_HANDLES);
  for (uint32_t i = 0; i < count; ++i) {
    int events = (handles[i].requested & WAIT_READ ? POLLIN : 0) | (handles[i].requested & WAIT_WRITE ? POLLOUT : 0);
    polled[i] = (struct pollfd){.fd = (int)handles[i].handle, .events = (short)events};
    handles[i].ready = 0;
  }
  int ready = ppoll(polled, count, timeout_us < 0 ? NULL : &timeout, NULL);
  for (uint32_t i = 0; i < count && ready > 0; ++i) {
    short events = polled[i].revents;
    handles[i].ready =
        (uint8_t)((events & POLLIN ? WAIT_READ : 0) | (events & POLLOUT ? WAIT_WRITE : 0) |
                  (events & POLLHUP ? WAIT_END : 0) | (events & (POLLERR | POLLNVAL) ? WAIT_FAILURE : 0));
  }
  return ready;
}

uint8_t wait_for(wait_handle_t handle, uint8_t requested, int64_t timeout_us) {
  wait_t one = {.handle = handle, .requested = requested};
  return wait_for_any(&one, 1, timeout_us) > 0 ? one.ready : 0;
}
