// Waits with WSAPoll. All handles are sockets: wake-up objects and the pipes of services are pairs of connected
// sockets.
#include "process/wait.h"

#include "base/assert.h"

#include <errno.h>
#include <stdbool.h>
#include <winsock2.h>
#include <windows.h>

#define US_PER_MS 1000

static int to_timeout_ms(int64_t timeout_us) {
  int64_t ms = (timeout_us + US_PER_MS - 1) / US_PER_MS;
  return timeout_us < 0 ? -1 : ms > INT32_MAX ? INT32_MAX : (int)ms;
}

// Marks the handles that are not open, after a failure of WSAPoll.
static void mark_closed(WSAPOLLFD *polled, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    int kind, bytes = sizeof kind;
    bool is_closed =
        (intptr_t)polled[i].fd >= 0 && getsockopt(polled[i].fd, SOL_SOCKET, SO_TYPE, (char *)&kind, &bytes) != 0;
    polled[i].revents = is_closed ? POLLNVAL : 0;
  }
}

// WSAPoll rejects an array without any socket; this thread then sleeps.
int wait_for_any(wait_t *handles, uint32_t count, int64_t timeout_us) {
  WSAPOLLFD polled[WAIT_MAX_HANDLES];
  shoal_assert(count <= WAIT_MAX_HANDLES, "cannot wait for %u handles (at most %u)", count, WAIT_MAX_HANDLES);
  bool has_socket = false;
  for (uint32_t i = 0; i < count; ++i) {
    int events =
        (handles[i].requested & WAIT_READ ? POLLRDNORM : 0) | (handles[i].requested & WAIT_WRITE ? POLLWRNORM : 0);
    polled[i] = (WSAPOLLFD){.fd = (SOCKET)handles[i].handle, .events = (SHORT)events};
    handles[i].ready = 0;
    has_socket |= handles[i].handle >= 0; // WSAPoll ignores negative handles
  }
  if (!has_socket) {
    Sleep(timeout_us < 0 ? INFINITE : (DWORD)to_timeout_ms(timeout_us));
    return 0;
  }
  int result = WSAPoll(polled, count, to_timeout_ms(timeout_us)), ready = 0;
  if (result < 0)
    mark_closed(polled, count);
  for (uint32_t i = 0; i < count; ++i) {
    // For a stream that has ended, Windows reports POLLHUP instead of POLLRDNORM.
    short events = polled[i].revents;
    if (events & POLLHUP && handles[i].requested & WAIT_READ)
      events |= POLLRDNORM;
    handles[i].ready =
        (uint8_t)((events & POLLRDNORM ? WAIT_READ : 0) | (events & POLLWRNORM ? WAIT_WRITE : 0) |
                  (events & POLLHUP ? WAIT_END : 0) | (events & (POLLERR | POLLNVAL) ? WAIT_FAILURE : 0));
    ready += handles[i].ready != 0;
  }
  if (result >= 0 || ready > 0)
    return ready;
  errno = EINVAL;
  return -1;
}

uint8_t wait_for(wait_handle_t handle, uint8_t requested, int64_t timeout_us) {
  wait_t one = {.handle = handle, .requested = requested};
  return wait_for_any(&one, 1, timeout_us) > 0 ? one.ready : 0;
}
