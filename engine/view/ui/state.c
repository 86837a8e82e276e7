// Lookup of a world's widget state; warnings and sounds of widgets.
#include "ui/state.h"

#include "base/hash.h"
#include "components/builtin.h"
#include "components/name.h"
#include "ui/machine.h"

#define VOICE 0x7fff0000u // first voice number used by widgets
#define VOICES 4u         // number of voices used by widgets; low, so that rapid input does not fill the mixer

void ui_get_columns(ui_o *ui) {
  widgets_get_columns(&ui->managers, &ui->columns);
  if (ui->machine && !ui->is_simulating) {
    machine_synchronize(ui);
    machine_redirect_columns(ui);
  }
}

uint32_t ui_find_target(const ui_o *ui, uint32_t node) {
  uint32_t low = 0, high = ui->targets.count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (ui->targets.items[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

ui_o *ui_of_world(world_o *w) {
  const manager_o *manager = builtin_find(w, "widget");
  return manager ? manager->hooks.context : NULL;
}

void ui_warn_once(ui_o *ui, const ui_node_t *n, const char *field, const char *message, const char *hint) {
  char name[NAME_DESCRIPTION_MAX];
  uint64_t key = hash_bytes(&n->entity, sizeof n->entity, hash_text(message) ^ hash_text(hint));
  for (uint32_t i = 0; i < ui->warning_hashes.count; ++i)
    if (ui->warning_hashes.items[i] == key)
      return;
  if (ui->warning_hashes.count < 1024)
    array_push(&ui->allocator, &ui->warning_hashes, key);
  name_describe(ui->world, n->entity, name, sizeof name);
  log_warn(world_log(ui->world), "%s: %s: %s%s", name, field, message, hint);
}

void ui_play_sound(ui_o *ui, const char *name) {
  // The player's machine has played the sound when it sent the action.
  bool was_played = ui->machine && ui->is_simulating;
  if (ui->desc.audio && name[0] && !was_played)
    audio_play_with_voice(ui->desc.audio, VOICE + (uint32_t)(world_tick(ui->world) % VOICES), name,
                          &(audio_sound_t){.volume = 0.6f, .pitch = 1.0f, .bus = "ui"});
}
