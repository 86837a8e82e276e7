// Opens, drains and closes sockets of ENet, and writes down what came (net_wire.h).
#include "net_wire.h"

#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_PEERS 32
#define RETRY 30 // polls between two tries to connect

struct wire_o {
  ENetHost *server, *client;
  ENetPeer *up;      // whom we are connected to, or about to be
  bool is_up, tried; // tried: to listen, and it did not work
  uint32_t port, wait;
  char address[256];
  long process; // that opened it: a copy of it closes sockets, and says goodbye to nobody
};

// What is written down: kind, peer and bytes of the text, 4 each, and the text.
typedef struct log_t {
  uint8_t *bytes;
  size_t used, room;
} log_t;

size_t wire_bytes(void) {
  return sizeof(wire_o);
}

wire_o *wire_create(void *memory) {
  wire_o *w = memory;
  memset(w, 0, sizeof *w);
  w->process = (long)getpid();
  return w;
}

// ------------------------------------------------------------------------------------------------------------ as bytes

static bool note(log_t *log, wire_kind_t kind, uint32_t peer, const void *text, size_t length) {
  const uint32_t head[3] = {(uint32_t)kind, peer, (uint32_t)length};
  if (log->used + sizeof head + length > log->room)
    return false;
  memcpy(log->bytes + log->used, head, sizeof head);
  if (length > 0)
    memcpy(log->bytes + log->used + sizeof head, text, length);
  log->used += sizeof head + length;
  return true;
}

// Bytes of the character that begins here; 0: it is none.
static size_t character(const uint8_t *s, size_t left) {
  size_t n = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : (s[0] & 0xf8) == 0xf0 ? 4 : 0;
  if (n == 0 || n > left || (n == 1 && s[0] == 0) || (n == 2 && s[0] < 0xc2) || (n == 4 && s[0] > 0xf4))
    return 0;
  for (size_t i = 1; i < n; ++i)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  return n;
}

static void take_text(const uint8_t *from, size_t length, char *to) {
  size_t used = 0;
  for (size_t i = 0; i < length;) {
    size_t n = character(from + i, length - i);
    if (n > 0)
      memcpy(to + used, from + i, n);
    else
      to[used] = '?';
    used += n > 0 ? n : 1;
    i += n > 0 ? n : 1;
  }
  to[used] = '\0';
}

bool wire_read(const void *bytes, size_t size, size_t *at, wire_item_t *out) {
  uint32_t head[3];
  if (size - *at < sizeof head)
    return false;
  memcpy(head, (const uint8_t *)bytes + *at, sizeof head);
  *at += sizeof head;
  if (head[0] > WIRE_TROUBLE || head[2] > WIRE_MOST_TEXT || head[2] > size - *at)
    return false;
  out->kind = (wire_kind_t)head[0];
  out->peer = head[1];
  take_text((const uint8_t *)bytes + *at, head[2], out->text);
  *at += head[2];
  return true;
}

// ------------------------------------------------------------------------------------------------------------- sockets

static void say_goodbye(const wire_o *w, ENetPeer *peer) {
  if (w->process == (long)getpid())
    enet_peer_disconnect_now(peer, 0);
}

static void stop_listening(wire_o *w) {
  for (size_t i = 0; w->server && i < w->server->peerCount; ++i)
    if (w->server->peers[i].state == ENET_PEER_STATE_CONNECTED)
      say_goodbye(w, &w->server->peers[i]);
  if (w->server)
    enet_host_destroy(w->server);
  w->server = NULL;
}

static void hang_up(wire_o *w) {
  if (w->up && w->is_up)
    say_goodbye(w, w->up);
  if (w->client)
    enet_host_destroy(w->client);
  w->client = NULL;
  w->up = NULL;
  w->is_up = false;
}

void wire_destroy(wire_o *w) {
  stop_listening(w);
  hang_up(w);
}

static void trouble(log_t *log, const char *words, const char *what) {
  char text[400];
  int length = snprintf(text, sizeof text, words, what);
  note(log, WIRE_TROUBLE, 0, text, (size_t)length);
}

static void listen_as_wished(wire_o *w, const wire_wish_t *wish, log_t *log) {
  char number[16];
  if (w->server && (!wish->listen || (wish->port != 0 && wish->port != w->port))) {
    stop_listening(w);
    note(log, WIRE_BOUND, 0, NULL, 0);
  }
  w->tried = w->tried && wish->listen && wish->port == w->port;
  if (w->server || !wish->listen || w->tried)
    return;
  ENetAddress address = {.host = ENET_HOST_ANY, .port = (enet_uint16)wish->port};
  w->port = wish->port;
  w->server = wish->port <= UINT16_MAX ? enet_host_create(&address, MOST_PEERS, 1, 0, 0) : NULL;
  w->tried = !w->server;
  snprintf(number, sizeof number, "%u", (unsigned)wish->port);
  if (!w->server) {
    trouble(log, "nobody can listen at port %s: somebody else does, or there is no such port", number);
    return;
  }
  w->port = w->server->address.port; // which is the one that the system has chosen
  note(log, WIRE_BOUND, w->port, NULL, 0);
}

