// Network links: the cost of sealing and of reliable messages, and of a flood over real sockets. Prints lines
// `value NAME N`:
//
//   seal_small, seal_large   ns to seal, send, receive and open a datagram of 100 and of 1,100 bytes, without sockets
//   joins_checked, joins_dropped  ns per JOIN with a wrong cookie from one network, without sockets: at 10,000 per
//                            second, which are all checked, and at 100,000 per second, most of which the limit drops
//   stream                   ns per KB of messages through two streams, without sealing
//   quiet, flood, forged     percent of a core that a host with one peer uses at 60 ticks per second: without a flood,
//                            with 100,000 datagrams per second from another address, and with as many from the peer's
//   flood_sent, forged_sent  datagrams that the flood sent per second
//   flood_arrived, forged_arrived  percent of the peer's inputs that arrived during the flood
#include "base/now.h"
#include "base/random.h"
#include "link/link_sim.h"
#include "link/link_udp.h"
#include "link/stream.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICKS 180u // three seconds
#define TICK_NS 16666667
#define RATE 100000u // datagrams of the flood per second
#define LOCALHOST 0x7f000001u

typedef struct peer_t {
  seal_o *seal;
  uint32_t peer, data;
} peer_t;

static void check(bool ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "link: %s\n", what);
  exit(1);
}

static void poll_peer(peer_t *p, int64_t now_us) {
  seal_event_t event;
  while (seal_poll(p->seal, now_us, &event)) {
    if (event.kind == SEAL_EVENT_REQUEST)
      seal_accept(p->seal, now_us, event.peer, NULL, 0);
    if (event.kind == SEAL_EVENT_CONNECTED)
      p->peer = event.peer;
    p->data += event.kind == SEAL_EVENT_DATA;
  }
}

static peer_t create_peer(link_t link, bool is_host) {
  peer_t p = {.seal = seal_create(&(seal_desc_t){.link = link, .is_host = is_host}, NULL)};
  check(p.seal != NULL, "no seal");
  return p;
}

// --- without sockets

static void measure_seal(const char *name, size_t size) {
  link_sim_o *sim = link_sim_create(1, &(link_sim_conditions_t){0});
  link_address_t a = link_address_from_ipv4(1, 1), b = link_address_from_ipv4(2, 1);
  peer_t host = create_peer(link_sim_add(sim, &a), true), joiner = create_peer(link_sim_add(sim, &b), false);
  static uint8_t payload[SEAL_PAYLOAD_BYTES];
  seal_join(joiner.seal, 0, &a, NULL, "", 0, NULL);
  for (int64_t us = 0; us < 500000; us += 10000) {
    poll_peer(&host, us);
    poll_peer(&joiner, us);
  }
  int64_t start_ns = now_thread_ns(), us = 500000;
  for (uint32_t i = 0; i < 50000; ++i, us += 500) {
    seal_send(joiner.seal, us, joiner.peer, payload, size);
    poll_peer(&host, us);
  }
  printf("value %s %.0f\n", name, (double)(now_thread_ns() - start_ns) / 50000);
  check(host.data == 50000, "not all datagrams arrived");
  seal_destroy(host.seal);
  seal_destroy(joiner.seal);
  link_sim_destroy(sim);
}

// Number of datagrams that the link of receive_join still delivers: each is a JOIN with a new key and a wrong cookie.
static uint32_t left;

static size_t receive_join(void *context, int64_t now_us, link_address_t *from, uint8_t *out) {
  (void)context, (void)now_us;
  if (left == 0)
    return 0;
  --left;
  memset(out, 0, SEAL_JOIN_MIN_BYTES);
  out[0] = SEAL_TYPE_JOIN;
  out[1] = SEAL_VERSION;
  memcpy(out + 4, &left, sizeof left);
  *from = link_address_from_ipv4(0xc0000200u | left % 256, 4711);
  return SEAL_JOIN_MIN_BYTES;
}

static bool send_nothing(void *context, int64_t now_us, const link_address_t *to, const void *bytes, size_t size) {
  (void)context, (void)now_us, (void)to, (void)bytes, (void)size;
  return true;
}

