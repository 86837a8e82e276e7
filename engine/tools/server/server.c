// The server's thread waits for all connections with one call. One lock guards the data shared with the main thread:
// the inbox, the outbox, the queue lengths of each client, and the folder of the game's assets.
#include "server/server.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/now.h"
#include "link/socket.h"
#include "process/threads.h"
#include "process/wake_up.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <wslay/wslay.h>

#define PATH_BYTES 1024u
#define RESPONSE_MS 10000  // time limit for sending an HTTP response, in milliseconds
#define LINGER_MS 500      // time limit for the peer to close the connection after the response, in milliseconds
#define ROUND_BYTES 65536u // maximum number of bytes read from one connection per round
#define MAX_FILE_BYTES (16u << 20)

typedef enum connection_state_t {
  CONNECTION_READING_HEAD,
  CONNECTION_RESPONDING,
  CONNECTION_LINGERING,
  CONNECTION_WEBSOCKET
} connection_state_t;

typedef struct connection_t {
  server_o *server;
  wait_handle_t socket;
  connection_state_t state;
  int64_t deadline_ms; // time at which the connection is closed; 0: no deadline
  uint64_t number;     // sequence number, in order of arrival
  char head[HTTP_HEAD_BYTES];
  uint32_t head_count, head_read; // indices in the buffer; frames may follow the head
  char *response;
  size_t response_bytes, response_sent; // response_sent: bytes sent so far
  bool must_close;
  // The following members are used only in state CONNECTION_WEBSOCKET.
  wslay_event_context_ptr websocket;
  uint32_t client;
  uint32_t budget; // number of bytes that may still be read in this round
} connection_t;

typedef struct client_t {
  uint32_t number;       // number of the client; 0 if the slot is unused
  uint32_t unread_count; // number of messages that the main thread has not read yet
  size_t queued_bytes;   // bytes that have not been sent to the client yet
  bool must_drop;        // true if the queue of the client was full
} client_t;

typedef struct outgoing_message_t {
  uint32_t client;
  char *text;
  size_t bytes;
} outgoing_message_t;

struct server_o {
  wait_handle_t listener, wake_up; // wake_up: object that wakes the thread
  uint16_t port;
  char token[HTTP_TOKEN_BYTES], folder[PATH_BYTES];
  pthread_t thread;
  connection_t *connections[SERVER_MAX_CONNECTIONS];
  uint32_t connection_count;
  uint32_t last_client;      // number of the client that connected most recently
  uint64_t last_connection;  // number of the most recent connection
  allocator_t thread_memory; // allocator used only by the thread
  allocator_t memory;        // allocator used by server_create and server_destroy
  pthread_mutex_t lock;      // lock of all fields below
  ARRAY(server_message_t) inbox;
  ARRAY(outgoing_message_t) outbox;
  client_t clients[SERVER_MAX_CLIENTS];
  allocator_t shared_memory;
  char assets[PATH_BYTES];
  bool stopping;
  _Atomic uint32_t message_count; // number of messages in the inbox; also read without the lock
};

static int64_t now_ms(void) {
  return now_ns() / NS_PER_MS;
}

static void wake_thread(server_o *server) {
  wake_up_set(server->wake_up);
}

// --- shared state

static client_t *find_client(server_o *server, uint32_t number) {
  for (uint32_t i = 0; i < SERVER_MAX_CLIENTS; ++i)
    if (number > 0 && server->clients[i].number == number)
      return &server->clients[i];
  return NULL;
}

// Adds a message to the inbox. Call with the lock held.
static void post_message(server_o *server, server_message_kind_t kind, uint32_t client, const void *text,
                         size_t bytes) {
  server_message_t message = {.kind = kind, .client = client, .bytes = bytes};
  if (text) {
    message.text = alloc_resize(&server->shared_memory, NULL, 0, bytes + 1);
    memcpy(message.text, text, bytes);
    message.text[bytes] = '\0';
  }
  array_push(&server->shared_memory, &server->inbox, message);
  atomic_store(&server->message_count, server->inbox.count);
}

