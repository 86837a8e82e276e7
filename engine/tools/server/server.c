// Thread of the server: poll() over all connections. One lock guards the data shared with the main thread: the inbox,
// the outbox, the queue lengths of each client, and the folder of the game's assets.
#include "server/server.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/now.h"
#include "process/threads.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wslay/wslay.h>

#define PATH_BYTES 1024u
#define REPLY_MS 10000     // time limit for sending an HTTP response, in milliseconds
#define LINGER_MS 500      // time limit for the peer to close the connection after the response, in milliseconds
#define ROUND_BYTES 65536u // maximum bytes read from one connection per round
#define MAX_FILE_BYTES (16u << 20)

typedef enum state_t { AT_HEAD, AT_REPLY, AT_LINGER, AT_SOCKET } state_t;

typedef struct connection_t {
  server_o *server;
  int socket;
  state_t state;
  int64_t until_ms; // deadline; 0: none
  uint64_t number;  // sequence number, in order of arrival
  char head[HTTP_HEAD_BYTES];
  uint32_t head_count, head_read; // indices in the buffer; frames may follow the head
  char *reply;
  size_t reply_bytes, reply_sent;
  bool lost; // the connection must be closed
  // The following members are used only in state AT_SOCKET.
  wslay_event_context_ptr frames;
  uint32_t client;
  uint32_t budget; // bytes that may still be read in this round
} connection_t;

typedef struct client_t {
  uint32_t number;  // 0 if the slot is unused
  uint32_t waiting; // messages that the main thread has not read yet
  size_t queued;    // bytes that have not been sent to the client yet
  bool drop;
} client_t;

typedef struct outgoing_message_t {
  uint32_t client;
  char *text;
  size_t bytes;
} outgoing_message_t;

struct server_o {
  int listener, wake[2]; // listener: socket; wake: pipe that wakes the thread (read end, write end)
  uint16_t port;
  char token[HTTP_TOKEN_BYTES], folder[PATH_BYTES];
  pthread_t thread;
  connection_t *connections[SERVER_MAX_CONNECTIONS];
  uint32_t count, clients_so_far;
  uint64_t connections_so_far;
  allocator_t own;      // allocator used only by the thread
  allocator_t memory;   // allocator used by server_create and server_destroy
  pthread_mutex_t lock; // guards all fields below
  ARRAY(server_message_t) inbox;
  ARRAY(outgoing_message_t) outbox;
  client_t clients[SERVER_MAX_CLIENTS];
  allocator_t shared;
  char assets[PATH_BYTES];
  bool ending;
  _Atomic uint32_t news; // number of messages in the inbox; also read without the lock
};

static int64_t now_ms(void) {
  return now_ns() / NS_PER_MS;
}

static void wake_thread(server_o *s) {
  char one = 1;
  ssize_t written = write(s->wake[1], &one, 1);
  (void)written; // if the pipe is full, the thread wakes up anyway
}

// --- shared state

static client_t *find_client(server_o *s, uint32_t number) {
  for (uint32_t i = 0; i < SERVER_MAX_CLIENTS; ++i)
    if (number > 0 && s->clients[i].number == number)
      return &s->clients[i];
  return NULL;
}

// Adds a message to the inbox. Call with the lock held.
static void post_message(server_o *s, server_message_kind_t kind, uint32_t client, const void *text, size_t bytes) {
  server_message_t m = {.kind = kind, .client = client, .bytes = bytes};
  if (text) {
    m.text = alloc_resize(&s->shared, NULL, 0, bytes + 1);
    memcpy(m.text, text, bytes);
    m.text[bytes] = '\0';
  }
  array_push(&s->shared, &s->inbox, m);
  atomic_store(&s->news, s->inbox.count);
}

