// Parses and checks HTTP request heads. Requests may come from any process on this machine and from any page in a
// browser, so everything unexpected is rejected.
#include "server/http.h"

#include "base/assert.h"
#include "base/base64.h"

#include <sha1.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void http_compute_accept_key(const char *key, size_t bytes, char *out) {
  shoal_assert(key && out, "key and out must not be NULL");
  static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // constant from RFC 6455, section 1.3
  uint8_t hash[SHA1_DIGEST_LENGTH];
  SHA1_CTX sha;
  SHA1Init(&sha);
  SHA1Update(&sha, (const uint8_t *)key, bytes);
  SHA1Update(&sha, (const uint8_t *)guid, sizeof guid - 1);
  SHA1Final(hash, &sha);
  out[base64_encode(hash, sizeof hash, out)] = '\0';
}

// --- request head

typedef struct slice_t {
  const char *text;
  size_t bytes;
} slice_t;

size_t http_find_head_end(const char *bytes, size_t count) {
  for (size_t i = 3; i < count; ++i)
    if (memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0)
      return i + 1;
  return 0;
}

static bool equals_ignoring_case(slice_t slice, const char *expected) {
  return slice.bytes == strlen(expected) && strncasecmp(slice.text, expected, slice.bytes) == 0;
}

static bool reject_request(http_request_t *out, uint32_t status, const char *reason) {
  out->kind = HTTP_REJECTED;
  out->status = status;
  out->reason = reason;
  return false;
}

static slice_t trim_blanks(slice_t slice) {
  while (slice.bytes > 0 && (*slice.text == ' ' || *slice.text == '\t'))
    slice.text++, slice.bytes--;
  while (slice.bytes > 0 && (slice.text[slice.bytes - 1] == ' ' || slice.text[slice.bytes - 1] == '\t'))
    slice.bytes--;
  return slice;
}

// Returns the value of a header field. The `text` of the result is NULL if the field is missing. If the field occurs
// twice, returns "\n", which matches no value.
static slice_t find_header(const char *head, size_t bytes, const char *name) {
  slice_t value = {NULL, 0};
  const char *end = head + bytes, *line = memchr(head, '\n', bytes);
  while (line && line + 1 < end) {
    const char *begin = line + 1, *colon;
    line = memchr(begin, '\n', (size_t)(end - begin));
    size_t count = (size_t)((line ? line : end) - begin);
    count -= count > 0 && begin[count - 1] == '\r';
    colon = memchr(begin, ':', count);
    if (!colon || !equals_ignoring_case((slice_t){begin, (size_t)(colon - begin)}, name))
      continue;
    if (value.text)
      return (slice_t){"\n", 1};
    value = trim_blanks((slice_t){colon + 1, count - (size_t)(colon + 1 - begin)});
  }
  return value;
}

static bool is_local_host(slice_t host, uint16_t port) {
  static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
  char text[32];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    snprintf(text, sizeof text, "%s:%u", names[i], port);
    if (equals_ignoring_case(host, text))
      return true;
  }
  return false;
}

// Returns true if the path starts with the token. Takes the same time for all wrong tokens of the same length.
static bool starts_with_token(const char *path, size_t bytes, const char *token) {
  size_t count = strlen(token);
  unsigned differs = bytes < count;
  for (size_t i = 0; i < count && i < bytes; ++i)
    differs |= (unsigned char)path[i] ^ (unsigned char)token[i];
  return count > 0 && differs == 0;
}

