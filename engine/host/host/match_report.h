// The state of the match for tools, and the conditions of the simulated network, which tools can change. Neither
// changes the simulation. The simulated network only delays and drops sealed datagrams, as a bad connection does.
#ifndef SHOAL_HOST_MATCH_REPORT_H
#define SHOAL_HOST_MATCH_REPORT_H

#include "host/host_internal.h"
#include "link/link_sim.h"
#include "match/match_link.h"

#define MATCH_REPORT_LINES 32u
#define MATCH_REPORT_MACHINE_BYTES 80u
#define MATCH_REPORT_MAX_ROUND_TRIP_MS 2000 // maximum round trip of the simulated network

typedef enum match_line_kind_t {
  MATCH_LINE_DESYNC,
  MATCH_LINE_RELOADED, // changes that all machines have accepted
  MATCH_LINE_REFUSED   // refused changes with the reason
} match_line_kind_t;

typedef struct match_line_t {
  match_line_kind_t kind;
  uint64_t tick;
  char text[1200];
} match_line_t;

typedef struct match_lines_o match_lines_o; // the latest lines of a match

typedef struct match_report_player_t {
  uint32_t number;
  player_info_t info;
  char machine[MATCH_REPORT_MACHINE_BYTES]; // name of the machine: "this machine", "another machine" or "10.0.0.5:7711"
  bool is_local, is_joining, is_connected;
  int64_t absent_us; // host: time in which a lost player can still rejoin; 0: connected, or the time is over
  // Round trip to the player's machine or, on a peer, to the host, and its variation, in microseconds; 0 for local
  // players.
  int64_t round_trip_us, jitter_us;
} match_report_player_t;

typedef struct match_report_link_t {
  char machine[MATCH_REPORT_MACHINE_BYTES]; // name of the machine: "host" or "10.0.0.5:7711"
  match_connection_t connection;
  seal_session_counts_t counts;
  uint64_t sent_bytes, received_bytes; // number of bytes, including the headers of IP and UDP
} match_report_link_t;

typedef struct match_report_t {
  // State of the match: "joining", "waiting", "loading", "playing", "paused", "lost", "failed" or "ended".
  const char *state;
  match_status_t status;
  bool has_host;        // true if the host runs in this process
  uint64_t late_inputs; // number of late inputs at the host; set if `has_host`
  uint32_t awaited;     // host: number of players for whom the host waits before it begins the match
  int64_t lost_us;      // peer: time since the host was lost
  const char *failure;  // reason why the match cannot be joined; "" without a failure
  bool shares_code;     // true with --share-code
  bool has_network;     // true if the network is simulated
  link_sim_conditions_t network;
  uint32_t player_count, link_count, line_count;
  match_report_player_t players[PLAYER_MAX];
  match_report_link_t links[MATCH_MAX_CONNECTIONS];
  const match_line_t *lines[MATCH_REPORT_LINES]; // lines, oldest first; valid until the next frame
} match_report_t;

// Fills in the report. Returns true on success, or false if no match is played.
bool match_report_get(const host_o *h, match_report_t *out);
// Sets the round trip, jitter and loss of the simulated network. `round_trip_us`: at most
// MATCH_REPORT_MAX_ROUND_TRIP_MS; `jitter_us`: at most `round_trip_us`; `loss`: in [0, 1]. Returns true on success, or
// false with a message if the network is not simulated.
bool match_report_set_network(host_o *h, int64_t round_trip_us, int64_t jitter_us, double loss, error_info_t *error);

#endif
