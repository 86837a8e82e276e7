// Opens, drains and closes ENet sockets, serializes the received items, and sends messages (net_wire.h).
#include "net_wire.h"

#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PEERS 32
#define RETRY 30 // number of polls between two attempts to connect
// Version of the layout of wire_o. A library with another version opens new sockets.
#define LAYOUT 1u

struct wire_o {
  uint32_t owners;
  ENetHost *server, *client;
  ENetPeer *up;             // the peer to which `client` is or will be connected
  bool is_connected, tried; // is_connected: `client` is connected; tried: listening has failed
  uint32_t port, wait;
  char address[256];
  long process; // id of the creating process: forked children must close sockets without notifying peers
};

wire_o *wire_create(void) {
  wire_o *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->owners = 1;
  w->process = (long)getpid();
  return w;
}

// --- handover

typedef struct handed_t {
  uint32_t layout, enet; // versions of wire_o and of ENet's structs
  wire_o *wire;
} handed_t;

size_t wire_hand_over(wire_o *w, void *bytes, size_t room) {
  const handed_t handed = {.layout = LAYOUT, .enet = enet_linked_version(), .wire = w};
  if (room >= sizeof handed)
    memcpy(bytes, &handed, sizeof handed);
  return sizeof handed;
}

wire_o *wire_take_over(const void *bytes, size_t size) {
  handed_t handed;
  if (!bytes || size != sizeof handed)
    return NULL;
  memcpy(&handed, bytes, sizeof handed);
  if (handed.layout != LAYOUT || handed.enet != enet_linked_version() || !handed.wire)
    return NULL;
  ++handed.wire->owners;
  return handed.wire;
}

// --- sockets

static void disconnect_peers(const wire_o *w, ENetPeer *peer) {
  if (w->process == (long)getpid())
    enet_peer_disconnect_now(peer, 0);
}

static void stop_server(wire_o *w) {
  for (size_t i = 0; w->server && i < w->server->peerCount; ++i)
    if (w->server->peers[i].state == ENET_PEER_STATE_CONNECTED)
      disconnect_peers(w, &w->server->peers[i]);
  if (w->server)
    enet_host_destroy(w->server);
  w->server = NULL;
}

static void disconnect_client(wire_o *w) {
  if (w->up && w->is_connected)
    disconnect_peers(w, w->up);
  if (w->client)
    enet_host_destroy(w->client);
  w->client = NULL;
  w->up = NULL;
  w->is_connected = false;
}

void wire_release(wire_o *w) {
  if (!w || --w->owners > 0)
    return;
  stop_server(w);
  disconnect_client(w);
  free(w);
}

static void append_error(wire_log_t *log, const char *words, const char *what) {
  char text[400];
  int length = snprintf(text, sizeof text, words, what);
  wire_append(log, WIRE_TROUBLE, 0, text, (size_t)length);
}

