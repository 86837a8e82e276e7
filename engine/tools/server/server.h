// Local HTTP and WebSocket server for browsers and tools. Its thread accepts, reads and writes, so that slow, hostile
// or vanished peers never delay the game. The main thread exchanges whole messages with this thread through queues.
// Every queue is bounded, and every wait has a deadline:
//
// - a connection without a complete request after SERVER_HEAD_MS is closed;
// - if there are too many connections, the oldest connection that is not a WebSocket client is closed;
// - a message is at most SERVER_MESSAGE_BYTES;
// - while SERVER_MAX_UNREAD messages of a client are in the inbox, no more messages of the client are read;
// - a client with more than SERVER_MAX_QUEUED unsent bytes is dropped.
//
// Without clients the thread sleeps, and server_has_message costs one load. Besides the socket, the server provides the
// page's files from one folder, and the game's assets from a second folder (server_set_assets).
#ifndef SHOAL_SERVER_SERVER_H
#define SHOAL_SERVER_SERVER_H

#include "base/error.h"
#include "server/http.h"

#define SERVER_MAX_CONNECTIONS 64u // maximum number of connections of any kind
#define SERVER_MAX_CLIENTS 16u     // maximum number of WebSocket clients among the connections
#define SERVER_HEAD_MS 3000
#define SERVER_MESSAGE_BYTES (256u << 10)
#define SERVER_MAX_UNREAD 64u
#define SERVER_MAX_QUEUED (16u << 20)

typedef struct server_o server_o;

typedef struct server_desc_t {
  uint16_t port;  // first port to try
  uint16_t ports; // number of consecutive ports to try
  const char *token;
  const char *folder; // absolute path of the page's folder
} server_desc_t;

typedef enum server_message_kind_t {
  SERVER_NONE,
  SERVER_CONNECTED,
  SERVER_TEXT,
  SERVER_DISCONNECTED
} server_message_kind_t;

typedef struct server_message_t {
  server_message_kind_t kind;
  uint32_t client; // number of the client, starting at 1; never reused
  char *text;      // SERVER_TEXT: `bytes` bytes and a '\0'; release with server_free_message
  size_t bytes;
} server_message_t;

// Starts the server. Returns the server, or NULL with an error if no port is free, or if the wake-up object or the
// thread cannot be created.
server_o *server_create(const server_desc_t *desc, error_info_t *error);
void server_destroy(server_o *server); // accepts NULL
uint16_t server_get_port(const server_o *server);
// Sets the folder that is served as "assets/…". "" serves no assets. The string is copied. Main thread only.
void server_set_assets(server_o *server, const char *folder);

// --- main thread
bool server_has_message(const server_o *server);
bool server_pop_message(server_o *server, server_message_t *out);
void server_free_message(server_o *server, server_message_t *message);
// Queues a copy of the text for a client. Returns true on success, or false if the client has disconnected or is
// dropped because its queue is full.
bool server_send(server_o *server, uint32_t client, const char *text, size_t bytes);

#endif
