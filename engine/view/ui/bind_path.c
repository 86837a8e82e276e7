// Parses the paths of bound fields, and caches valid paths.
#include "ui/bind_path.h"

#include "base/assert.h"
#include "ui/measure.h"

#include <stdio.h>
#include <string.h>

static ui_bind_path_t parse_path(const ui_o *ui, const char *text, bool of_entity) {
  char instance[COMPONENT_NAME_MAX];
  ui_bind_path_t bind = {.column = -1, .field = ""};
  manager_o *manager = world_find_manager_by_path(ui->world, text, &bind.field);
  const char *dot = strchr(bind.field, '.');
  if (!manager || (manager->schema.kind == SCHEMA_SINGLE) == of_entity || (!of_entity && manager->count == 0))
    return bind;
  bind.manager = manager;
  bind.column = manager_find_column(manager, bind.field);
  if (bind.column >= 0 || !dot || manager->schema.kind != SCHEMA_MANY)
    return bind;
  snprintf(instance, sizeof instance, "%.*s", (int)(dot - bind.field), bind.field);
  bind.instance = strings_find(world_strings(ui->world), instance);
  bind.field = dot + 1;
  bind.column = manager_find_column(manager, bind.field);
  return bind;
}

// Returns true if the path contains the name of an instance, between its component and its field.
static bool has_instance(const ui_o *ui, const ui_bind_path_t *bind, const char *text) {
  const char *first_field = NULL;
  world_find_manager_by_path(ui->world, text, &first_field);
  return bind->manager->schema.kind == SCHEMA_MANY && first_field != bind->field;
}

// Valid paths are cached: widgets look up their fields several times per tick. A cached path is compared with its text,
// because a restored world may use its string id for a different string. Instances are looked up again each time: their
// names may be interned later.
ui_bind_path_t ui_find_bind_path(const ui_o *ui, uint32_t path, bool of_entity) {
  const char *text = ui_get_text(ui, path);
  ui_cached_path_t *cached = &ui->bind_paths[(path * 2 + of_entity) % UI_BIND_PATHS];
  shoal_assert(path != 0, "the widget is not bound");
  if (cached->manager && cached->path == path && cached->of_entity == of_entity && strcmp(cached->text, text) == 0 &&
      (of_entity || cached->manager->count > 0))
    return (ui_bind_path_t){cached->manager, cached->column, 0, text + cached->field};
  ++cached->parse_count;
  ui_bind_path_t bind = parse_path(ui, text, of_entity);
  if (bind.column < 0 || strlen(text) >= sizeof cached->text || has_instance(ui, &bind, text))
    return bind;
  cached->manager = bind.manager;
  cached->path = path;
  cached->of_entity = of_entity;
  cached->column = bind.column;
  cached->field = (uint32_t)(bind.field - text);
  snprintf(cached->text, sizeof cached->text, "%s", text);
  return bind;
}