static void update_server(wire_o *w, const wire_settings_t *settings, wire_log_t *log) {
  char number[16];
  if (w->server && (!settings->listen || (settings->port != 0 && settings->port != w->port))) {
    stop_server(w);
    wire_append(log, WIRE_BOUND, 0, NULL, 0);
  }
  w->tried = w->tried && settings->listen && settings->port == w->port;
  if (w->server || !settings->listen || w->tried)
    return;
  ENetAddress address = {.host = ENET_HOST_ANY, .port = (enet_uint16)settings->port};
  w->port = settings->port;
  w->server = settings->port <= UINT16_MAX ? enet_host_create(&address, MAX_PEERS, 1, 0, 0) : NULL;
  w->tried = !w->server;
  snprintf(number, sizeof number, "%u", (unsigned)settings->port);
  if (!w->server) {
    append_error(log, "cannot listen on port %s: use a free port from 1024 to 65535, or 0 for any free port", number);
    return;
  }
  w->port = w->server->address.port; // if `port` was 0, the system has chosen a port
  wire_append(log, WIRE_BOUND, w->port, NULL, 0);
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

static void update_client(wire_o *w, const wire_settings_t *settings, wire_log_t *log) {
  ENetAddress address;
  if (strcmp(w->address, settings->address) != 0) {
    disconnect_client(w);
    w->wait = 0;
    snprintf(w->address, sizeof w->address, "%s", settings->address);
    if (w->address[0] && !read_address(w->address, &address))
      append_error(log, "invalid address “%s”: expected HOST:PORT, such as localhost:4000", w->address);
  }
  // Report a lost connection: the client has disconnected, or the connection belonged to a library with another layout.
  if (settings->connected && !w->is_connected)
    wire_append(log, WIRE_LEFT, 0, NULL, 0);
  if (!w->address[0] || w->up || (w->wait > 0 && --w->wait > 0) || !read_address(w->address, &address))
    return;
  w->wait = RETRY;
  if (!w->client)
    w->client = enet_host_create(NULL, 1, 1, 0, 0);
  w->up = w->client ? enet_host_connect(w->client, &address, 1, 0) : NULL;
}

// --- receiving

static bool handle_event(wire_o *w, const ENetEvent *event, bool of_client, wire_log_t *log) {
  uint32_t peer = of_client ? 0 : (uint32_t)event->peer->incomingPeerID + 1;
  bool ok = true;
  switch (event->type) {
  case ENET_EVENT_TYPE_CONNECT:
    w->is_connected = w->is_connected || of_client;
    ok = wire_append(log, WIRE_JOINED, peer, NULL, 0);
    break;
  case ENET_EVENT_TYPE_DISCONNECT:
    if (!of_client)
      ok = wire_append(log, WIRE_LEFT, peer, NULL, 0); // for the client, the next poll reports the disconnection
    if (of_client) {
      w->up = NULL;
      w->is_connected = false;
    }
    break;
  case ENET_EVENT_TYPE_RECEIVE:
    if (event->packet->dataLength <= WIRE_MAX_TEXT)
      ok = wire_append(log, WIRE_MESSAGE, peer, event->packet->data, event->packet->dataLength);
    else
      append_error(log, "%s: longer than 4000 bytes", "dropped a message");
    enet_packet_destroy(event->packet);
    break;
  case ENET_EVENT_TYPE_NONE: break;
  }
  return ok;
}

// Reads events until none is left, or until a message of maximum length would not fit into the log.
static void drain_events(wire_o *w, ENetHost *host, wire_log_t *log) {
  ENetEvent event;
  while (log->room - log->used > WIRE_MAX_TEXT + 512 && enet_host_service(host, &event, 0) > 0)
    handle_event(w, &event, host == w->client, log);
}

size_t wire_poll(wire_o *w, const wire_settings_t *settings, void *bytes, size_t room) {
  wire_log_t log = {.bytes = bytes, .room = room};
  update_server(w, settings, &log);
  update_client(w, settings, &log);
  if (w->server)
    drain_events(w, w->server, &log);
  if (w->client)
    drain_events(w, w->client, &log);
  return log.used;
}

// --- sending

static void send_to_peer(ENetPeer *peer, const char *text) {
  if (peer->state == ENET_PEER_STATE_CONNECTED)
    enet_peer_send(peer, 0, enet_packet_create(text, strlen(text), ENET_PACKET_FLAG_RELIABLE));
}

void wire_send(wire_o *w, uint32_t peer, const char *text) {
  if (peer == 0 || peer == WIRE_ALL_PEERS) {
    if (w->up && w->is_connected)
      send_to_peer(w->up, text);
  }
  for (uint32_t i = 0; peer > 0 && w->server && i < w->server->peerCount; ++i)
    if (peer == WIRE_ALL_PEERS || i + 1 == peer)
      send_to_peer(&w->server->peers[i], text);
}

void wire_flush(wire_o *w) {
  if (w->server)
    enet_host_flush(w->server);
  if (w->client)
    enet_host_flush(w->client);
}
