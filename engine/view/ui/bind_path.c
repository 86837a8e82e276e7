// Parses paths of bound fields, and caches valid ones: widgets look up their fields several times per tick. A cached
// path is compared with its text, because a restored world may use its string id for another text. Instances are looked
// up again each time: their names may be interned later.
#include "ui/bind_path.h"

#include "base/assert.h"
#include "ui/measure.h"

#include <stdio.h>
#include <string.h>

static bind_path_t parse_path(const ui_o *ui, const char *text, bool of_entity) {
  char instance[COMPONENT_NAME_MAX];
  bind_path_t p = {.column = -1, .field = ""};
  manager_o *m = world_find_manager_by_path(ui->world, text, &p.field);
  const char *second = strchr(p.field, '.');
  if (!m || (m->schema.kind == SCHEMA_SINGLE) == of_entity || (!of_entity && m->count == 0))
    return p;
  p.m = m;
  p.column = manager_find_column(m, p.field);
  if (p.column >= 0 || !second || m->schema.kind != SCHEMA_MANY)
    return p;
  snprintf(instance, sizeof instance, "%.*s", (int)(second - p.field), p.field);
  p.instance = strings_find(world_strings(ui->world), instance);
  p.field = second + 1;
  p.column = manager_find_column(m, p.field);
  return p;
}

// Returns true if the path contains the name of an instance, between its component and its field.
static bool has_instance(const ui_o *ui, const bind_path_t *p, const char *text) {
  const char *first = NULL;
  world_find_manager_by_path(ui->world, text, &first);
  return p->m->schema.kind == SCHEMA_MANY && first != p->field;
}

bind_path_t bind_path_find(const ui_o *ui, uint32_t path, bool of_entity) {
  const char *text = ui_text(ui, path);
  ui_cached_path_t *cached = &ui->paths[(path * 2 + of_entity) % UI_PATHS];
  shoal_assert(path != 0, "the widget is not bound");
  if (cached->m && cached->path == path && cached->of_entity == of_entity && strcmp(cached->text, text) == 0 &&
      (of_entity || cached->m->count > 0))
    return (bind_path_t){cached->m, cached->column, 0, text + cached->field};
  ++cached->parse_count;
  bind_path_t p = parse_path(ui, text, of_entity);
  if (p.column < 0 || strlen(text) >= sizeof cached->text || has_instance(ui, &p, text))
    return p;
  cached->m = p.m;
  cached->path = path;
  cached->of_entity = of_entity;
  cached->column = p.column;
  cached->field = (uint32_t)(p.field - text);
  snprintf(cached->text, sizeof cached->text, "%s", text);
  return p;
}
