// Declares the components of widgets, and opens their columns.
#include "ui/widgets.h"

#include "base/assert.h"
#include "components/builtin.h"

static const shoal_component *const COMPONENTS[UI_KINDS] = {
    [UI_PANEL] = &panel_component,   [UI_LABEL] = &label_component,       [UI_BUTTON] = &button_component,
    [UI_SLIDER] = &slider_component, [UI_CHECKBOX] = &checkbox_component, [UI_LIST] = &list_component,
    [UI_ENTRY] = &entry_component,   [UI_BAR] = &bar_component,           [UI_DIALOGUE] = &dialogue_component,
};

const char *ui_kind_name(ui_kind_t kind) {
  shoal_assert(kind > UI_NONE && kind < UI_KINDS, "a widget of kind %d", (int)kind);
  return COMPONENTS[kind]->name;
}

bool widgets_declare(world_o *w, ui_managers_t *out, error_t *error) {
  *out = (ui_managers_t){.transform = world_find_manager(w, "transform")};
  shoal_assert(out->transform, "widgets are declared before the transform that they hang on");
  if (!builtin_declare(w, &widget_component, error))
    return false;
  out->widget = world_find_manager(w, "widget");
  for (uint32_t kind = UI_NONE + 1; kind < UI_KINDS; ++kind) {
    if (!builtin_declare(w, COMPONENTS[kind], error))
      return false;
    out->kinds[kind] = world_find_manager(w, COMPONENTS[kind]->name);
  }
  if (!builtin_declare(w, &ui_follow_component, error))
    return false;
  out->follow = world_find_manager(w, "ui_follow");
  return true;
}

// The struct of a component is its pointers in the order of its columns (shoal/declare.h).
static void open_columns(const manager_o *m, void *columns, size_t bytes) {
  (void)bytes;
  void **to = columns;
  shoal_assert(bytes == m->columns.column_count * sizeof(void *), "%s has %u columns, not %zu", m->schema.name,
               m->columns.column_count, bytes / sizeof(void *));
  for (uint32_t i = 0; i < m->columns.column_count; ++i)
    to[i] = manager_column(m, i);
}

void widgets_open(const ui_managers_t *m, ui_columns_t *out) {
  open_columns(m->widget, &out->widget, sizeof out->widget);
  open_columns(m->kinds[UI_PANEL], &out->panel, sizeof out->panel);
  open_columns(m->kinds[UI_LABEL], &out->label, sizeof out->label);
  open_columns(m->kinds[UI_BUTTON], &out->button, sizeof out->button);
  open_columns(m->kinds[UI_SLIDER], &out->slider, sizeof out->slider);
  open_columns(m->kinds[UI_CHECKBOX], &out->checkbox, sizeof out->checkbox);
  open_columns(m->kinds[UI_LIST], &out->list, sizeof out->list);
  open_columns(m->kinds[UI_ENTRY], &out->entry, sizeof out->entry);
  open_columns(m->kinds[UI_BAR], &out->bar, sizeof out->bar);
  open_columns(m->kinds[UI_DIALOGUE], &out->dialogue, sizeof out->dialogue);
  open_columns(m->follow, &out->follow, sizeof out->follow);
}
