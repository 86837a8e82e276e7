// Lookup of records by tick.
#include "match/match_state.h"

bool match_find_record(const match_o *m, uint64_t tick, record_t *out) {
  uint64_t number = m->next_number; // a peer has not confirmed this record yet
  if (!record_log_has(m->log, number))
    --number;
  for (; number > 0 && record_log_get(m->log, number, out); --number)
    if (out->kind == RECORD_TICK && out->tick <= tick)
      return out->tick == tick;
  return false;
}
