// Command-line client. Blocks until each answer arrives or times out. Reads a game's link from a file that only this
// user can read.
#include "cockpit/client.h"

#include "base/error.h"
#include "base/folder_reader.h"
#include "base/standard_streams.h"
#include "base/system_random.h"
#include "base/user_folders.h"
#include "base/utf8.h"
#include "link/socket.h"
#include "server/http.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wslay/wslay.h>

#define ANSWER_TIMEOUT_MS 30000 // time without data after which a request fails
#define MAX_COLUMN_WIDTH 60u

typedef struct client_t {
  wait_handle_t socket;
  wslay_event_context_ptr websocket;
  json_t *answer; // received answer; NULL until it arrives
  bool disconnected;
  bool all_rows; // true if answers may have any number of rows (--all)
  unsigned last_id;
} client_t;

// --- connecting

// Lists the ports that have a link file, for error messages: " (known ports: 7700, 7701)".
static const char *list_ports(const char *folder, char *out, size_t bytes) {
  folder_reader_o *reader = folder_reader_open(folder);
  size_t used = 0;
  out[0] = '\0';
  for (const char *name; reader && (name = folder_reader_next(reader, NULL)) != NULL;)
    if (isdigit((unsigned char)name[0]) && used + 8 < bytes)
      used += (size_t)snprintf(out + used, bytes - used, "%s%.5s", used ? ", " : " (known ports: ", name);
  folder_reader_close(reader);
  if (used)
    snprintf(out + used, bytes - used, ")");
  return out;
}