// Passes 200,000 JOINs to a host, `rate` of them per second of simulated time.
static void measure_joins(const char *name, uint32_t rate) {
  peer_t host = create_peer((link_t){.send = send_nothing, .receive = receive_join}, true);
  left = 200000;
  int64_t start_ns = now_thread_ns();
  for (int64_t us = 0; left > 0;) {
    uint32_t before = left;
    poll_peer(&host, us);
    us += (int64_t)(before - left) * 1000000 / rate;
  }
  printf("value %s %.0f\n", name, (double)(now_thread_ns() - start_ns) / 200000);
  seal_destroy(host.seal);
}

static void measure_stream(void) {
  stream_o *streams[2] = {stream_create(&(stream_desc_t){0}), stream_create(&(stream_desc_t){0})};
  static uint8_t message[STREAM_MESSAGE_BYTES];
  uint8_t bytes[SEAL_PAYLOAD_BYTES];
  const uint8_t *unreliable;
  uint64_t numbers[2] = {0, 0}, popped = 0;
  size_t size;
  int64_t start_ns = now_thread_ns();
  for (int64_t us = 1; popped < 20000000; us += 1000) {
    while (stream_push(streams[0], message, sizeof message)) {
    }
    for (uint32_t i = 0; i < 2; ++i)
      for (uint32_t k = 0; k == 0 || stream_has_work(streams[i], us); ++k) {
        size = stream_write(streams[i], us, ++numbers[i], NULL, 0, bytes);
        check(stream_read(streams[1 - i], us, numbers[i], bytes, size, &unreliable, &size, NULL), "invalid datagram");
      }
    while (stream_pop(streams[1], &size))
      popped += size;
  }
  printf("value stream %.0f\n", (double)(now_thread_ns() - start_ns) * 1000 / (double)popped);
  stream_destroy(streams[0]);
  stream_destroy(streams[1]);
}

// --- the flood

static link_t joiner_link;
static uint8_t last_head[SEAL_DATA_HEAD_BYTES]; // head of the joiner's last datagram

static bool send_and_note(void *context, int64_t now_us, const link_address_t *to, const void *bytes, size_t size) {
  memcpy(last_head, bytes, sizeof last_head);
  return joiner_link.send(context, now_us, to, bytes, size);
}

// Sends junk at RATE for 3.2 s, writes the reached rate to `report`, and exits. If `sealed` is not NULL, forges
// datagrams of that session; otherwise sends all kinds.
static void send_flood(const link_t *link, const link_address_t *host, const uint8_t *sealed, int report) {
  random_t random;
  random_seed(&random, 1);
  uint8_t junk[LINK_DATAGRAM_BYTES];
  int64_t start_ns = now_ns();
  uint32_t sent = 0;
  cpu_set_t every_core; // all cores, because the benchmark is pinned to a single core
  memset(&every_core, 0xff, sizeof every_core);
  sched_setaffinity(0, sizeof every_core, &every_core);
  for (size_t i = 0; i < sizeof junk; ++i)
    junk[i] = (uint8_t)random_u32(&random);
  while (now_ns() - start_ns < INT64_C(3200000000)) {
    for (uint32_t due = (uint32_t)((now_ns() - start_ns) * RATE / 1000000000); sent < due; ++sent) {
      uint32_t kind = sealed ? 3 : sent % 4;
      size_t size = kind == 1 ? SEAL_HELLO_BYTES : LINK_DATAGRAM_BYTES;
      memcpy(junk + (sealed ? 20 : 4), &sent, 4); // changes the key, cookie or payload of each datagram
      if (sealed)
        memcpy(junk, sealed, SEAL_DATA_HEAD_BYTES - 3), junk[5] = 1; // a later sequence number
      else if (kind > 0)
        memcpy(junk,
               (uint8_t[]){kind == 1   ? SEAL_TYPE_HELLO
                           : kind == 2 ? SEAL_TYPE_JOIN
                                       : SEAL_TYPE_DATA,
                           1, 0, 0},
               4);
      link_send(link, 0, host, junk, size);
    }
    usleep(500);
  }
  double rate = sent / 3.2;
  check(write(report, &rate, sizeof rate) == sizeof rate, "the pipe is closed");
  _exit(0);
}