static bool add_client(server_o *server, connection_t *connection) {
  pthread_mutex_lock(&server->lock);
  client_t *slot = NULL;
  shoal_assert(connection->client == 0, "the connection has already joined");
  for (uint32_t i = 0; i < SERVER_MAX_CLIENTS && !slot; ++i)
    slot = server->clients[i].number == 0 ? &server->clients[i] : NULL;
  if (slot) {
    connection->client = ++server->last_client;
    *slot = (client_t){.number = connection->client};
    post_message(server, SERVER_CONNECTED, connection->client, NULL, 0);
  }
  pthread_mutex_unlock(&server->lock);
  return slot != NULL;
}

static void remove_client(server_o *server, connection_t *connection) {
  pthread_mutex_lock(&server->lock);
  client_t *client = find_client(server, connection->client);
  if (client) {
    *client = (client_t){0};
    post_message(server, SERVER_DISCONNECTED, connection->client, NULL, 0);
  }
  pthread_mutex_unlock(&server->lock);
}

bool server_has_message(const server_o *server) {
  return atomic_load_explicit(&server->message_count, memory_order_relaxed) > 0;
}

bool server_pop_message(server_o *server, server_message_t *out) {
  *out = (server_message_t){SERVER_NONE, 0, NULL, 0};
  if (!server_has_message(server))
    return false;
  pthread_mutex_lock(&server->lock);
  bool was_full = false;
  if (server->inbox.count > 0) {
    *out = server->inbox.items[0];
    memmove(server->inbox.items, server->inbox.items + 1, --server->inbox.count * sizeof *server->inbox.items);
    client_t *client = out->kind == SERVER_TEXT ? find_client(server, out->client) : NULL;
    was_full = client && client->unread_count-- >= SERVER_MAX_UNREAD;
  }
  atomic_store(&server->message_count, server->inbox.count);
  pthread_mutex_unlock(&server->lock);
  if (was_full)
    wake_thread(server);
  return out->kind != SERVER_NONE;
}

void server_free_message(server_o *server, server_message_t *message) {
  if (!message->text)
    return;
  pthread_mutex_lock(&server->lock);
  alloc_resize(&server->shared_memory, message->text, message->bytes + 1, 0);
  pthread_mutex_unlock(&server->lock);
  message->text = NULL;
}

bool server_send(server_o *server, uint32_t client, const char *text, size_t bytes) {
  shoal_assert(text && bytes > 0, "the message for client %u must not be empty", client);
  pthread_mutex_lock(&server->lock);
  client_t *recipient = find_client(server, client);
  bool fits = recipient && !recipient->must_drop && recipient->queued_bytes + bytes <= SERVER_MAX_QUEUED;
  if (recipient && !fits)
    recipient->must_drop = true;
  if (fits) {
    outgoing_message_t message = {client, alloc_resize(&server->shared_memory, NULL, 0, bytes), bytes};
    memcpy(message.text, text, bytes);
    recipient->queued_bytes += bytes;
    array_push(&server->shared_memory, &server->outbox, message);
  }
  pthread_mutex_unlock(&server->lock);
  wake_thread(server);
  return fits;
}

// --- sockets

