// Calls the functions of plugins' panels and commands for the cockpit.
#include "plugin/panel.h"

#include "base/assert.h"
#include "plugin/guarded_call.h"
#include "plugin/plugin.h"
#include "shoal/command.h"

// --- panels

PLUGIN_CALL(draw, const plugin_drawing_t, x->panel->draw(plugin_acquire_slot(x->c), x->picked))

static bool draw_panel(plugin_t *x, plugin_drawing_t *d, error_info_t *error) {
  context_t c = plugin_build_context(x, d->pressed ? WHERE_PRESS : WHERE_PANEL);
  c.drawing = d;
  d->c = &c;
  d->out->count = 0;
  if (!plugin_call_guarded(x, &(plugin_callee_t){c.where, "panel", d->panel->title}, call_draw, d, error))
    return false;
  if (c.failed)
    *error = c.problem;
  return !c.failed;
}

// --- commands

typedef struct command_run_t {
  const shoal_command *command;
  context_t c;
  shoal_entity picked;
} command_run_t;

PLUGIN_CALL(command, command_run_t, x->command->run(plugin_acquire_slot(&x->c), x->picked))

static bool run_command(plugin_t *x, uint32_t number, shoal_entity picked, error_info_t *error) {
  uint32_t count = 0;
  while (x->def->commands && x->def->commands[count].name)
    ++count;
  if (number >= count)
    return error_set(error, "command %u no longer exists", number);
  command_run_t r = {&x->def->commands[number], plugin_build_context(x, WHERE_PRESS), picked};
  if (!plugin_call_guarded(x, &(plugin_callee_t){WHERE_PRESS, "command", r.command->name}, call_command, &r, error))
    return false;
  if (r.c.failed)
    *error = r.c.problem;
  return !r.c.failed;
}

// --- panels and commands by index

bool plugin_draw_panel(plugins_o *p, uint32_t plugin, uint32_t panel, shoal_entity picked, const char *pressed,
                       plugin_widgets_t *out, error_info_t *error) {
  plugin_t *x = plugin < p->list.count ? p->list.items[plugin] : NULL;
  error_info_t why = {0};
  out->count = 0;
  if (x && panel >= PLUGIN_COMMANDS_OFFSET)
    return run_command(x, panel - PLUGIN_COMMANDS_OFFSET, world_is_alive(p->world, picked) ? picked : 0, &why) ||
           error_set(error, "plugin %s: %.900s", x->name, why.text);
  if (!x || !x->def->panels || panel >= PLUGIN_MAX_PANELS)
    return error_set(error, "panel %u of plugin %u no longer exists", panel, plugin);
  plugin_drawing_t d = {.panel = &x->def->panels[panel],
                        .picked = world_is_alive(p->world, picked) ? picked : 0,
                        .pressed = pressed,
                        .out = out};
  shoal_assert(d.panel->draw, "panel %s of plugin %s has no .draw", d.panel->title, x->name);
  if (draw_panel(x, &d, &why))
    return true;
  return error_set(error, "plugin %s: %.900s", x->name, why.text);
}