static bool parse_path(slice_t path, http_request_t *out) {
  bool ok = path.bytes < sizeof out->path;
  for (size_t i = 0; ok && i < path.bytes; ++i) {
    char ch = path.text[i];
    bool is_letter =
        (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '-';
    bool is_separator = (ch == '.' || ch == '/') && i > 0 && path.text[i - 1] != '.' && path.text[i - 1] != '/';
    ok = is_letter || is_separator;
  }
  if (!ok)
    return reject_request(out, 404, "file not found");
  memcpy(out->path, path.text, path.bytes);
  out->path[path.bytes] = '\0';
  return true;
}

static bool check_origin(const char *head, size_t bytes, uint16_t port, http_request_t *out) {
  slice_t origin = find_header(head, bytes, "Origin");
  static const char scheme[] = "http://";
  size_t count = sizeof scheme - 1;
  // The client is not a browser, or it is a browser that sends a plain GET request, which has no Origin. In both cases,
  // only the token authorizes the request.
  if (!origin.text)
    return true;
  if (origin.bytes > count && strncasecmp(origin.text, scheme, count) == 0 &&
      is_local_host((slice_t){origin.text + count, origin.bytes - count}, port))
    return true;
  return reject_request(
      out, 403, "requests from other origins are refused: open the cockpit with the link that the game printed");
}

static bool check_websocket_handshake(const char *head, size_t bytes, http_request_t *out) {
  slice_t key = find_header(head, bytes, "Sec-WebSocket-Key"),
          version = find_header(head, bytes, "Sec-WebSocket-Version");
  slice_t upgrade = find_header(head, bytes, "Upgrade");
  if (!equals_ignoring_case(upgrade, "websocket") || key.bytes != 24)
    return reject_request(out, 400, "expected a WebSocket handshake with the headers Upgrade and Sec-WebSocket-Key");
  if (!equals_ignoring_case(version, "13"))
    return reject_request(out, 426, "WebSocket version must be 13");
  out->kind = HTTP_SOCKET;
  http_compute_accept_key(key.text, key.bytes, out->accept);
  return true;
}

void http_parse_request(const char *head, size_t bytes, uint16_t port, const char *token, http_request_t *out) {
  *out = (http_request_t){.kind = HTTP_REJECTED};
  shoal_assert(http_find_head_end(head, bytes) == bytes, "the request head of %zu bytes is incomplete", bytes);
  const char *line_end = memchr(head, '\r', bytes);
  const char *begin = memchr(head, ' ', bytes);
  const char *end =
      begin && line_end && begin < line_end ? memchr(begin + 1, ' ', (size_t)(line_end - begin - 1)) : NULL;
  slice_t path = {begin ? begin + 1 : NULL, end ? (size_t)(end - begin - 1) : 0};
  if (!end || path.bytes == 0 || path.text[0] != '/' || strncmp(end, " HTTP/1.", 8) != 0) {
    reject_request(out, 400, "expected an HTTP/1.1 request");
    return;
  }
  if (!equals_ignoring_case((slice_t){head, (size_t)(begin - head)}, "GET")) {
    reject_request(out, 405, "only GET is supported");
    return;
  }
  if (!is_local_host(find_header(head, bytes, "Host"), port)) {
    reject_request(out, 403, "the Host header must name this machine: use the link that the game printed");
    return;
  }
  if (!check_origin(head, bytes, port, out))
    return;
  const char *query = memchr(path.text, '?', path.bytes);
  path.bytes = query ? (size_t)(query - path.text) : path.bytes;
  size_t count = strlen(token);
  if (!starts_with_token(path.text + 1, path.bytes - 1, token) ||
      (path.bytes > count + 1 && path.text[count + 1] != '/')) {
    reject_request(out, 403,
                   "the token is missing or wrong: use the link that the game printed, or press F1 and then Ctrl+B in "
                   "the game's window");
    return;
  }
  out->kind = path.bytes == count + 1 ? HTTP_REDIRECT : HTTP_FILE;
  if (out->kind == HTTP_FILE && parse_path((slice_t){path.text + count + 2, path.bytes - count - 2}, out) &&
      strcmp(out->path, "socket") == 0)
    check_websocket_handshake(head, bytes, out);
}

const char *http_get_asset_content_type(const char *path) {
  const char *type = http_get_content_type(path);
  return strncmp(type, "image/", 6) == 0 || strncmp(type, "audio/", 6) == 0 ? type : "application/octet-stream";
}

const char *http_get_content_type(const char *path) {
  static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                         {".js", "text/javascript; charset=utf-8"},
                                         {".css", "text/css; charset=utf-8"},
                                         {".svg", "image/svg+xml"},
                                         {".png", "image/png"},
                                         {".jpg", "image/jpeg"},
                                         {".ogg", "audio/ogg"},
                                         {".wav", "audio/wav"},
                                         {".mp3", "audio/mpeg"},
                                         {".flac", "audio/flac"},
                                         {".json", "application/json"}};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof types / sizeof *types; ++i)
    if (strcmp(dot, types[i][0]) == 0)
      return types[i][1];
  return "application/octet-stream";
}
