// Simulated network: each endpoint has a heap of the datagrams in flight to it, ordered by arrival time and then by
// order of sending.
#include "link/link_sim.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TIME_US 10000000
#define MAX_KB_PER_S 1000000u
#define MIN_REORDERING_US 10000

typedef struct datagram_t {
  int64_t arrives_us;
  uint64_t number; // number of the datagram in the order of sending
  link_address_t from;
  uint8_t *bytes;
  size_t size;
} datagram_t;

typedef struct endpoint_t {
  link_sim_o *sim;
  link_address_t address;
  bool is_disconnected;
  int64_t free_us; // time at which the send queue is empty
  ARRAY(datagram_t) heap;
} endpoint_t;

struct link_sim_o {
  allocator_t memory;
  random_t random;
  link_sim_conditions_t conditions;
  link_sim_counts_t counts;
  endpoint_t *endpoints[LINK_SIM_MAX_ENDPOINTS];
  uint32_t endpoint_count;
};

// --- parsing

// Parses a decimal number. Returns the text after the number, or NULL if the text does not begin with a digit.
static const char *parse_decimal(const char *text, double *out) {
  double scale = 1;
  const char *start = text;
  *out = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    *out = *out * 10 + (*text - '0');
  if (text > start && *text == '.')
    for (++text; *text >= '0' && *text <= '9'; ++text)
      *out += (scale /= 10) * (*text - '0');
  return text > start ? text : NULL;
}

static bool parse_time(const char *item, const char *name, int64_t *out, error_info_t *error) {
  static const struct {
    const char *name;
    double us;
  } units[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}};
  double number = 0;
  const char *unit = parse_decimal(item, &number);
  for (uint32_t i = 0; unit && i < 3; ++i)
    if (strcmp(unit, units[i].name) == 0) {
      if (number * units[i].us > MAX_TIME_US)
        return error_set(error, "%s must be at most 10s, got %s", name, item);
      *out = (int64_t)(number * units[i].us + 0.5);
      return true;
    }
  return error_set(error, "%s must be a time such as 120ms, got \"%s\"", name, item);
}

static bool parse_fraction(const char *item, const char *name, double *out, error_info_t *error) {
  const char *unit = parse_decimal(item, out);
  if (!unit || strcmp(unit, "%") != 0)
    return error_set(error, "%s must be a percentage such as 5%%, got \"%s\"", name, item);
  *out /= 100;
  return *out <= 1 || error_set(error, "%s must be at most 100%%, got %s", name, item);
}

static bool parse_bandwidth(const char *item, uint32_t *out, error_info_t *error) {
  double number = 0;
  const char *unit = parse_decimal(item, &number);
  if (!unit || strcmp(unit, "KB/s") != 0)
    return error_set(error, "bandwidth must be a rate such as 20KB/s, got \"%s\"", item);
  if (number < 1 || number > MAX_KB_PER_S)
    return error_set(error, "bandwidth must be from 1KB/s to %uKB/s, got %s", MAX_KB_PER_S, item);
  *out = (uint32_t)(number * 1000);
  return true;
}

bool link_sim_parse(const char *text, link_sim_conditions_t *out, error_info_t *error) {
  char items[6][32] = {{0}};
  uint32_t count = 0;
  *out = (link_sim_conditions_t){0};
  for (const char *at = text; at; ++count) {
    const char *comma = strchr(at, ',');
    size_t size = comma ? (size_t)(comma - at) : strlen(at);
    if (count == 6 || size >= sizeof items[0])
      return error_set(
          error, "network \"%.80s\": expected at most six short values, as in \"120ms,40ms,5%%,1%%,2%%,20KB/s\"", text);
    memcpy(items[count], at, size);
    at = comma ? comma + 1 : NULL;
  }
  if (count < 3)
    return error_set(error, "network \"%.80s\": expected round trip, jitter and loss, as in \"120ms,40ms,5%%\"", text);
  return parse_time(items[0], "round trip", &out->round_trip_us, error) &&
         parse_time(items[1], "jitter", &out->jitter_us, error) &&
         parse_fraction(items[2], "loss", &out->loss, error) &&
         (count < 4 || parse_fraction(items[3], "duplication", &out->duplication, error)) &&
         (count < 5 || parse_fraction(items[4], "reordering", &out->reordering, error)) &&
         (count < 6 || parse_bandwidth(items[5], &out->bytes_per_s, error)) &&
         (out->jitter_us <= out->round_trip_us ||
          error_set(error, "jitter must be at most the round trip (%s), got %s", items[0], items[1]));
}

// --- datagrams in flight

static bool arrives_before(const datagram_t *a, const datagram_t *b) {
  return a->arrives_us != b->arrives_us ? a->arrives_us < b->arrives_us : a->number < b->number;
}

