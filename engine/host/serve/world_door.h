// The UDP port of a world, at which players ask for rooms (match/world_request.h).
#ifndef SHOAL_SERVE_WORLD_DOOR_H
#define SHOAL_SERVE_WORLD_DOOR_H

#include "link/seal.h"
#include "match/world_request.h"
#include "process/wait.h"

typedef struct world_door_o world_door_o;
typedef struct log_o log_o;

typedef struct world_door_desc_t {
  uint16_t port;              // UDP port; 0: any free port
  const uint8_t *secret_seed; // seed of the world's key (SEAL_KEY_BYTES), which all rooms use, too; copied
  // Writes the answer to a request from an address.
  void (*answer)(void *context, int64_t now_us, const link_address_t *address, const world_request_t *request,
                 match_refusal_t *out);
  void *context;
  log_o *log; // receives all answers except the answer that the room can be joined; borrowed
} world_door_desc_t;

// Opens the port. Returns the door, or NULL with a message if the port or the random numbers are not available.
world_door_o *world_door_create(const world_door_desc_t *desc, error_info_t *error);
void world_door_destroy(world_door_o *d); // accepts NULL
uint16_t world_door_get_port(const world_door_o *d);
// Returns the world's public key (SEAL_KEY_BYTES).
const uint8_t *world_door_get_key(const world_door_o *d);
// Writes the sockets, which are readable when a request arrives, to `out` (LINK_UDP_MAX_SOCKETS). Returns their number.
uint32_t world_door_list_sockets(const world_door_o *d, wait_handle_t *out);
// Answers the requests that have arrived. Call it at least every 100 ms.
void world_door_update(world_door_o *d, int64_t now_us);

#endif
