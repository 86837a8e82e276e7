// Stores the watchdog's stops in the journal of the history. A replay of a timeline parks the stopped pieces before the
// tick, instead of waiting until their budgets are spent again.
#include "host/logged_stops.h"

#include "host/host_internal.h"

void logged_stops_add(host_o *h) {
  const game_o *g = h->session.game;
  journal_o *log = h->session.time.timelines.current.inputs;
  if (h->logged_parked_count > g->parked.items.count) // another game has started
    h->logged_parked_count = 0;
  for (; h->logged_parked_count < g->parked.items.count; ++h->logged_parked_count) {
    const parked_t *parked = &g->parked.items.items[h->logged_parked_count];
    if (!log || !parked->stopped || !parked_is_recorded(parked, false))
      continue;
    journal_add_park(log, world_tick(g->world), parked, sources_hash(vm_sources(g->vm)));
  }
}

// Parks only pieces of the same code, because different code may stay within its budget.
void logged_stops_park(host_o *h, uint64_t tick) {
  vm_o *vm = h->session.game->vm;
  parked_item_t stop;
  for (uint32_t i = 0; journal_get_parked(h->session.time.timelines.abandoned.inputs, tick, i, &stop); ++i)
    if (stop.code == sources_hash(vm_sources(vm)))
      vm_park_piece(vm, stop.name, true);
}