static ssize_t on_read(wslay_event_context_ptr websocket, uint8_t *out, size_t bytes, int flags, void *context) {
  connection_t *connection = context;
  (void)flags;
  size_t remaining = connection->head_count - connection->head_read;
  if (remaining > 0) {
    size_t count = bytes < remaining ? bytes : remaining;
    memcpy(out, connection->head + connection->head_read, count);
    connection->head_read += (uint32_t)count;
    return (ssize_t)count;
  }
  if (connection->budget == 0) {
    wslay_event_set_error(websocket, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  ptrdiff_t count = socket_receive(connection->socket, out, bytes < connection->budget ? bytes : connection->budget);
  if (count > 0)
    connection->budget -= (uint32_t)count;
  if (count <= 0)
    wslay_event_set_error(websocket, count == 0 ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
  return count > 0 ? count : -1;
}

static ssize_t on_write(wslay_event_context_ptr websocket, const uint8_t *bytes, size_t count, int flags,
                        void *context) {
  connection_t *connection = context;
  (void)flags;
  ptrdiff_t sent = socket_send(connection->socket, bytes, count);
  if (sent <= 0)
    wslay_event_set_error(websocket, sent == 0 ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
  return sent > 0 ? sent : -1;
}

static void on_message(wslay_event_context_ptr websocket, const struct wslay_event_on_msg_recv_arg *event,
                       void *context) {
  connection_t *connection = context;
  (void)websocket;
  if (event->opcode != WSLAY_TEXT_FRAME && event->opcode != WSLAY_BINARY_FRAME)
    return;
  pthread_mutex_lock(&connection->server->lock);
  client_t *client = find_client(connection->server, connection->client);
  if (client) {
    client->unread_count++;
    connection->budget = client->unread_count >= SERVER_MAX_UNREAD ? 0 : connection->budget;
    post_message(connection->server, SERVER_TEXT, connection->client, event->msg_length ? (const void *)event->msg : "",
                 event->msg_length);
  }
  pthread_mutex_unlock(&connection->server->lock);
}

static bool open_websocket(connection_t *connection) {
  static const struct wslay_event_callbacks callbacks = {
      .recv_callback = on_read, .send_callback = on_write, .on_msg_recv_callback = on_message};
  if (wslay_event_context_server_init(&connection->websocket, &callbacks, connection) != 0)
    return false;
  wslay_event_config_set_max_recv_msg_length(connection->websocket, SERVER_MESSAGE_BYTES);
  return true;
}

// --- HTTP

static const char *get_status_text(uint32_t status) {
  switch (status) {
  case 200: return "200 OK";
  case 301: return "301 Moved Permanently";
  case 400: return "400 Bad Request";
  case 403: return "403 Forbidden";
  case 404: return "404 Not Found";
  case 405: return "405 Method Not Allowed";
  case 426: return "426 Upgrade Required";
  case 431: return "431 Request Header Fields Too Large";
  default: return "503 Service Unavailable";
  }
}

// Content-Security-Policy of responses. The page may run only its own scripts, whose addresses are listed one by one.
// The game's assets have the same origin, so a script of a downloaded game could otherwise read the token and control
// the cockpit. An asset that is opened as a page runs no scripts.
#define POLICY_PLAIN "default-src 'none'; frame-ancestors 'none'"
#define POLICY_ASSET "default-src 'none'; sandbox"

#define MAX_POLICY_BYTES 16384u

// Writes the policy of the page. The server listens on one address, which browsers reach under two names. Returns true
// on success, or false with a message if the page's scripts cannot be listed.
static bool format_page_policy(server_o *server, char *out, size_t out_bytes, error_info_t *error) {
  static const char *const hosts[] = {"127.0.0.1", "localhost"};
  file_list_t scripts = {0};
  size_t length = (size_t)snprintf(out, out_bytes,
                                   "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
                                   "media-src 'self'; connect-src 'self' ws://127.0.0.1:%u ws://localhost:%u; "
                                   "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src",
                                   server->port, server->port);
  bool ok = file_list(&server->thread_memory, server->folder, ".js", &scripts, error);
  for (uint32_t i = 0; i < scripts.count * 2; ++i) {
    int written = snprintf(out + length, out_bytes - length, " http://%s:%u/%s/%s", hosts[i % 2], server->port,
                           server->token, scripts.paths[i / 2]);
    shoal_assert(written > 0 && length + (size_t)written < out_bytes, "the policy of %u scripts does not fit",
                 scripts.count);
    length += (size_t)written;
  }
  file_list_free(&server->thread_memory, &scripts);
  return ok;
}

static void respond_with_bytes(connection_t *connection, uint32_t status, const char *type, const char *policy,
                               const char *more, const void *body, size_t bytes) {
  char head[MAX_POLICY_BYTES + 1024];
  server_o *server = connection->server;
  int count = snprintf(head, sizeof head,
                       "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                       "Referrer-Policy: no-referrer\r\nContent-Security-Policy: %s\r\n%s\r\n",
                       get_status_text(status), type, bytes, policy, more);
  shoal_assert(count > 0 && (size_t)count < sizeof head, "the response head of %d bytes does not fit", count);
  connection->response_bytes = (size_t)count + bytes;
  connection->response_sent = 0;
  connection->response = alloc_resize(&server->thread_memory, NULL, 0, connection->response_bytes);
  memcpy(connection->response, head, (size_t)count);
  if (bytes)
    memcpy(connection->response + count, body, bytes);
  connection->state = CONNECTION_RESPONDING;
  connection->deadline_ms = now_ms() + RESPONSE_MS;
}

static void respond_with_text(connection_t *connection, uint32_t status, const char *message) {
  char line[sizeof((error_info_t *)0)->text + 16];
  int count = snprintf(line, sizeof line, "shoal: %s\n", message);
  respond_with_bytes(connection, status, "text/plain; charset=utf-8", POLICY_PLAIN, "", line, (size_t)count);
}

static void respond_with_file(connection_t *connection, const char *name) {
  char path[PATH_BYTES + 256], policy[MAX_POLICY_BYTES];
  size_t bytes = 0;
  error_info_t error = {0};
  server_o *server = connection->server;
  static const char assets[] = "assets/";
  char folder[PATH_BYTES];
  bool is_asset = strncmp(name, assets, sizeof assets - 1) == 0;
  pthread_mutex_lock(&server->lock);
  snprintf(folder, sizeof folder, "%s", is_asset ? server->assets : server->folder);
  pthread_mutex_unlock(&server->lock);
  if (is_asset && !folder[0]) {
    respond_with_text(connection, 404, "the game's assets are not available yet");
    return;
  }
  name += is_asset ? sizeof assets - 1 : 0;
  if (!name[0])
    name = "index.html";
  char *text = file_read_limited(&server->thread_memory, path_join(path, sizeof path, folder, name), MAX_FILE_BYTES,
                                 &bytes, &error);
  if (!text) {
    respond_with_text(connection, 404, "file not found");
    return;
  }
  bool is_page = !is_asset && strcmp(name, "index.html") == 0;
  if (is_page && !format_page_policy(server, policy, sizeof policy, &error)) {
    file_free(&server->thread_memory, text, bytes);
    respond_with_text(connection, 503, error.text);
    return;
  }
  respond_with_bytes(connection, 200, is_asset ? http_get_asset_content_type(name) : http_get_content_type(name),
                     is_asset  ? POLICY_ASSET
                     : is_page ? policy
                               : POLICY_PLAIN,
                     "", text, bytes);
  file_free(&server->thread_memory, text, bytes);
}

static void upgrade_to_websocket(connection_t *connection, const http_request_t *request) {
  char head[256];
  if (!add_client(connection->server, connection)) {
    respond_with_text(connection, 503, "too many clients are connected: close another cockpit page");
    return;
  }
  int count = snprintf(head, sizeof head,
                       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Accept: %s\r\n\r\n",
                       request->accept);
  connection->state = CONNECTION_WEBSOCKET;
  connection->deadline_ms = 0;
  connection->must_close = socket_send(connection->socket, head, (size_t)count) != count || !open_websocket(connection);
}

static void handle_request(connection_t *connection) {
  http_request_t request;
  char headers[128];
  uint32_t bytes = (uint32_t)http_find_head_end(connection->head, connection->head_count);
  if (bytes == 0 && connection->head_count == sizeof connection->head)
    respond_with_text(connection, 431, "the request is too long (at most 8 KB)");
  if (bytes == 0)
    return;
  connection->head_read = bytes;
  http_parse_request(connection->head, bytes, connection->server->port, connection->server->token, &request);
  switch (request.kind) {
  case HTTP_FILE: respond_with_file(connection, request.path); break;
  case HTTP_SOCKET: upgrade_to_websocket(connection, &request); break;
  case HTTP_REDIRECT:
    snprintf(headers, sizeof headers, "Location: /%s/\r\n", connection->server->token);
    respond_with_bytes(connection, 301, "text/plain; charset=utf-8", POLICY_PLAIN, headers, "", 0);
    break;
  default: respond_with_text(connection, request.status, request.reason); break;
  }
}

// --- connections

static connection_t *add_connection(server_o *server, wait_handle_t socket) {
  shoal_assert(server->connection_count < SERVER_MAX_CONNECTIONS, "%u connections", server->connection_count);
  connection_t *connection = alloc_resize(&server->thread_memory, NULL, 0, sizeof *connection);
  memset(connection, 0, sizeof *connection);
  connection->server = server;
  connection->socket = socket;
  connection->number = ++server->last_connection;
  connection->deadline_ms = now_ms() + SERVER_HEAD_MS;
  server->connections[server->connection_count++] = connection;
  return connection;
}

static void close_connection(server_o *server, uint32_t i) {
  connection_t *connection = server->connections[i];
  shoal_assert(i < server->connection_count && connection->socket != WAIT_NONE,
               "connection %u is closed or out of range (count %u)", i, server->connection_count);
  remove_client(server, connection);
  socket_close(connection->socket);
  if (connection->websocket)
    wslay_event_context_free(connection->websocket);
  if (connection->response)
    alloc_resize(&server->thread_memory, connection->response, connection->response_bytes, 0);
  alloc_resize(&server->thread_memory, connection, sizeof *connection, 0);
  server->connections[i] = server->connections[--server->connection_count];
}

// Closes the oldest connection that is not a client, to free its slot for a new connection. Returns true on success, or
// false if all connections are clients. A client that sends its request quickly is therefore served regardless of the
// number of idle connections.
static bool close_oldest_connection(server_o *server) {
  uint32_t oldest = SERVER_MAX_CONNECTIONS;
  for (uint32_t i = 0; i < server->connection_count; ++i)
    if (server->connections[i]->state != CONNECTION_WEBSOCKET &&
        (oldest == SERVER_MAX_CONNECTIONS || server->connections[i]->number < server->connections[oldest]->number))
      oldest = i;
  if (oldest == SERVER_MAX_CONNECTIONS)
    return false;
  close_connection(server, oldest);
  return true;
}

static void accept_connection(server_o *server) {
  wait_handle_t socket = socket_accept(server->listener);
  if (socket == WAIT_NONE)
    return;
  if (server->connection_count == SERVER_MAX_CONNECTIONS && !close_oldest_connection(server))
    socket_close(socket);
  else
    add_connection(server, socket);
}

static void read_http(connection_t *connection) {
  char discarded[4096];
  bool is_reading_head = connection->state == CONNECTION_READING_HEAD;
  ptrdiff_t count = is_reading_head ? socket_receive(connection->socket, connection->head + connection->head_count,
                                                     sizeof connection->head - connection->head_count)
                                    : socket_receive(connection->socket, discarded, sizeof discarded);
  if (count < 0) {
    connection->must_close = true;
    return;
  }
  if (!is_reading_head || count == 0)
    return;
  connection->head_count += (uint32_t)count;
  handle_request(connection);
}

static void write_response(connection_t *connection) {
  ptrdiff_t count = socket_send(connection->socket, connection->response + connection->response_sent,
                                connection->response_bytes - connection->response_sent);
  if (count < 0) {
    connection->must_close = true;
    return;
  }
  connection->response_sent += (size_t)count;
  shoal_assert(connection->response_sent <= connection->response_bytes, "%zu bytes sent, but the response has %zu",
               connection->response_sent, connection->response_bytes);
  if (connection->response_sent < connection->response_bytes)
    return;
  // Drains unread input before closing the connection. Closing with unread data would reset the connection, and the
  // response might be lost.
  socket_end_sending(connection->socket);
  connection->state = CONNECTION_LINGERING;
  connection->deadline_ms = now_ms() + LINGER_MS;
}

// Returns true if this client's socket may be read now. Marks the connection to be closed if the client was dropped.
static bool check_readable(server_o *server, connection_t *connection) {
  pthread_mutex_lock(&server->lock);
  client_t *client = find_client(server, connection->client);
  bool is_full = client && client->unread_count >= SERVER_MAX_UNREAD;
  connection->must_close |= !client || client->must_drop;
  pthread_mutex_unlock(&server->lock);
  return !is_full && wslay_event_want_read(connection->websocket);
}

static void serve_websocket(server_o *server, connection_t *connection) {
  connection->budget = ROUND_BYTES;
  if (check_readable(server, connection))
    connection->must_close |= wslay_event_recv(connection->websocket) != 0;
  if (!connection->must_close && wslay_event_want_write(connection->websocket))
    connection->must_close |= wslay_event_send(connection->websocket) != 0;
  connection->must_close |=
      !wslay_event_want_read(connection->websocket) && !wslay_event_want_write(connection->websocket);
}

// Queues the main thread's messages on the connections of the receiving clients.
static void receive_messages(server_o *server) {
  pthread_mutex_lock(&server->lock);
  for (uint32_t i = 0; i < server->outbox.count; ++i) {
    outgoing_message_t *message = &server->outbox.items[i];
    for (uint32_t k = 0; k < server->connection_count; ++k) {
      connection_t *connection = server->connections[k];
      struct wslay_event_msg websocket_message = {WSLAY_TEXT_FRAME, (const uint8_t *)message->text, message->bytes};
      if (connection->state == CONNECTION_WEBSOCKET && connection->client == message->client && !connection->must_close)
        // If the connection is closing, this call fails, and the client does not receive the message.
        wslay_event_queue_msg(connection->websocket, &websocket_message);
    }
    alloc_resize(&server->shared_memory, message->text, message->bytes, 0);
  }
  server->outbox.count = 0;
  pthread_mutex_unlock(&server->lock);
}

static void update_queued_bytes(server_o *server, connection_t *connection) {
  pthread_mutex_lock(&server->lock);
  client_t *client = find_client(server, connection->client);
  if (client && server->outbox.count == 0)
    client->queued_bytes = wslay_event_get_queued_msg_length(connection->websocket);
  pthread_mutex_unlock(&server->lock);
}

// --- the thread

static uint8_t get_requested(server_o *server, connection_t *connection) {
  switch (connection->state) {
  case CONNECTION_RESPONDING: return WAIT_WRITE;
  case CONNECTION_WEBSOCKET:
    return (uint8_t)((check_readable(server, connection) ? WAIT_READ : 0) |
                     (wslay_event_want_write(connection->websocket) ? WAIT_WRITE : 0));
  default: return WAIT_READ;
  }
}

// Returns the time for which the thread may wait, in milliseconds: 0 if received frames are waiting, otherwise the time
// until the next deadline, or -1 if there is no deadline.
static int64_t compute_ms_until_deadline(const server_o *server) {
  int64_t deadline = 0, now = now_ms();
  for (uint32_t i = 0; i < server->connection_count; ++i)
    if (server->connections[i]->state == CONNECTION_WEBSOCKET &&
        server->connections[i]->head_read < server->connections[i]->head_count)
      return 0; // frames that arrived together with the head can be processed now
  for (uint32_t i = 0; i < server->connection_count; ++i)
    if (server->connections[i]->deadline_ms > 0 && (deadline == 0 || server->connections[i]->deadline_ms < deadline))
      deadline = server->connections[i]->deadline_ms;
  return deadline == 0 ? -1 : deadline > now ? deadline - now : 0;
}

static void serve_connection(server_o *server, connection_t *connection, uint8_t ready) {
  if (connection->state == CONNECTION_WEBSOCKET)
    serve_websocket(server, connection);
  else if (ready & WAIT_FAILURE)
    connection->must_close = true;
  else if (connection->state == CONNECTION_RESPONDING && (ready & (WAIT_WRITE | WAIT_END)))
    write_response(connection);
  else if (connection->state != CONNECTION_RESPONDING && (ready & (WAIT_READ | WAIT_END)))
    read_http(connection);
}

static void close_finished_connections(server_o *server) {
  int64_t now = now_ms();
  for (uint32_t i = server->connection_count; i-- > 0;) {
    connection_t *connection = server->connections[i];
    if (connection->must_close || (connection->deadline_ms > 0 && now >= connection->deadline_ms))
      close_connection(server, i);
    else if (connection->state == CONNECTION_WEBSOCKET)
      update_queued_bytes(server, connection);
  }
}

static bool should_stop(server_o *server) {
  pthread_mutex_lock(&server->lock);
  bool stopping = server->stopping;
  pthread_mutex_unlock(&server->lock);
  return stopping;
}

static void *run_thread(void *context) {
  server_o *server = context;
  wait_t handles[SERVER_MAX_CONNECTIONS + 2];
  shoal_assert(server->listener != WAIT_NONE && server->wake_up != WAIT_NONE,
               "the port must be open before the thread starts");
  while (!should_stop(server)) {
    uint32_t count = server->connection_count;
    handles[0] = (wait_t){.handle = server->listener, .requested = WAIT_READ};
    handles[1] = (wait_t){.handle = server->wake_up, .requested = WAIT_READ};
    for (uint32_t i = 0; i < count; ++i)
      handles[i + 2] = (wait_t){.handle = server->connections[i]->socket,
                                .requested = get_requested(server, server->connections[i])};
    wait_for_any(handles, count + 2, compute_ms_until_deadline(server) * 1000);
    wake_up_clear(server->wake_up);
    receive_messages(server);
    for (uint32_t i = 0; i < count; ++i)
      serve_connection(server, server->connections[i], handles[i + 2].ready);
    close_finished_connections(server);
    if (handles[0].ready & WAIT_READ)
      accept_connection(server);
  }
  while (server->connection_count > 0)
    close_connection(server, server->connection_count - 1);
  return NULL;
}

// --- life cycle

// Listens on the first free port. If two games start at the same time, both can bind the same port. Listening then
// fails in one of the games, which tries the next port. Returns true on success, or false if no port is free.
static bool open_listener(server_o *server, const server_desc_t *desc) {
  for (uint16_t i = 0; i < desc->ports; ++i) {
    server->port = (uint16_t)(desc->port + i);
    server->listener = socket_listen_local(server->port);
    if (server->listener != WAIT_NONE)
      return true;
  }
  return false;
}

static bool start_thread(server_o *server) {
  return thread_start(&server->thread, run_thread, server);
}

static void free_server(server_o *server) {
  for (uint32_t i = 0; i < server->inbox.count; ++i)
    server_free_message(server, &server->inbox.items[i]);
  for (uint32_t i = 0; i < server->outbox.count; ++i)
    alloc_resize(&server->shared_memory, server->outbox.items[i].text, server->outbox.items[i].bytes, 0);
  array_free(&server->shared_memory, &server->inbox);
  array_free(&server->shared_memory, &server->outbox);
  shoal_assert(server->shared_memory.bytes == 0 && server->thread_memory.bytes == 0, "the server leaked %zu bytes",
               server->shared_memory.bytes + server->thread_memory.bytes);
  socket_close(server->listener);
  wake_up_destroy(server->wake_up);
  pthread_mutex_destroy(&server->lock);
  allocator_t memory = server->memory;
  alloc_resize(&memory, server, sizeof *server, 0);
}

server_o *server_create(const server_desc_t *desc, error_info_t *error) {
  shoal_assert(desc && strlen(desc->token) + 1 == HTTP_TOKEN_BYTES, "the token must have %u bytes",
               HTTP_TOKEN_BYTES - 1u);
  allocator_t memory = {0};
  server_o *server = alloc_resize(&memory, NULL, 0, sizeof *server);
  memset(server, 0, sizeof *server);
  server->memory = memory;
  server->listener = server->wake_up = WAIT_NONE;
  snprintf(server->token, sizeof server->token, "%s", desc->token);
  snprintf(server->folder, sizeof server->folder, "%s", desc->folder);
  pthread_mutex_init(&server->lock, NULL);
  bool ok = open_listener(server, desc);
  if (!ok && desc->ports == 1)
    error_set(error, "port %u is in use: choose a different port with --cockpit PORT", desc->port);
  else if (!ok)
    error_set(error, "all ports from %u to %u are in use: choose a different port with --cockpit PORT", desc->port,
              desc->port + desc->ports - 1u);
  if (ok && (server->wake_up = wake_up_create()) == WAIT_NONE)
    ok = error_set(error, "cannot create a wake-up object for the server: %s", strerror(errno));
  if (ok && !start_thread(server))
    ok = error_set(error, "cannot start the server's thread");
  if (!ok) {
    free_server(server);
    return NULL;
  }
  return server;
}

void server_destroy(server_o *server) {
  if (!server)
    return;
  pthread_mutex_lock(&server->lock);
  server->stopping = true;
  pthread_mutex_unlock(&server->lock);
  wake_thread(server);
  pthread_join(server->thread, NULL);
  free_server(server);
}

void server_set_assets(server_o *server, const char *folder) {
  shoal_assert(strlen(folder) < sizeof server->assets, "the asset folder's path is too long (%zu bytes)",
               strlen(folder));
  pthread_mutex_lock(&server->lock);
  snprintf(server->assets, sizeof server->assets, "%s", folder);
  pthread_mutex_unlock(&server->lock);
}

uint16_t server_get_port(const server_o *server) {
  return server->port;
}