static bool read_token(unsigned port, char *token, error_info_t *error) {
  char folder[400], path[420], link[160] = "", ports[128], pattern[48];
  user_folder_runtime(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/%u", folder, port);
  FILE *file = fopen(path, "r");
  bool ok = file && fgets(link, sizeof link, file);
  if (file)
    fclose(file);
  snprintf(pattern, sizeof pattern, "http://127.0.0.1:%u/%%32[0-9a-f]", port);
  if (ok && sscanf(link, pattern, token) == 1)
    return true;
  return error_set(error, "no game of this user has a cockpit on port %u%s: start the game with --cockpit", port,
                   list_ports(folder, ports, sizeof ports));
}

static ssize_t on_read(wslay_event_context_ptr websocket, uint8_t *out, size_t bytes, int flags, void *context) {
  client_t *c = context;
  (void)flags;
  if (c->answer) { // later data belongs to the next query
    wslay_event_set_error(websocket, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  ptrdiff_t count = socket_receive(c->socket, out, bytes);
  if (count > 0)
    return count;
  c->disconnected = count < 0;
  wslay_event_set_error(websocket, c->disconnected ? WSLAY_ERR_CALLBACK_FAILURE : WSLAY_ERR_WOULDBLOCK);
  return -1;
}

static ssize_t on_write(wslay_event_context_ptr websocket, const uint8_t *bytes, size_t count, int flags,
                        void *context) {
  client_t *c = context;
  (void)flags;
  ptrdiff_t sent = socket_send(c->socket, bytes, count);
  if (sent <= 0)
    wslay_event_set_error(websocket, WSLAY_ERR_CALLBACK_FAILURE);
  return sent > 0 ? sent : -1;
}

static int on_generate_mask(wslay_event_context_ptr websocket, uint8_t *out, size_t bytes, void *context) {
  (void)websocket, (void)context;
  return system_random(out, bytes) ? 0 : -1;
}

static void on_message(wslay_event_context_ptr websocket, const struct wslay_event_on_msg_recv_arg *event,
                       void *context) {
  client_t *c = context;
  (void)websocket;
  if (event->opcode == WSLAY_TEXT_FRAME && !c->answer)
    c->answer = json_loadb((const char *)event->msg, event->msg_length, 0, NULL);
}

// Reads the head of the HTTP response, up to and including the empty line, byte by byte, because WebSocket frames
// follow.
static bool read_response_head(wait_handle_t socket, char *out, size_t bytes) {
  size_t length = 0;
  while (length + 1 < bytes && socket_receive(socket, out + length, 1) == 1) {
    out[++length] = '\0';
    if (length >= 4 && memcmp(out + length - 4, "\r\n\r\n", 4) == 0)
      return true;
  }
  return false;
}

static bool perform_handshake(client_t *c, unsigned port, const char *token, error_info_t *error) {
  char buffer[2048];
  int length = snprintf(buffer, sizeof buffer,
                        "GET /%s/socket HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Key: c2hvYWwgYXNrcyBhIGdhbQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                        token, port);
  if (socket_send(c->socket, buffer, (size_t)length) != length || !read_response_head(c->socket, buffer, sizeof buffer))
    return error_set(error, "the game on port %u does not respond: check that the game still runs", port);
  if (strncmp(buffer, "HTTP/1.1 101 ", 13) != 0)
    return error_set(error, "the game on port %u refused the connection: %.40s", port, buffer + 9);
  return true;
}

static bool connect_to_cockpit(client_t *c, unsigned port, error_info_t *error) {
  static const struct wslay_event_callbacks callbacks = {.recv_callback = on_read,
                                                         .send_callback = on_write,
                                                         .genmask_callback = on_generate_mask,
                                                         .on_msg_recv_callback = on_message};
  char token[HTTP_TOKEN_BYTES];
  if (!read_token(port, token, error))
    return false;
  c->socket = socket_connect_local((uint16_t)port, ANSWER_TIMEOUT_MS);
  if (c->socket == WAIT_NONE)
    return error_set(error, "no game is listening on port %u: start the game again with --cockpit", port);
  return perform_handshake(c, port, token, error) && wslay_event_context_client_init(&c->websocket, &callbacks, c) == 0;
}

static void close_connection(client_t *c) {
  if (c->websocket)
    wslay_event_context_free(c->websocket);
  socket_close(c->socket);
}

// Sends a request and waits for its answer, which the caller releases. Returns the answer, or NULL with an error.
static json_t *send_request(client_t *c, const char *action, const char *text, error_info_t *error) {
  json_t *message =
      json_pack("{s:i,s:s,s:s,s:b}", "id", (int)++c->last_id, "do", action, "text", text, "all", c->all_rows);
  char *bytes = message ? json_dumps(message, JSON_COMPACT) : NULL;
  json_decref(message);
  if (!bytes) {
    error_set(error, "the query must be valid UTF-8");
    return NULL;
  }
  struct wslay_event_msg websocket_message = {WSLAY_TEXT_FRAME, (const uint8_t *)bytes, strlen(bytes)};
  c->answer = NULL;
  bool ok = wslay_event_queue_msg(c->websocket, &websocket_message) == 0 && wslay_event_send(c->websocket) == 0;
  free(bytes);
  while (ok && !c->answer && !c->disconnected) {
    ok = wslay_event_recv(c->websocket) == 0 && wslay_event_get_read_enabled(c->websocket);
    if (ok && !c->answer && !c->disconnected)
      break; // the request has timed out
  }
  if (!c->answer)
    error_set(error, c->disconnected || !ok ? "the game closed the connection: check that the game still runs"
                                            : "the game does not respond: check that the game still runs");
  return c->answer;
}

// --- printing

static void format_cell(const json_t *value, char *out, size_t bytes) {
  char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
  snprintf(out, bytes, "%s", json_is_null(value) ? "NULL" : text ? text : json_string_value(value));
  free(text);
  for (char *p = out; *p; ++p)
    *p = (unsigned char)*p < 32 ? ' ' : *p;
}

static void print_cell(const json_t *value, size_t width, bool last) {
  char text[1024];
  format_cell(value, text, sizeof text);
  size_t padding = utf8_count_characters(text) < width ? width - utf8_count_characters(text) : 0;
  if (json_is_number(value))
    printf("%*s%s", (int)padding, "", text);
  else
    printf("%s%*s", text, last ? 0 : (int)padding, "");
  fputs(last ? "\n" : "  ", stdout);
}

static void print_table(const json_t *columns, const json_t *rows) {
  size_t count = json_array_size(columns), i, k;
  size_t *widths = calloc(count + 1, sizeof *widths);
  json_t *row, *value;
  char text[1024];
  for (i = 0; widths && i < count; ++i)
    widths[i] = utf8_count_characters(json_string_value(json_array_get(columns, i)));
  json_array_foreach(rows, i, row) json_array_foreach(row, k, value) {
    format_cell(value, text, sizeof text);
    if (widths && k < count && utf8_count_characters(text) > widths[k])
      widths[k] = utf8_count_characters(text) < MAX_COLUMN_WIDTH ? utf8_count_characters(text) : MAX_COLUMN_WIDTH;
  }
  for (i = 0; widths && i < count; ++i)
    print_cell(json_array_get(columns, i), widths[i], i + 1 == count);
  for (i = 0; widths && i < count; ++i)
    for (k = 0; k < widths[i] + 2; ++k)
      fputs(k < widths[i] ? "-" : i + 1 == count ? "" : " ", stdout);
  puts("");
  json_array_foreach(rows, i, row) json_array_foreach(row, k, value)
      print_cell(value, widths ? widths[k] : 0, k + 1 == count);
  free(widths);
}

// Prints the answer. Returns true if the request succeeded.
static bool print_response(const json_t *answer) {
  const json_t *result = json_object_get(answer, "result"), *columns = json_object_get(answer, "columns");
  const char *failure = json_string_value(json_object_get(answer, "error"));
  const char *output = json_string_value(json_object_get(answer, "printed"));
  if (output)
    puts(output);
  if (failure)
    fprintf(stderr, "shoal: %s\n", failure);
  else if (columns)
    print_table(columns, json_object_get(answer, "rows"));
  else if (json_string_length(result) > 0)
    puts(json_string_value(result));
  if (json_is_true(json_object_get(answer, "more")))
    fprintf(stderr, "shoal: only the first %zu rows are shown: use ask PORT --all \"SELECT …\"\n",
            json_array_size(json_object_get(answer, "rows")));
  fflush(stdout);
  return !failure;
}

// --- command line

static bool begins_with_word(const char *text, const char *word) {
  size_t count = strlen(word);
  return strncasecmp(text, word, count) == 0 && !isalnum((unsigned char)text[count]) && text[count] != '_';
}

static bool is_sql(const char *line) {
  static const char *const keywords[] = {"select", "with",    "insert",  "update",
                                         "delete", "replace", "explain", "values"};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; ++i)
    if (begins_with_word(line, keywords[i]))
      return true;
  return false;
}

static int print_error(const error_info_t *error) {
  fprintf(stderr, "shoal: %s\n", error->text);
  return 2;
}

static int run_query(client_t *c, const char *text, error_info_t *error) {
  json_t *answer = send_request(c, is_sql(text + strspn(text, " \t\r\n(")) ? "sql" : "console", text, error);
  if (!answer)
    return print_error(error);
  bool ok = print_response(answer);
  json_decref(answer);
  return ok ? 0 : 1;
}

static int run_console(client_t *c, error_info_t *error) {
  char line[65536];
  bool is_interactive = standard_input_is_terminal();
  int exit_code = 0;
  if (is_interactive)
    puts("Enter a command, SQL or Lua to run between two ticks, “help” to list the commands, Ctrl+D to exit.");
  for (;;) {
    if (is_interactive) {
      fputs("> ", stdout);
      fflush(stdout);
    }
    if (!fgets(line, sizeof line, stdin))
      return exit_code;
    line[strcspn(line, "\n")] = '\0';
    exit_code = line[strspn(line, " \t\r")] ? run_query(c, line, error) : exit_code;
    if (exit_code == 2)
      return exit_code;
  }
}

bool client_run_command(int argc, char **argv, int *exit_code) {
  bool is_query = argc > 1 && strcmp(argv[1], "ask") == 0, is_attach = argc > 1 && strcmp(argv[1], "attach") == 0;
  if (!is_query && !is_attach)
    return false;
  client_t c = {.socket = WAIT_NONE};
  for (int i = 2; is_query && i < argc && !c.all_rows; ++i) {
    c.all_rows = strcmp(argv[i], "--all") == 0;
    if (c.all_rows)
      memmove(&argv[i], &argv[i + 1], (size_t)(--argc - i) * sizeof *argv);
  }
  error_info_t error = {0};
  char *end = NULL;
  unsigned long port = argc > 2 ? strtoul(argv[2], &end, 10) : 0;
  *exit_code = 2;
  if (argc != (is_query ? 4 : 3) || !end || *end || port == 0 || port > UINT16_MAX)
    error_set(&error, is_query ? "expected the port of a running game and a query: ask PORT [--all] \"SELECT …\""
                               : "expected the port of a running game: attach PORT");
  else if (connect_to_cockpit(&c, (unsigned)port, &error))
    *exit_code = is_query ? run_query(&c, argv[3], &error) : run_console(&c, &error);
  if (!c.websocket)
    print_error(&error);
  close_connection(&c);
  return true;
}
