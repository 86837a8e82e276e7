// Answers requests for rooms. The seal limits their rate before this code reads them.
#include "serve/world_door.h"

#include "base/alloc.h"
#include "base/log.h"
#include "link/link_udp.h"
#include "link/refusal_log.h"

#include <stdlib.h>

struct world_door_o {
  world_door_desc_t desc;
  link_udp_o *udp;
  seal_o *seal;
  refusal_log_t refusals;
};

world_door_o *world_door_create(const world_door_desc_t *desc, error_info_t *error) {
  world_door_o *d = alloc_object(sizeof *d);
  d->desc = *desc;
  d->udp = link_udp_create(&(link_udp_desc_t){.port = desc->port}, error);
  if (d->udp)
    d->seal = seal_create(&(seal_desc_t){.link = link_udp_get_link(d->udp),
                                         .max_peers = SEAL_MAX_PEERS,
                                         .is_host = true,
                                         .secret_seed = desc->secret_seed},
                          error);
  d->desc.secret_seed = NULL;
  if (d->seal)
    return d;
  world_door_destroy(d);
  return NULL;
}

void world_door_destroy(world_door_o *d) {
  if (!d)
    return;
  seal_destroy(d->seal);
  link_udp_destroy(d->udp);
  free(d);
}

uint16_t world_door_get_port(const world_door_o *d) {
  return link_udp_get_port(d->udp);
}

const uint8_t *world_door_get_key(const world_door_o *d) {
  return seal_get_key(d->seal);
}

uint32_t world_door_list_sockets(const world_door_o *d, wait_handle_t *out) {
  return link_udp_list_sockets(d->udp, out);
}

static void answer(world_door_o *d, int64_t now_us, const seal_event_t *event) {
  char address[LINK_ADDRESS_TEXT_BYTES];
  uint8_t bytes[MATCH_REFUSAL_BYTES];
  world_request_t request;
  match_refusal_t reply;
  if (world_request_read(event->bytes, event->size, &request))
    d->desc.answer(d->desc.context, now_us, &event->address, &request, &reply);
  else
    match_refusal_set(&reply, MATCH_REFUSAL_WORLD, 0);
  if (reply.number != MATCH_REFUSAL_ROOM && reply.number != MATCH_REFUSAL_ROOM_STARTS &&
      refusal_log_take(&d->refusals, now_us))
    log_info(d->desc.log, "refused %s: %s", link_address_format(&event->address, address),
             match_refusal_get_details((match_refusal_kind_t)reply.number));
  seal_refuse(d->seal, now_us, event->peer, bytes, match_refusal_write(&reply, bytes));
}

void world_door_update(world_door_o *d, int64_t now_us) {
  seal_event_t event;
  while (seal_poll(d->seal, now_us, &event))
    if (event.kind == SEAL_EVENT_REQUEST)
      answer(d, now_us, &event);
  uint32_t omitted = refusal_log_take_omitted(&d->refusals, now_us);
  if (omitted > 0)
    log_info(d->desc.log, "refused %u further requests", omitted);
}
