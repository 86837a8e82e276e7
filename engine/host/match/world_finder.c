// A question to a served world: one attempt to join, which the world always answers with a refusal.
#include "match/world_finder.h"

#include "base/alloc.h"
#include "link/link_udp.h"
#include "match/match_account.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world_finder_o {
  link_udp_o *udp; // own socket; NULL: the caller owns the link
  seal_o *seal;
  uint8_t key[SEAL_KEY_BYTES]; // key of the process that answers
  uint8_t account_secret[SEAL_KEY_BYTES];
  bool has_account;
  char code[MATCH_MAX_PASSWORD_BYTES + 1]; // invitation code or reset code; "": no code
  world_finder_state_t state;
  match_refusal_t answer;
};

// Adds the account and the code to the request, both hashed with the key of the process that answers.
static bool complete_request(void *context, const link_address_t *address, const uint8_t *key, uint8_t *request) {
  world_finder_o *f = context;
  (void)address;
  memcpy(f->key, key, SEAL_KEY_BYTES);
  if (f->has_account)
    match_account_compute(f->account_secret, key, request + WORLD_REQUEST_ACCOUNT);
  if (f->code[0])
    match_account_hash_code(f->code, key, request + WORLD_REQUEST_CODE);
  return true;
}

static bool ask(world_finder_o *f, const world_finder_desc_t *desc, int64_t now_us, error_info_t *error) {
  uint8_t request[WORLD_REQUEST_BYTES];
  if (!desc->link && !(f->udp = link_udp_create(&(link_udp_desc_t){.address = desc->address}, error)))
    return false;
  f->seal = seal_create(&(seal_desc_t){.link = desc->link ? *desc->link : link_udp_get_link(f->udp),
                                       .max_peers = 1,
                                       .check_host = complete_request,
                                       .check_context = f},
                        error);
  return f->seal && seal_join(f->seal, now_us, &desc->world, NULL, request,
                              world_request_write(&desc->request, request), error) != 0;
}

world_finder_o *world_finder_create(const world_finder_desc_t *desc, int64_t now_us, error_info_t *error) {
  world_finder_o *f = alloc_object(sizeof *f);
  f->has_account = desc->account_secret != NULL;
  if (desc->account_secret)
    memcpy(f->account_secret, desc->account_secret, sizeof f->account_secret);
  if (desc->code)
    (void)snprintf(f->code, sizeof f->code, "%s", desc->code);
  if (ask(f, desc, now_us, error))
    return f;
  world_finder_destroy(f);
  return NULL;
}

void world_finder_destroy(world_finder_o *f) {
  if (!f)
    return;
  if (f->seal)
    seal_destroy(f->seal);
  link_udp_destroy(f->udp);
  sodium_memzero(f->account_secret, sizeof f->account_secret);
  sodium_memzero(f->code, sizeof f->code);
  free(f);
}

static void handle(world_finder_o *f, int64_t now_us, const seal_event_t *event) {
  if (event->kind == SEAL_EVENT_TIMEOUT || event->kind == SEAL_EVENT_CLOSED) {
    f->state = WORLD_FINDER_NO_ANSWER;
  } else if (event->kind == SEAL_EVENT_CONNECTED) {
    // A world refuses each request with its answer, so this process is a host that accepts all requests.
    seal_close(f->seal, now_us, event->peer, 0);
    f->state = WORLD_FINDER_NO_ANSWER;
  } else if (event->kind == SEAL_EVENT_REFUSED) {
    f->state = WORLD_FINDER_ANSWERED;
    if (!match_refusal_read(event->bytes, event->size, &f->answer))
      match_refusal_set(&f->answer, MATCH_REFUSAL_VERSION, 0);
  }
}

world_finder_state_t world_finder_poll(world_finder_o *f, int64_t now_us, match_refusal_t *out) {
  seal_event_t event;
  while (f->state == WORLD_FINDER_ASKING && seal_poll(f->seal, now_us, &event))
    handle(f, now_us, &event);
  if (f->state == WORLD_FINDER_ANSWERED)
    *out = f->answer;
  return f->state;
}

const uint8_t *world_finder_get_key(const world_finder_o *f) {
  return f->key;
}
