// The head of a request, read and judged: who may see the page, and who may speak. Pure: bytes in, a verdict out.
//
// Only GET, only of this machine (Host), only from the page itself (Origin, where a browser says one), and only with
// the token, which is the first part of the path: /TOKEN/socket speaks, /TOKEN/… are the page's files.
#ifndef SHOAL_SERVER_HTTP_H
#define SHOAL_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_BYTES 8192u // of a request; more is refused
#define HTTP_TOKEN_BYTES 33u  // 32 hexadecimal digits and '\0'
#define HTTP_ACCEPT_BYTES 29u

// ENTER: /TOKEN without its slash
typedef enum http_kind_t { HTTP_REFUSED, HTTP_FILE, HTTP_SOCKET, HTTP_ENTER } http_kind_t;

typedef struct http_request_t {
  http_kind_t kind;
  uint32_t status;                // of REFUSED: 400, 403, 405, …
  const char *why;                // the sentence
  char path[128];                 // FILE: below the page's folder, "" for the page itself
  char accept[HTTP_ACCEPT_BYTES]; // SOCKET: the answer to its key
} http_request_t;

// How many bytes the head has, its empty line included; 0 when it is not whole yet.
size_t http_head_bytes(const char *bytes, size_t count);
void http_read(const char *head, size_t bytes, uint16_t port, const char *token, http_request_t *out);
// "text/html; charset=utf-8" and so on, by the name's end.
const char *http_type(const char *path);
// The answer to Sec-WebSocket-Key, as RFC 6455 says.
void http_accept_key(const char *key, size_t bytes, char *out);

#endif