static bool add_client(server_o *s, connection_t *c) {
  pthread_mutex_lock(&s->lock);
  client_t *free = NULL;
  shoal_assert(c->client == 0, "the connection has already joined");
  for (uint32_t i = 0; i < SERVER_MAX_CLIENTS && !free; ++i)
    free = s->clients[i].number == 0 ? &s->clients[i] : NULL;
  if (free) {
    c->client = ++s->clients_so_far;
    *free = (client_t){.number = c->client};
    post_message(s, SERVER_JOINED, c->client, NULL, 0);
  }
  pthread_mutex_unlock(&s->lock);
  return free != NULL;
}

static void remove_client(server_o *s, connection_t *c) {
  pthread_mutex_lock(&s->lock);
  client_t *x = find_client(s, c->client);
  if (x) {
    *x = (client_t){0};
    post_message(s, SERVER_LEFT, c->client, NULL, 0);
  }
  pthread_mutex_unlock(&s->lock);
}

bool server_has_message(const server_o *s) {
  return atomic_load_explicit(&s->news, memory_order_relaxed) > 0;
}

bool server_pop_message(server_o *s, server_message_t *out) {
  *out = (server_message_t){SERVER_NOTHING, 0, NULL, 0};
  if (!server_has_message(s))
    return false;
  pthread_mutex_lock(&s->lock);
  bool was_full = false;
  if (s->inbox.count > 0) {
    *out = s->inbox.items[0];
    memmove(s->inbox.items, s->inbox.items + 1, --s->inbox.count * sizeof *s->inbox.items);
    client_t *x = out->kind == SERVER_TEXT ? find_client(s, out->client) : NULL;
    was_full = x && x->waiting-- >= SERVER_MAX_WAITING;
  }
  atomic_store(&s->news, s->inbox.count);
  pthread_mutex_unlock(&s->lock);
  if (was_full)
    wake_thread(s);
  return out->kind != SERVER_NOTHING;
}

void server_free_message(server_o *s, server_message_t *m) {
  if (!m->text)
    return;
  pthread_mutex_lock(&s->lock);
  alloc_resize(&s->shared, m->text, m->bytes + 1, 0);
  pthread_mutex_unlock(&s->lock);
  m->text = NULL;
}

bool server_send(server_o *s, uint32_t client, const char *text, size_t bytes) {
  shoal_assert(text && bytes > 0, "the message for client %u must not be empty", client);
  pthread_mutex_lock(&s->lock);
  client_t *c = find_client(s, client);
  bool fits = c && !c->drop && c->queued + bytes <= SERVER_MAX_QUEUED;
  if (c && !fits)
    c->drop = true;
  if (fits) {
    outgoing_message_t p = {client, alloc_resize(&s->shared, NULL, 0, bytes), bytes};
    memcpy(p.text, text, bytes);
    c->queued += bytes;
    array_push(&s->shared, &s->outbox, p);
  }
  pthread_mutex_unlock(&s->lock);
  wake_thread(s);
  return fits;
}

// --- sockets

