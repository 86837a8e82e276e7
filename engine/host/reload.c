#include "host/reload.h"

bool reload_game(game_o *g, script_report_t *report) {
  vm_desc_t desc = game_vm_desc(g);
  vm_o *fresh = vm_create(&desc, report);
  if (!fresh)
    return false;
  schedule_o *schedule = game_schedule(g, fresh, true, report);
  if (!schedule) {
    vm_destroy(fresh);
    return false;
  }
  game_retire(g, fresh);
  schedule_destroy(g->schedule);
  vm_destroy(g->vm);
  g->schedule = schedule;
  g->vm = fresh;
  vm_game(g->vm, &g->facts);
  world_set_tick_rate(g->world, g->facts.tick_rate);
  return true;
}