static bool read_address(const char *text, ENetAddress *out) {
  char host[256];
  const char *colon = strrchr(text, ':');
  char *end = NULL;
  unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
  if (port == 0 || port > UINT16_MAX || *end)
    return false;
  snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
  out->port = (enet_uint16)port;
  return enet_address_set_host(out, host) == 0;
}

static void connect_as_wished(wire_o *w, const wire_wish_t *wish, log_t *log) {
  ENetAddress address;
  if (strcmp(w->address, wish->address) != 0) {
    hang_up(w);
    w->wait = 0;
    snprintf(w->address, sizeof w->address, "%s", wish->address);
    if (w->address[0] && !read_address(w->address, &address))
      trouble(log, "“%s” is no address: HOST:PORT, as localhost:4000", w->address);
  }
  if (wish->connected && !w->is_up) // it was hung up, or another load of the library was connected
    note(log, WIRE_LEFT, 0, NULL, 0);
  if (!w->address[0] || w->up || (w->wait > 0 && --w->wait > 0) || !read_address(w->address, &address))
    return;
  w->wait = RETRY;
  if (!w->client)
    w->client = enet_host_create(NULL, 1, 1, 0, 0);
  w->up = w->client ? enet_host_connect(w->client, &address, 1, 0) : NULL;
}

// ----------------------------------------------------------------------------------------------------------- what came

static bool take_event(wire_o *w, const ENetEvent *event, bool of_client, log_t *log) {
  uint32_t peer = of_client ? 0 : (uint32_t)event->peer->incomingPeerID + 1;
  bool fine = true;
  switch (event->type) {
  case ENET_EVENT_TYPE_CONNECT:
    w->is_up = w->is_up || of_client;
    fine = note(log, WIRE_JOINED, peer, NULL, 0);
    break;
  case ENET_EVENT_TYPE_DISCONNECT:
    if (!of_client)
      fine = note(log, WIRE_LEFT, peer, NULL, 0); // of the client it is told by the next poll
    if (of_client) {
      w->up = NULL;
      w->is_up = false;
    }
    break;
  case ENET_EVENT_TYPE_RECEIVE:
    if (event->packet->dataLength <= WIRE_MOST_TEXT)
      fine = note(log, WIRE_MESSAGE, peer, event->packet->data, event->packet->dataLength);
    else
      trouble(log, "a message has more than 4,000 bytes%s", ": it is dropped");
    enet_packet_destroy(event->packet);
    break;
  case ENET_EVENT_TYPE_NONE: break;
  }
  return fine;
}

// Until nothing is there, or no room for the longest message.
static void drain(wire_o *w, ENetHost *host, log_t *log) {
  ENetEvent event;
  while (log->room - log->used > WIRE_MOST_TEXT + 512 && enet_host_service(host, &event, 0) > 0)
    take_event(w, &event, host == w->client, log);
}

size_t wire_poll(wire_o *w, const wire_wish_t *wish, void *bytes, size_t room) {
  log_t log = {.bytes = bytes, .room = room};
  listen_as_wished(w, wish, &log);
  connect_as_wished(w, wish, &log);
  if (w->server)
    drain(w, w->server, &log);
  if (w->client)
    drain(w, w->client, &log);
  return log.used;
}

// ----------------------------------------------------------------------------------------------------------- what goes

static void send_to(ENetPeer *peer, const char *text) {
  if (peer->state == ENET_PEER_STATE_CONNECTED)
    enet_peer_send(peer, 0, enet_packet_create(text, strlen(text), ENET_PACKET_FLAG_RELIABLE));
}

void wire_send(wire_o *w, uint32_t peer, const char *text) {
  if (peer == 0 || peer == WIRE_EVERYBODY) {
    if (w->up && w->is_up)
      send_to(w->up, text);
  }
  for (uint32_t i = 0; peer > 0 && w->server && i < w->server->peerCount; ++i)
    if (peer == WIRE_EVERYBODY || i + 1 == peer)
      send_to(&w->server->peers[i], text);
}

void wire_flush(wire_o *w) {
  if (w->server)
    enet_host_flush(w->server);
  if (w->client)
    enet_host_flush(w->client);
}