static ssize_t on_read(wslay_event_context_ptr frames, uint8_t *out, size_t bytes, int flags, void *context) {
  connection_t *c = context;
  (void)flags;
  size_t left = c->head_count - c->head_read;
  if (left > 0) {
    size_t count = bytes < left ? bytes : left;
    memcpy(out, c->head + c->head_read, count);
    c->head_read += (uint32_t)count;
    return (ssize_t)count;
  }
  if (c->budget == 0) {
    wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  ssize_t count = recv(c->socket, out, bytes < c->budget ? bytes : c->budget, 0);
  if (count > 0)
    c->budget -= (uint32_t)count;
  if (count <= 0)
    wslay_event_set_error(frames, count < 0 && (errno == EAGAIN || errno == EINTR) ? WSLAY_ERR_WOULDBLOCK
                                                                                   : WSLAY_ERR_CALLBACK_FAILURE);
  return count > 0 ? count : -1;
}

static ssize_t on_write(wslay_event_context_ptr frames, const uint8_t *bytes, size_t count, int flags, void *context) {
  connection_t *c = context;
  (void)flags;
  ssize_t sent = send(c->socket, bytes, count, MSG_NOSIGNAL);
  if (sent < 0)
    wslay_event_set_error(frames,
                          errno == EAGAIN || errno == EINTR ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
  return sent;
}

static void on_message(wslay_event_context_ptr frames, const struct wslay_event_on_msg_recv_arg *m, void *context) {
  connection_t *c = context;
  (void)frames;
  if (m->opcode != WSLAY_TEXT_FRAME && m->opcode != WSLAY_BINARY_FRAME)
    return;
  pthread_mutex_lock(&c->server->lock);
  client_t *x = find_client(c->server, c->client);
  if (x) {
    x->waiting++;
    c->budget = x->waiting >= SERVER_MAX_WAITING ? 0 : c->budget;
    post_message(c->server, SERVER_TEXT, c->client, m->msg_length ? (const void *)m->msg : "", m->msg_length);
  }
  pthread_mutex_unlock(&c->server->lock);
}

static bool open_frames(connection_t *c) {
  static const struct wslay_event_callbacks calls = {
      .recv_callback = on_read, .send_callback = on_write, .on_msg_recv_callback = on_message};
  if (wslay_event_context_server_init(&c->frames, &calls, c) != 0)
    return false;
  wslay_event_config_set_max_recv_msg_length(c->frames, SERVER_MESSAGE_BYTES);
  return true;
}

// --- HTTP

static const char *status_text(uint32_t status) {
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

// Content-Security-Policy of responses. The page may run only its own scripts, whose addresses are listed one by one:
// the game's assets have the same origin, so a script of a downloaded game could otherwise read the token and control
// the cockpit. An asset that is opened as a page runs no scripts.
#define POLICY_PLAIN "default-src 'none'; frame-ancestors 'none'"
#define POLICY_ASSET "default-src 'none'; sandbox"

#define MAX_POLICY_BYTES 16384u

// Writes the policy of the page. The server listens on one address, which browsers reach under two names.
static void format_page_policy(server_o *s, char *out, size_t out_bytes) {
  static const char *const hosts[] = {"127.0.0.1", "localhost"};
  file_list_t scripts = {0};
  size_t at = (size_t)snprintf(out, out_bytes,
                               "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
                               "media-src 'self'; connect-src 'self' ws://127.0.0.1:%u ws://localhost:%u; "
                               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src",
                               s->port, s->port);
  if (file_list(&s->own, s->folder, ".js", &scripts, NULL))
    for (uint32_t i = 0; i < scripts.count * 2; ++i) {
      int count = snprintf(out + at, out_bytes - at, " http://%s:%u/%s/%s", hosts[i % 2], s->port, s->token,
                           scripts.paths[i / 2]);
      shoal_assert(count > 0 && at + (size_t)count < out_bytes, "the policy of %u scripts does not fit", scripts.count);
      at += (size_t)count;
    }
  file_list_free(&s->own, &scripts);
}

static void reply_bytes(connection_t *c, uint32_t status, const char *type, const char *policy, const char *more,
                        const void *body, size_t bytes) {
  char head[MAX_POLICY_BYTES + 1024];
  server_o *s = c->server;
  int count = snprintf(head, sizeof head,
                       "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                       "Referrer-Policy: no-referrer\r\nContent-Security-Policy: %s\r\n%s\r\n",
                       status_text(status), type, bytes, policy, more);
  shoal_assert(count > 0 && (size_t)count < sizeof head, "the response head of %d bytes does not fit", count);
  c->reply_bytes = (size_t)count + bytes;
  c->reply_sent = 0;
  c->reply = alloc_resize(&s->own, NULL, 0, c->reply_bytes);
  memcpy(c->reply, head, (size_t)count);
  if (bytes)
    memcpy(c->reply + count, body, bytes);
  c->state = AT_REPLY;
  c->until_ms = now_ms() + REPLY_MS;
}

static void reply_text(connection_t *c, uint32_t status, const char *message) {
  char line[256];
  int count = snprintf(line, sizeof line, "shoal: %s\n", message);
  reply_bytes(c, status, "text/plain; charset=utf-8", POLICY_PLAIN, "", line, (size_t)count);
}

static void reply_file(connection_t *c, const char *name) {
  char path[PATH_BYTES + 256], policy[MAX_POLICY_BYTES];
  size_t bytes = 0;
  error_info_t error = {0};
  server_o *s = c->server;
  static const char assets[] = "assets/";
  char folder[PATH_BYTES];
  bool is_asset = strncmp(name, assets, sizeof assets - 1) == 0;
  pthread_mutex_lock(&s->lock);
  snprintf(folder, sizeof folder, "%s", is_asset ? s->assets : s->folder);
  pthread_mutex_unlock(&s->lock);
  if (is_asset && !folder[0]) {
    reply_text(c, 404, "the game's assets are not available yet");
    return;
  }
  name += is_asset ? sizeof assets - 1 : 0;
  if (!name[0])
    name = "index.html";
  char *text = file_read_limited(&s->own, path_join(path, sizeof path, folder, name), MAX_FILE_BYTES, &bytes, &error);
  if (!text) {
    reply_text(c, 404, "file not found");
    return;
  }
  bool is_page = !is_asset && strcmp(name, "index.html") == 0;
  if (is_page)
    format_page_policy(s, policy, sizeof policy);
  reply_bytes(c, 200, is_asset ? http_asset_type(name) : http_type(name),
              is_asset  ? POLICY_ASSET
              : is_page ? policy
                        : POLICY_PLAIN,
              "", text, bytes);
  file_free(&s->own, text, bytes);
}

static void upgrade_to_websocket(connection_t *c, const http_request_t *r) {
  char head[256];
  if (!add_client(c->server, c)) {
    reply_text(c, 503, "too many clients are connected: close another cockpit page");
    return;
  }
  int count = snprintf(head, sizeof head,
                       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Accept: %s\r\n\r\n",
                       r->accept);
  c->state = AT_SOCKET;
  c->until_ms = 0;
  c->lost = send(c->socket, head, (size_t)count, MSG_NOSIGNAL) != count || !open_frames(c);
}

static void handle_request(connection_t *c) {
  http_request_t r;
  char more[128];
  uint32_t bytes = (uint32_t)http_head_bytes(c->head, c->head_count);
  if (bytes == 0 && c->head_count == sizeof c->head)
    reply_text(c, 431, "the request is too long (at most 8 KB)");
  if (bytes == 0)
    return;
  c->head_read = bytes;
  http_parse_request(c->head, bytes, c->server->port, c->server->token, &r);
  switch (r.kind) {
  case HTTP_FILE: reply_file(c, r.path); break;
  case HTTP_SOCKET: upgrade_to_websocket(c, &r); break;
  case HTTP_ENTER:
    snprintf(more, sizeof more, "Location: /%s/\r\n", c->server->token);
    reply_bytes(c, 301, "text/plain; charset=utf-8", POLICY_PLAIN, more, "", 0);
    break;
  default: reply_text(c, r.status, r.why); break;
  }
}

// --- connections

static connection_t *add_connection(server_o *s, int socket) {
  shoal_assert(s->count < SERVER_MAX_CONNECTIONS, "%u connections", s->count);
  connection_t *c = alloc_resize(&s->own, NULL, 0, sizeof *c);
  memset(c, 0, sizeof *c);
  c->server = s;
  c->socket = socket;
  c->number = ++s->connections_so_far;
  c->until_ms = now_ms() + SERVER_HEAD_MS;
  s->connections[s->count++] = c;
  return c;
}

static void close_connection(server_o *s, uint32_t i) {
  connection_t *c = s->connections[i];
  shoal_assert(i < s->count && c->socket >= 0, "connection %u is closed or out of range (count %u)", i, s->count);
  remove_client(s, c);
  close(c->socket);
  if (c->frames)
    wslay_event_context_free(c->frames);
  if (c->reply)
    alloc_resize(&s->own, c->reply, c->reply_bytes, 0);
  alloc_resize(&s->own, c, sizeof *c, 0);
  s->connections[i] = s->connections[--s->count];
}

// Closes the oldest connection that is not a client, to free its slot for a new one; returns false if all connections
// are clients. A client that sends its request quickly is therefore served no matter how many idle connections exist.
static bool close_oldest(server_o *s) {
  uint32_t oldest = SERVER_MAX_CONNECTIONS;
  for (uint32_t i = 0; i < s->count; ++i)
    if (s->connections[i]->state != AT_SOCKET &&
        (oldest == SERVER_MAX_CONNECTIONS || s->connections[i]->number < s->connections[oldest]->number))
      oldest = i;
  if (oldest == SERVER_MAX_CONNECTIONS)
    return false;
  close_connection(s, oldest);
  return true;
}

static void accept_connection(server_o *s) {
  int socket = accept(s->listener, NULL, NULL), on = 1;
  if (socket < 0)
    return;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (s->count == SERVER_MAX_CONNECTIONS && !close_oldest(s))
    close(socket);
  else
    add_connection(s, socket);
}

static void read_http(connection_t *c) {
  char nowhere[4096];
  bool requested = c->state == AT_HEAD;
  ssize_t count = requested ? recv(c->socket, c->head + c->head_count, sizeof c->head - c->head_count, 0)
                            : recv(c->socket, nowhere, sizeof nowhere, 0);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
    c->lost = true;
    return;
  }
  if (!requested || count < 0)
    return;
  c->head_count += (uint32_t)count;
  handle_request(c);
}

static void write_reply(connection_t *c) {
  ssize_t count = send(c->socket, c->reply + c->reply_sent, c->reply_bytes - c->reply_sent, MSG_NOSIGNAL);
  if (count < 0) {
    c->lost = errno != EAGAIN && errno != EINTR;
    return;
  }
  c->reply_sent += (size_t)count;
  shoal_assert(c->reply_sent <= c->reply_bytes, "%zu bytes sent, but the response has %zu", c->reply_sent,
               c->reply_bytes);
  if (c->reply_sent < c->reply_bytes)
    return;
  // Drains unread input first: closing with unread data would reset the connection, and the response might be lost.
  shutdown(c->socket, SHUT_WR);
  c->state = AT_LINGER;
  c->until_ms = now_ms() + LINGER_MS;
}

// Returns true if this client's socket may be read now. Marks the connection as lost if the client was dropped.
static bool check_readable(server_o *s, connection_t *c) {
  pthread_mutex_lock(&s->lock);
  client_t *x = find_client(s, c->client);
  bool full = x && x->waiting >= SERVER_MAX_WAITING;
  c->lost |= !x || x->drop;
  pthread_mutex_unlock(&s->lock);
  return !full && wslay_event_want_read(c->frames);
}

static void serve_websocket(server_o *s, connection_t *c) {
  c->budget = ROUND_BYTES;
  if (check_readable(s, c))
    c->lost |= wslay_event_recv(c->frames) != 0;
  if (!c->lost && wslay_event_want_write(c->frames))
    c->lost |= wslay_event_send(c->frames) != 0;
  c->lost |= !wslay_event_want_read(c->frames) && !wslay_event_want_write(c->frames);
}

// Queues the main thread's messages on the connections of the receiving clients.
static void receive_messages(server_o *s) {
  pthread_mutex_lock(&s->lock);
  for (uint32_t i = 0; i < s->outbox.count; ++i) {
    outgoing_message_t *p = &s->outbox.items[i];
    for (uint32_t k = 0; k < s->count; ++k) {
      connection_t *c = s->connections[k];
      struct wslay_event_msg m = {WSLAY_TEXT_FRAME, (const uint8_t *)p->text, p->bytes};
      if (c->state == AT_SOCKET && c->client == p->client && !c->lost)
        wslay_event_queue_msg(c->frames, &m); // fails if the connection is closing
    }
    alloc_resize(&s->shared, p->text, p->bytes, 0);
  }
  s->outbox.count = 0;
  pthread_mutex_unlock(&s->lock);
}

static void update_queued_bytes(server_o *s, connection_t *c) {
  pthread_mutex_lock(&s->lock);
  client_t *x = find_client(s, c->client);
  if (x && s->outbox.count == 0)
    x->queued = wslay_event_get_queued_msg_length(c->frames);
  pthread_mutex_unlock(&s->lock);
}

// --- the thread

static short get_poll_events(server_o *s, connection_t *c) {
  switch (c->state) {
  case AT_REPLY: return POLLOUT;
  case AT_SOCKET:
    return (short)((check_readable(s, c) ? POLLIN : 0) | (wslay_event_want_write(c->frames) ? POLLOUT : 0));
  default: return POLLIN;
  }
}

// Returns the timeout for poll() in milliseconds: 0 if received frames are waiting, otherwise the time until the next
// deadline; -1 if there is none.
static int compute_ms_until_deadline(const server_o *s) {
  int64_t first = 0, now = now_ms();
  for (uint32_t i = 0; i < s->count; ++i)
    if (s->connections[i]->state == AT_SOCKET && s->connections[i]->head_read < s->connections[i]->head_count)
      return 0; // frames that arrived together with the head can be processed now
  for (uint32_t i = 0; i < s->count; ++i)
    if (s->connections[i]->until_ms > 0 && (first == 0 || s->connections[i]->until_ms < first))
      first = s->connections[i]->until_ms;
  return first == 0 ? -1 : first > now ? (int)(first - now) : 0;
}

static void serve_connection(server_o *s, connection_t *c, short events) {
  if (c->state == AT_SOCKET)
    serve_websocket(s, c);
  else if (events & (POLLERR | POLLNVAL))
    c->lost = true;
  else if (c->state == AT_REPLY && (events & (POLLOUT | POLLHUP)))
    write_reply(c);
  else if (c->state != AT_REPLY && (events & (POLLIN | POLLHUP)))
    read_http(c);
}

static void close_lost_connections(server_o *s) {
  int64_t now = now_ms();
  for (uint32_t i = s->count; i-- > 0;) {
    connection_t *c = s->connections[i];
    if (c->lost || (c->until_ms > 0 && now >= c->until_ms))
      close_connection(s, i);
    else if (c->state == AT_SOCKET)
      update_queued_bytes(s, c);
  }
}

static bool should_stop(server_o *s) {
  pthread_mutex_lock(&s->lock);
  bool ending = s->ending;
  pthread_mutex_unlock(&s->lock);
  return ending;
}

static void *run_thread(void *context) {
  server_o *s = context;
  struct pollfd looks[SERVER_MAX_CONNECTIONS + 2];
  shoal_assert(s->listener >= 0 && s->wake[0] >= 0, "the port must be open before the thread starts");
  char nowhere[64];
  while (!should_stop(s)) {
    uint32_t count = s->count;
    looks[0] = (struct pollfd){.fd = s->listener, .events = POLLIN};
    looks[1] = (struct pollfd){.fd = s->wake[0], .events = POLLIN};
    for (uint32_t i = 0; i < count; ++i)
      looks[i + 2] = (struct pollfd){.fd = s->connections[i]->socket, .events = get_poll_events(s, s->connections[i])};
    poll(looks, count + 2, compute_ms_until_deadline(s));
    while (read(s->wake[0], nowhere, sizeof nowhere) > 0) {
    }
    receive_messages(s);
    for (uint32_t i = 0; i < count; ++i)
      serve_connection(s, s->connections[i], looks[i + 2].revents);
    close_lost_connections(s);
    if (looks[0].revents & POLLIN)
      accept_connection(s);
  }
  while (s->count > 0)
    close_connection(s, s->count - 1);
  return NULL;
}

// --- life cycle

// Returns a socket that listens on the port, or -1.
static int listen_on_port(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  int on = 1, file = socket(AF_INET, SOCK_STREAM, 0);
  if (file < 0)
    return -1;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  fcntl(file, F_SETFD, FD_CLOEXEC);
  fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(file, (struct sockaddr *)&address, sizeof address) == 0 && listen(file, 128) == 0)
    return file;
  close(file);
  return -1;
}

// Two games that start at the same time can both bind a port; `listen` then fails in one of them, which must try the
// next port.
static bool open_listener(server_o *s, const server_desc_t *desc) {
  for (uint16_t i = 0; i < desc->ports; ++i) {
    s->port = (uint16_t)(desc->port + i);
    s->listener = listen_on_port(s->port);
    if (s->listener >= 0)
      return true;
  }
  return false;
}

static bool open_pipe(server_o *s) {
  if (pipe(s->wake) != 0)
    return false;
  for (int i = 0; i < 2; ++i) {
    fcntl(s->wake[i], F_SETFD, FD_CLOEXEC);
    fcntl(s->wake[i], F_SETFL, fcntl(s->wake[i], F_GETFL) | O_NONBLOCK);
  }
  return true;
}

static bool start_thread(server_o *s) {
  return thread_start(&s->thread, run_thread, s);
}

static void free_server(server_o *s) {
  for (uint32_t i = 0; i < s->inbox.count; ++i)
    server_free_message(s, &s->inbox.items[i]);
  for (uint32_t i = 0; i < s->outbox.count; ++i)
    alloc_resize(&s->shared, s->outbox.items[i].text, s->outbox.items[i].bytes, 0);
  array_free(&s->shared, &s->inbox);
  array_free(&s->shared, &s->outbox);
  shoal_assert(s->shared.bytes == 0 && s->own.bytes == 0, "the server leaked %zu bytes",
               s->shared.bytes + s->own.bytes);
  if (s->listener >= 0)
    close(s->listener);
  if (s->wake[0] >= 0) {
    close(s->wake[0]);
    close(s->wake[1]);
  }
  pthread_mutex_destroy(&s->lock);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
}

server_o *server_create(const server_desc_t *desc, error_info_t *error) {
  shoal_assert(desc && strlen(desc->token) + 1 == HTTP_TOKEN_BYTES, "the token must have %u bytes",
               HTTP_TOKEN_BYTES - 1u);
  allocator_t memory = {0};
  server_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  memset(s, 0, sizeof *s);
  s->memory = memory;
  s->wake[0] = s->wake[1] = -1;
  snprintf(s->token, sizeof s->token, "%s", desc->token);
  snprintf(s->folder, sizeof s->folder, "%s", desc->folder);
  pthread_mutex_init(&s->lock, NULL);
  bool ok = open_listener(s, desc);
  if (!ok && desc->ports == 1)
    error_set(error, "port %u is in use: choose another with --cockpit PORT", desc->port);
  else if (!ok)
    error_set(error, "all ports from %u to %u are in use: choose another with --cockpit PORT", desc->port,
              desc->port + desc->ports - 1u);
  if (ok && !open_pipe(s))
    ok = error_set(error, "cannot create a pipe for the server: %s", strerror(errno));
  if (ok && !start_thread(s))
    ok = error_set(error, "cannot start the server's thread");
  if (!ok) {
    free_server(s);
    return NULL;
  }
  return s;
}

void server_destroy(server_o *s) {
  if (!s)
    return;
  pthread_mutex_lock(&s->lock);
  s->ending = true;
  pthread_mutex_unlock(&s->lock);
  wake_thread(s);
  pthread_join(s->thread, NULL);
  free_server(s);
}

void server_set_assets(server_o *s, const char *folder) {
  shoal_assert(strlen(folder) < sizeof s->assets, "the asset folder's path is too long (%zu bytes)", strlen(folder));
  pthread_mutex_lock(&s->lock);
  snprintf(s->assets, sizeof s->assets, "%s", folder);
  pthread_mutex_unlock(&s->lock);
}

uint16_t server_port(const server_o *s) {
  return s->port;
}
