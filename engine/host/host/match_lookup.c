// Implements the address lookup. match_lookup_end frees the lookup or, if its thread still runs, leaves this to the
// thread.
#include "host/match_lookup.h"

#include "base/alloc.h"
#include "link/link_udp.h"
#include "process/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum lookup_state_t { LOOKUP_RUNNING, LOOKUP_DONE, LOOKUP_ABANDONED } lookup_state_t;

struct match_lookup_o {
  _Atomic int state; // state of the lookup, a lookup_state_t
  pthread_t thread;
  bool has_thread, found;
  char text[256];
  uint16_t default_port;
  link_address_t address;
  error_info_t error;
};

static void *run(void *context) {
  match_lookup_o *lookup = context;
  lookup->found = link_udp_resolve(lookup->text, lookup->default_port, &lookup->address, &lookup->error);
  if (atomic_exchange(&lookup->state, LOOKUP_DONE) == LOOKUP_ABANDONED)
    free(lookup);
  return NULL;
}

match_lookup_o *match_lookup_begin(const char *text, uint16_t default_port) {
  match_lookup_o *lookup = alloc_object(sizeof *lookup);
  (void)snprintf(lookup->text, sizeof lookup->text, "%s", text);
  lookup->default_port = default_port;
  // Only a name needs the lookup thread: a numeric address is parsed immediately.
  if (link_address_parse(text, default_port, &lookup->address, &lookup->error)) {
    lookup->found = true;
    atomic_store(&lookup->state, LOOKUP_DONE);
    return lookup;
  }
  lookup->has_thread = thread_start(&lookup->thread, run, lookup);
  if (!lookup->has_thread)
    run(lookup);
  return lookup;
}

bool match_lookup_poll(match_lookup_o *lookup, bool *found, link_address_t *out, error_info_t *error) {
  if (atomic_load(&lookup->state) != LOOKUP_DONE)
    return false;
  *found = lookup->found;
  *out = lookup->address;
  *error = lookup->error;
  return true;
}

void match_lookup_end(match_lookup_o *lookup) {
  if (!lookup)
    return;
  bool has_thread = lookup->has_thread;
  pthread_t thread = lookup->thread;
  bool is_done = atomic_exchange(&lookup->state, LOOKUP_ABANDONED) == LOOKUP_DONE;
  if (has_thread && !is_done)
    pthread_detach(thread);
  if (!is_done)
    return;
  if (has_thread)
    pthread_join(thread, NULL);
  free(lookup);
}
