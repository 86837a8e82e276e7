// Rate limits that a flood from a few networks does not exhaust for senders in different networks.
#ifndef SHOAL_LINK_NETWORK_LIMIT_H
#define SHOAL_LINK_NETWORK_LIMIT_H

#include "link/rate_limit.h"

#define NETWORK_LIMIT_BUCKETS 512u  // size of each hash table; a power of two
#define NETWORK_LIMIT_PER_SECOND 5u // rate of each bucket, in events per second
#define NETWORK_LIMIT_BURST 5u

// A limit for all senders, unused when zero-initialized. Each network has one bucket in each table. Two networks with
// the same bucket in one table most likely have different buckets in the second table, so a flood from the first
// network does not exhaust both buckets of the second network.
typedef struct network_limit_t {
  rate_limit_t total;
  rate_limit_t buckets[2][NETWORK_LIMIT_BUCKETS];
} network_limit_t;

// Counts one event toward one of a network's two buckets and returns true, or returns false if the event exceeds the
// rates of both.
static inline bool network_limit_take_share(network_limit_t *limit, int64_t now_us, uint64_t network) {
  for (uint32_t i = 0; i < 2; ++i) {
    rate_limit_t *bucket = &limit->buckets[i][(uint32_t)(network >> 32 * i) % NETWORK_LIMIT_BUCKETS];
    if (rate_limit_take(bucket, now_us, NETWORK_LIMIT_PER_SECOND, NETWORK_LIMIT_BURST))
      return true;
  }
  return false;
}

// Counts one event of a network and returns true, or returns false if the event exceeds the limits. An event that
// exceeds the rates of both buckets counts toward `per_second`, the limit that all networks share. `network`: keyed
// hash of the network, which senders cannot predict. In addition to `per_second`, at most
// 2 * NETWORK_LIMIT_BUCKETS * NETWORK_LIMIT_PER_SECOND events per second pass.
static inline bool network_limit_take(network_limit_t *limit, int64_t now_us, uint64_t network, uint32_t per_second) {
  return network_limit_take_share(limit, now_us, network) ||
         rate_limit_take(&limit->total, now_us, per_second, per_second / 10);
}

#endif
