// The server: a port of this machine where browsers and tools come in. A thread of its own accepts, reads and writes,
// so that nobody who is slow, hostile or gone holds up the game; the main thread takes whole messages out of a queue
// and puts whole messages into others. Every queue has an end, and every wait a deadline:
//
//   a connection that has not said what it wants within SERVER_HEAD_MS is closed, and the oldest of them goes first
//   when there are too many; a message is at most SERVER_MESSAGE_BYTES; who has SERVER_MAX_WAITING messages waiting is
//   not read until some are answered; who leaves SERVER_MAX_QUEUED bytes lying is dropped.
//
// With nobody connected the thread sleeps, and server_has_news is a look at one number. What is asked for besides the
// socket are the page's files, below one folder.
#ifndef SHOAL_SERVER_SERVER_H
#define SHOAL_SERVER_SERVER_H

#include "base/error.h"
#include "server/http.h"

#define SERVER_MAX_CONNECTIONS 64u // at a time, of all kinds
#define SERVER_MAX_CLIENTS 16u     // of them, that speak
#define SERVER_HEAD_MS 3000
#define SERVER_MESSAGE_BYTES (256u << 10)
#define SERVER_MAX_WAITING 64u
#define SERVER_MAX_QUEUED (16u << 20)

typedef struct server_o server_o;

typedef struct server_desc_t {
  uint16_t port;  // the first one that is tried
  uint16_t ports; // how many, one after the other
  const char *token;
  const char *folder; // of the page; absolute
} server_desc_t;

typedef enum server_news_t { SERVER_NOTHING, SERVER_JOINED, SERVER_SAID, SERVER_LEFT } server_news_t;

typedef struct server_message_t {
  server_news_t kind;
  uint32_t client; // from 1; no number comes twice
  char *text;      // SAID: `bytes` and a '\0'; the caller's, to be given to server_forget
  size_t bytes;
} server_message_t;

// NULL with a message when no port can be had.
server_o *server_create(const server_desc_t *desc, error_t *error);
void server_destroy(server_o *s); // NULL is fine
uint16_t server_port(const server_o *s);
// The folder of what is asked for as "assets/…", copied; "" for none. Main thread.
void server_set_assets(server_o *s, const char *folder);

// --- main thread
bool server_has_news(const server_o *s);
bool server_next(server_o *s, server_message_t *out);
void server_forget(server_o *s, server_message_t *m);
// Copied. False when the client is gone.
bool server_say(server_o *s, uint32_t client, const char *text, size_t bytes);

#endif
