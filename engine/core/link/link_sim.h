// A simulated network in one process: any number of endpoints, whose datagrams are delayed, lost, duplicated and
// reordered by a seeded random generator. The clock is the time that the callers of the links pass, so a simulation
// runs as fast as the processor allows, and the same seed and calls give the same result.
#ifndef SHOAL_LINK_LINK_SIM_H
#define SHOAL_LINK_LINK_SIM_H

#include "link/link.h"

#define LINK_SIM_MAX_ENDPOINTS 64u
// Maximum number of datagrams in flight to one endpoint; additional datagrams are lost.
#define LINK_SIM_MAX_IN_FLIGHT 8192u
// maximum time in the send queue if the bandwidth is limited; datagrams that would wait longer are lost
#define LINK_SIM_MAX_QUEUE_US 200000

typedef struct link_sim_o link_sim_o;

// All zero: a perfect network.
typedef struct link_sim_conditions_t {
  int64_t round_trip_us; // mean round trip; each direction takes half of it
  int64_t jitter_us;     // maximum deviation of the round trip; half of it in each direction, uniformly distributed
  // Fractions of the datagrams, in [0, 1]: lost, duplicated, reordered
  double loss;
  double duplication;
  double reordering;    // fraction of datagrams with an additional delay of up to max(round trip, 10 ms)
  uint32_t bytes_per_s; // bandwidth of each endpoint's sending direction; 0: unlimited
} link_sim_conditions_t;

// Parses "120ms,40ms,5%": round trip, jitter and loss, optionally followed by duplication, reordering and bandwidth, as
// in "120ms,40ms,5%,1%,2%,20KB/s". Times in "us", "ms" or "s", at most 10 s, with jitter at most the round trip;
// fractions in [0%, 100%]; bandwidth from 1KB/s (1,000 bytes per second) to 1000000KB/s. Returns true on success, or
// false with a message if the text is malformed or a value is out of range.
bool link_sim_parse(const char *text, link_sim_conditions_t *out, error_info_t *error);

// Creates a network without endpoints. Copies `conditions`. Free the result with link_sim_destroy.
link_sim_o *link_sim_create(uint64_t seed, const link_sim_conditions_t *conditions);
void link_sim_destroy(link_sim_o *sim); // accepts NULL; drops all datagrams in flight

// Adds an endpoint with a unique address; at most LINK_SIM_MAX_ENDPOINTS. Returns its link, valid until
// link_sim_destroy.
link_t link_sim_add(link_sim_o *sim, const link_address_t *address);

// Changes the conditions for datagrams sent from now on.
void link_sim_set_conditions(link_sim_o *sim, const link_sim_conditions_t *conditions);
// Disconnects or reconnects an endpoint. All datagrams sent to or from a disconnected endpoint are lost.
void link_sim_disconnect(link_sim_o *sim, const link_address_t *address, bool is_disconnected);

typedef struct link_sim_counts_t {
  uint64_t sent, lost, duplicated, delivered; // numbers of datagrams; `lost` includes datagrams to unknown addresses
  uint64_t sent_bytes;
} link_sim_counts_t;
link_sim_counts_t link_sim_get_counts(const link_sim_o *sim);

#endif
