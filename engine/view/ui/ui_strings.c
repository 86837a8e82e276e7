// The game's strings and the current language. The setting `language` is a column, so a restored or replayed world is
// shown in the language that it stores.
#include "ui/ui_strings.h"

#include "ui/state.h"
#include "ui/ui.h"

#include <string.h>

// Returns the setting `language`: its text or, for an enum, the name of its choice. Returns "" if the game has no such
// setting.
static const char *get_language(void *context) {
  const ui_o *ui = context;
  const manager_o *manager = world_find_manager(ui->world, "settings");
  int32_t column = manager && manager->count > 0 ? manager_find_column(manager, "language") : -1;
  if (column < 0)
    return "";
  const field_t *field = &manager->schema.fields[column];
  double value = columns_get(&manager->columns, 0, (uint32_t)column);
  if (field->type == FIELD_STRING)
    return strings_text(world_strings(ui->world), (uint32_t)value);
  const char *name = field->type == FIELD_ENUM && value < field->choice_count ? field->choices : "";
  for (double i = 0; *name && i < value; ++i)
    name += strlen(name) + 1;
  return name;
}

void ui_set_strings(ui_o *ui) {
  typesetter_set_strings(ui->desc.type, ui->game_strings);
}

void ui_drop_strings(ui_o *ui) {
  if (ui->game_strings)
    typesetter_set_strings(ui->desc.type, NULL);
  game_strings_destroy(ui->game_strings);
  ui->game_strings = NULL;
}

void ui_strings_begin(world_o *w) {
  ui_o *ui = ui_of_world(w);
  if (ui)
    ui_drop_strings(ui);
}

void ui_add_string(world_o *w, const char *language, const char *key, uint32_t form, const char *text) {
  ui_o *ui = ui_of_world(w);
  if (!ui)
    return;
  if (!ui->game_strings) {
    ui->game_strings = game_strings_create(world_log(w), get_language, ui);
    ui_set_strings(ui);
  }
  game_strings_add(ui->game_strings, language, key, (plural_t)form, text);
}

const char *ui_resolve_string(world_o *w, const char *reference) {
  const ui_o *ui = ui_of_world(w);
  return game_strings_resolve(ui ? ui->game_strings : NULL, reference);
}

const char *ui_get_language(const ui_o *ui) {
  return game_strings_language(ui->game_strings);
}
