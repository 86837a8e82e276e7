// Calls the functions of plugins' panels and commands for the cockpit.
#include "plugin/panel.h"

#include "base/assert.h"
#include "plugin/guarded_call.h"
#include "plugin/plugin.h"
#include "shoal/command.h"

// --- panels

PLUGIN_CALL(draw, const plugin_drawing_t, call->panel->draw(plugin_acquire_slot(call->context), call->picked))

static bool draw_panel(plugin_t *plugin, plugin_drawing_t *drawing, error_info_t *error) {
  context_t context = plugin_build_context(plugin, drawing->pressed ? PLUGIN_CALL_PRESS : PLUGIN_CALL_PANEL);
  context.drawing = drawing;
  drawing->context = &context;
  drawing->out->count = 0;
  if (!plugin_call_guarded(plugin, &(plugin_callee_t){context.call_kind, "panel", drawing->panel->title}, call_draw,
                           drawing, error))
    return false;
  if (context.failed)
    *error = context.problem;
  return !context.failed;
}

// --- commands

typedef struct command_call_t {
  const shoal_command *command;
  context_t context;
  shoal_entity picked;
} command_call_t;

PLUGIN_CALL(command, command_call_t, call->command->run(plugin_acquire_slot(&call->context), call->picked))

static bool run_command(plugin_t *plugin, uint32_t index, shoal_entity picked, error_info_t *error) {
  uint32_t count = 0;
  while (plugin->def->commands && plugin->def->commands[count].name)
    ++count;
  if (index >= count)
    return error_set(error, "command %u no longer exists", index);
  command_call_t call = {&plugin->def->commands[index], plugin_build_context(plugin, PLUGIN_CALL_PRESS), picked};
  if (!plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_PRESS, "command", call.command->name}, call_command,
                           &call, error))
    return false;
  if (call.context.failed)
    *error = call.context.problem;
  return !call.context.failed;
}

// --- panels and commands by index

bool plugin_draw_panel(plugins_o *plugins, uint32_t plugin, uint32_t panel, shoal_entity picked, const char *pressed,
                       plugin_widgets_t *out, error_info_t *error) {
  plugin_t *owner = plugin < plugins->list.count ? plugins->list.items[plugin] : NULL;
  error_info_t failure = {0};
  out->count = 0;
  if (owner && panel >= PLUGIN_COMMANDS_OFFSET)
    return run_command(owner, panel - PLUGIN_COMMANDS_OFFSET, world_is_alive(plugins->world, picked) ? picked : 0,
                       &failure) ||
           error_set(error, "plugin %s: %.900s", owner->name, failure.text);
  if (!owner || !owner->def->panels || panel >= PLUGIN_MAX_PANELS)
    return error_set(error, "panel %u of plugin %u no longer exists", panel, plugin);
  plugin_drawing_t drawing = {.panel = &owner->def->panels[panel],
                              .picked = world_is_alive(plugins->world, picked) ? picked : 0,
                              .pressed = pressed,
                              .out = out};
  shoal_assert(drawing.panel->draw, "panel %s of plugin %s has no .draw", drawing.panel->title, owner->name);
  if (draw_panel(owner, &drawing, &failure))
    return true;
  return error_set(error, "plugin %s: %.900s", owner->name, failure.text);
}
