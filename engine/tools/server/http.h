// Parses request heads and decides which clients may load the page or open the socket. Pure functions.
//
// A request must be a GET, address this machine (Host), come from the page itself (Origin, if a browser sends it), and
// carry the token as the first part of its path: /TOKEN/socket opens the WebSocket, /TOKEN/… are the page's files.
#ifndef SHOAL_SERVER_HTTP_H
#define SHOAL_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_BYTES 8192u // maximum size of a request head; longer heads are rejected
#define HTTP_TOKEN_BYTES 33u  // 32 hexadecimal digits and '\0'
#define HTTP_ACCEPT_BYTES 29u

typedef enum http_kind_t {
  HTTP_REJECTED,
  HTTP_FILE,
  HTTP_SOCKET,
  HTTP_REDIRECT // /TOKEN without the trailing slash
} http_kind_t;

typedef struct http_request_t {
  http_kind_t kind;
  uint32_t status;                // HTTP status if rejected, such as 400, 403 or 405
  const char *reason;             // reason for a rejection, shown to the client
  char path[128];                 // FILE: path below the page's folder; "" for the page itself
  char accept[HTTP_ACCEPT_BYTES]; // SOCKET: value of Sec-WebSocket-Accept
} http_request_t;

// Returns the offset at which the head ends, after its empty line, or 0 if the head is incomplete.
size_t http_find_head_end(const char *bytes, size_t count);
// Parses and checks a complete request head. Sets `out->kind`, and for a rejected request the status and the reason.
void http_parse_request(const char *head, size_t bytes, uint16_t port, const char *token, http_request_t *out);
// Returns the content type for the file's extension, such as "text/html; charset=utf-8".
const char *http_get_content_type(const char *path);
// Like http_get_content_type, but for an asset of a game. Returns "application/octet-stream" unless the asset is an
// image or a sound, so that browsers neither show assets as pages nor run them.
const char *http_get_asset_content_type(const char *path);
// Writes the Sec-WebSocket-Accept value for a key (RFC 6455).
void http_compute_accept_key(const char *key, size_t bytes, char *out);

#endif
