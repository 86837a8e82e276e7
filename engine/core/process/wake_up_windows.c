// Wake-up objects on Windows: UDP sockets that are connected to themselves, because WSAPoll waits only for sockets. A
// set object has a datagram in its buffer. Only the socket's own address can send to it, so no other program can.
#include "process/wake_up.h"

#include "base/assert.h"

#include <errno.h>
#include <stdbool.h>
#include <winsock2.h>
#include <windows.h>

#define VERSION MAKEWORD(2, 2)

// Returns true on success, or false if Windows cannot bind or connect the socket.
static bool connect_to_itself(SOCKET socket) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int bytes = sizeof address;
  u_long is_nonblocking = 1;
  return bind(socket, (struct sockaddr *)&address, bytes) == 0 &&
         getsockname(socket, (struct sockaddr *)&address, &bytes) == 0 &&
         connect(socket, (struct sockaddr *)&address, bytes) == 0 &&
         ioctlsocket(socket, (long)FIONBIO, &is_nonblocking) == 0;
}

wait_handle_t wake_up_create(void) {
  WSADATA data;
  if (WSAStartup(VERSION, &data) != 0) { // counted: each object calls WSACleanup once
    errno = ENOSYS;
    return WAIT_NONE;
  }
  SOCKET socket =
      WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  if (socket != INVALID_SOCKET && connect_to_itself(socket))
    return (wait_handle_t)socket;
  if (socket != INVALID_SOCKET)
    closesocket(socket);
  WSACleanup();
  errno = EMFILE;
  return WAIT_NONE;
}

void wake_up_destroy(wait_handle_t handle) {
  if (handle == WAIT_NONE)
    return;
  closesocket((SOCKET)handle);
  WSACleanup();
}

// If the buffer is full, the object is already set.
void wake_up_set(wait_handle_t handle) {
  if (send((SOCKET)handle, "", 1, 0) < 0)
    shoal_assert(WSAGetLastError() == WSAEWOULDBLOCK || WSAGetLastError() == WSAENOBUFS,
                 "cannot set wake-up object %d: error %d", (int)handle, WSAGetLastError());
}

void wake_up_clear(wait_handle_t handle) {
  char bytes[16];
  while (recv((SOCKET)handle, bytes, sizeof bytes, 0) >= 0) {
  }
  shoal_assert(WSAGetLastError() == WSAEWOULDBLOCK, "cannot clear wake-up object %d: error %d", (int)handle,
               WSAGetLastError());
}