static void push_datagram(endpoint_t *to, datagram_t datagram) {
  array_push(&to->sim->memory, &to->heap, datagram);
  datagram_t *heap = to->heap.items;
  uint32_t at = to->heap.count - 1;
  for (; at > 0 && arrives_before(&datagram, &heap[(at - 1) / 2]); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = datagram;
}

static datagram_t pop_datagram(endpoint_t *endpoint) {
  datagram_t *heap = endpoint->heap.items, first = heap[0], last = heap[--endpoint->heap.count];
  uint32_t at = 0, count = endpoint->heap.count;
  for (uint32_t child = 1; child < count; child = 2 * at + 1) {
    child += child + 1 < count && arrives_before(&heap[child + 1], &heap[child]);
    if (!arrives_before(&heap[child], &last))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}

static endpoint_t *find_endpoint(link_sim_o *sim, const link_address_t *address) {
  for (uint32_t i = 0; i < sim->endpoint_count; ++i)
    if (link_address_equals(&sim->endpoints[i]->address, address))
      return sim->endpoints[i];
  return NULL;
}

static bool occurs(link_sim_o *sim, double fraction) {
  return random_unit(&sim->random) < fraction;
}

static int64_t draw_delay_us(link_sim_o *sim) {
  const link_sim_conditions_t *c = &sim->conditions;
  double delay = 0.5 * (double)c->round_trip_us + (random_unit(&sim->random) - 0.5) * (double)c->jitter_us;
  bool is_reordered = occurs(sim, c->reordering);
  int64_t longest = c->round_trip_us > MIN_REORDERING_US ? c->round_trip_us : MIN_REORDERING_US;
  if (is_reordered)
    delay += random_unit(&sim->random) * (double)longest;
  return delay > 0 ? (int64_t)delay : 0;
}

// Returns the time at which the datagram leaves the sender, or -1 if the send queue is full.
static int64_t queue_datagram(endpoint_t *from, int64_t now_us, size_t size) {
  uint32_t bytes_per_s = from->sim->conditions.bytes_per_s;
  if (bytes_per_s == 0)
    return now_us;
  int64_t start_us = from->free_us > now_us ? from->free_us : now_us;
  if (start_us - now_us > LINK_SIM_MAX_QUEUE_US)
    return -1;
  return from->free_us = start_us + (int64_t)(size * 1000000 / bytes_per_s);
}

static bool deliver(endpoint_t *from, endpoint_t *to, int64_t leaves_us, const void *bytes, size_t size) {
  link_sim_o *sim = from->sim;
  if (to->heap.count >= LINK_SIM_MAX_IN_FLIGHT)
    return false;
  datagram_t datagram = {leaves_us + draw_delay_us(sim), sim->counts.sent, from->address,
                         alloc_resize(&sim->memory, NULL, 0, size), size};
  memcpy(datagram.bytes, bytes, size);
  push_datagram(to, datagram);
  return true;
}

static bool sim_send(void *context, int64_t now_us, const link_address_t *address, const void *bytes, size_t size) {
  endpoint_t *from = context;
  link_sim_o *sim = from->sim;
  endpoint_t *to = find_endpoint(sim, address);
  shoal_assert(size > 0 && size <= LINK_DATAGRAM_BYTES, "datagram of %zu bytes is out of range [1, 1200]", size);
  ++sim->counts.sent;
  sim->counts.sent_bytes += size;
  int64_t leaves_us = queue_datagram(from, now_us, size);
  bool is_lost = occurs(sim, sim->conditions.loss) || !to || from->is_disconnected || to->is_disconnected;
  if (is_lost || leaves_us < 0 || !deliver(from, to, leaves_us, bytes, size))
    ++sim->counts.lost;
  else if (occurs(sim, sim->conditions.duplication) && deliver(from, to, leaves_us, bytes, size))
    ++sim->counts.duplicated;
  return true;
}

static size_t sim_receive(void *context, int64_t now_us, link_address_t *from, uint8_t *out) {
  endpoint_t *endpoint = context;
  if (endpoint->heap.count == 0 || endpoint->heap.items[0].arrives_us > now_us)
    return 0;
  datagram_t datagram = pop_datagram(endpoint);
  *from = datagram.from;
  memcpy(out, datagram.bytes, datagram.size);
  alloc_resize(&endpoint->sim->memory, datagram.bytes, datagram.size, 0);
  ++endpoint->sim->counts.delivered;
  return datagram.size;
}

// --- the network

link_sim_o *link_sim_create(uint64_t seed, const link_sim_conditions_t *conditions) {
  link_sim_o *sim = alloc_object(sizeof *sim);
  random_seed(&sim->random, seed);
  sim->conditions = *conditions;
  return sim;
}

void link_sim_destroy(link_sim_o *sim) {
  for (uint32_t i = 0; sim && i < sim->endpoint_count; ++i) {
    endpoint_t *endpoint = sim->endpoints[i];
    for (uint32_t k = 0; k < endpoint->heap.count; ++k)
      alloc_resize(&sim->memory, endpoint->heap.items[k].bytes, endpoint->heap.items[k].size, 0);
    array_free(&sim->memory, &endpoint->heap);
    alloc_resize(&sim->memory, endpoint, sizeof *endpoint, 0);
  }
  shoal_assert(!sim || sim->memory.bytes == 0, "%zu bytes of the network were not freed", sim->memory.bytes);
  free(sim);
}

link_t link_sim_add(link_sim_o *sim, const link_address_t *address) {
  shoal_assert(sim->endpoint_count < LINK_SIM_MAX_ENDPOINTS, "too many endpoints (%u)", sim->endpoint_count);
  shoal_assert(!find_endpoint(sim, address), "two endpoints have the port %u", address->port);
  endpoint_t *endpoint = alloc_resize(&sim->memory, NULL, 0, sizeof *endpoint);
  *endpoint = (endpoint_t){.sim = sim, .address = *address};
  sim->endpoints[sim->endpoint_count++] = endpoint;
  return (link_t){.context = endpoint, .send = sim_send, .receive = sim_receive};
}

void link_sim_set_conditions(link_sim_o *sim, const link_sim_conditions_t *conditions) {
  sim->conditions = *conditions;
}

void link_sim_disconnect(link_sim_o *sim, const link_address_t *address, bool is_disconnected) {
  endpoint_t *endpoint = find_endpoint(sim, address);
  shoal_assert(endpoint, "no endpoint has the port %u", address->port);
  if (endpoint)
    endpoint->is_disconnected = is_disconnected;
}

link_sim_counts_t link_sim_get_counts(const link_sim_o *sim) {
  return sim->counts;
}