// Runs a host with one peer for TICKS. Returns the percent of a core that the host takes.
static double run_host(peer_t *host, peer_t *joiner, uint32_t *sent) {
  int64_t start_ns = now_ns(), spent_ns = 0;
  for (uint32_t tick = 0; tick < TICKS; ++tick) {
    int64_t us = now_ns() / 1000;
    poll_peer(joiner, us);
    if (joiner->peer && host->peer)
      *sent += seal_send(joiner->seal, us, joiner->peer, "the input of a player, with those before it", 44);
    int64_t before_ns = now_thread_ns();
    poll_peer(host, us);
    if (host->peer)
      seal_send(host->seal, us, host->peer, "a record with the inputs of all players and a hash", 51);
    spent_ns += now_thread_ns() - before_ns;
    int64_t wait_ns = start_ns + (tick + 1) * (int64_t)TICK_NS - now_ns();
    if (wait_ns > 0)
      usleep((useconds_t)(wait_ns / 1000));
  }
  poll_peer(host, now_ns() / 1000);
  return 100.0 * (double)spent_ns / (double)(now_ns() - start_ns);
}

static link_udp_o *open_udp(void) {
  link_udp_o *udp = link_udp_create(&(link_udp_desc_t){.address = "127.0.0.1"}, NULL);
  check(udp != NULL, "no socket");
  return udp;
}

// `name`: "quiet", "flood" or "forged".
static void measure_flood(const char *name) {
  link_udp_o *sockets[3] = {open_udp(), open_udp(), open_udp()};
  link_t links[3] = {link_udp_get_link(sockets[0]), link_udp_get_link(sockets[1]), link_udp_get_link(sockets[2])};
  link_address_t address = link_address_from_ipv4(LOCALHOST, link_udp_get_port(sockets[0]));
  joiner_link = links[1];
  links[1].send = send_and_note;
  peer_t host = create_peer(links[0], true), joiner = create_peer(links[1], false);
  int report[2];
  double rate = 0;
  check(pipe(report) == 0, "no pipe");
  seal_join(joiner.seal, now_ns() / 1000, &address, NULL, "", 0, NULL);
  for (uint32_t i = 0; i < 100 && !host.peer; ++i, usleep(5000)) {
    poll_peer(&host, now_ns() / 1000);
    poll_peer(&joiner, now_ns() / 1000);
  }
  check(host.peer && joiner.peer, "not connected");
  bool is_forged = strcmp(name, "forged") == 0, is_quiet = strcmp(name, "quiet") == 0;
  seal_send(joiner.seal, now_ns() / 1000, joiner.peer, "x", 1);
  // Forged datagrams have the peer's address, because its socket sends them, and the id of its session, which only an
  // attacker who reads its datagrams would know.
  pid_t flood = is_quiet ? -1 : fork();
  if (flood == 0)
    send_flood(is_forged ? &joiner_link : &links[2], &address, is_forged ? last_head : NULL, report[1]);
  uint32_t sent = 1; // number of datagrams that the joiner has sent; the first is "x"
  double share = run_host(&host, &joiner, &sent);
  if (!is_quiet) {
    check(read(report[0], &rate, sizeof rate) == sizeof rate, "the flood has failed");
    waitpid(flood, NULL, 0);
    printf("value %s_sent %.0f\nvalue %s_arrived %.1f\n", name, rate, name, 100.0 * host.data / sent);
  }
  printf("value %s %.2f\n", name, share);
  close(report[0]);
  close(report[1]);
  seal_destroy(host.seal);
  seal_destroy(joiner.seal);
  for (uint32_t i = 0; i < 3; ++i)
    link_udp_destroy(sockets[i]);
}

int main(void) {
  measure_seal("seal_small", 100);
  measure_seal("seal_large", 1100);
  measure_joins("joins_checked", 10000);
  measure_joins("joins_dropped", 100000);
  measure_stream();
  measure_flood("quiet");
  measure_flood("flood");
  measure_flood("forged");
  return 0;
}
