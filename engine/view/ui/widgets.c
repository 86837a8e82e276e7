// Declares the components of widgets, and provides views of their columns.
#include "ui/widgets.h"

#include "base/assert.h"

static const shoal_component *const COMPONENTS[UI_KIND_COUNT] = {
    [UI_PANEL] = &panel_component,   [UI_LABEL] = &label_component,       [UI_BUTTON] = &button_component,
    [UI_SLIDER] = &slider_component, [UI_CHECKBOX] = &checkbox_component, [UI_LIST] = &list_component,
    [UI_ENTRY] = &entry_component,   [UI_BAR] = &bar_component,           [UI_DIALOGUE] = &dialogue_component,
};

const char *ui_kind_name(ui_kind_t kind) {
  shoal_assert(kind > UI_NONE && kind < UI_KIND_COUNT, "widget kind %d is out of range", (int)kind);
  return COMPONENTS[kind]->name;
}

bool widgets_declare(world_o *w, ui_managers_t *out, error_info_t *error) {
  *out = (ui_managers_t){.transform = world_find_manager(w, "transform")};
  shoal_assert(out->transform, "declare the transform component before the widgets");
  if (!builtin_declare(w, &widget_component, error))
    return false;
  out->widget = world_find_manager(w, "widget");
  for (uint32_t kind = UI_NONE + 1; kind < UI_KIND_COUNT; ++kind) {
    if (!builtin_declare(w, COMPONENTS[kind], error))
      return false;
    out->kinds[kind] = world_find_manager(w, COMPONENTS[kind]->name);
  }
  if (!builtin_declare(w, &ui_follow_component, error))
    return false;
  out->follow = world_find_manager(w, "ui_follow");
  return true;
}

void widgets_get_columns(const ui_managers_t *m, ui_columns_t *out) {
  *out = (ui_columns_t){
      .widget = widget_columns_of(m->widget),
      .panel = panel_columns_of(m->kinds[UI_PANEL]),
      .label = label_columns_of(m->kinds[UI_LABEL]),
      .button = button_columns_of(m->kinds[UI_BUTTON]),
      .slider = slider_columns_of(m->kinds[UI_SLIDER]),
      .checkbox = checkbox_columns_of(m->kinds[UI_CHECKBOX]),
      .list = list_columns_of(m->kinds[UI_LIST]),
      .entry = entry_columns_of(m->kinds[UI_ENTRY]),
      .bar = bar_columns_of(m->kinds[UI_BAR]),
      .dialogue = dialogue_columns_of(m->kinds[UI_DIALOGUE]),
      .follow = ui_follow_columns_of(m->follow),
      .transform = transform_columns_of(m->transform),
  };
}
