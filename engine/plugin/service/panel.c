// API functions for widgets of panels, which are copied when the panel adds them.
#include "service/api.h"

#include "plugin/panel.h"
#include "plugin/plugin.h"
#include "plugin/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool refuse_widget(context_t *x, const char *words, const char *label) {
  if (!x->failed)
    error_set(&x->problem, words, label);
  x->failed = true;
  return false;
}

// Fills in a slider for a field. If the entity or singleton has no row, returns false, and the panel shows no slider.
// If the slider is invalid, fails the call and returns false.
static bool fill_slider(context_t *x, const shoal_widget_desc *w, plugin_widget_t *out) {
  const access_binding_t *b = w->component ? access_find_binding(x->access, w->component) : NULL;
  if (!b || !b->manager || w->column >= b->component->column_count)
    return refuse_widget(x, "slider “%s”: undeclared component: name it in .components or .uses", out->label);
  uint32_t column = b->columns[w->column];
  const field_t *f = &b->manager->schema.fields[column];
  bool single = b->component->kind == SHOAL_KIND_SINGLE;
  uint32_t row = single ? 0 : manager_row(b->manager, w->entity);
  if ((!single && row == ROW_NONE) || row >= b->manager->count)
    return false;
  if (f->type < FIELD_F32 || f->type > FIELD_U32)
    return refuse_widget(x, "slider “%s”: the field must be a number", out->label);
  if (f->flags & (FIELD_HIDDEN | FIELD_READ_ONLY))
    return refuse_widget(x, "slider “%s”: the field is hidden or read-only: use another field", out->label);
  if (!(w->min < w->max))
    return refuse_widget(x, "slider “%s”: .min must be less than .max", out->label);
  out->entity = single ? 0 : w->entity;
  out->is_integer = f->type != FIELD_F32 && f->type != FIELD_F64;
  out->value = columns_get(&b->manager->columns, row, column);
  out->min = w->min;
  out->max = w->max;
  snprintf(out->component, sizeof out->component, "%s", b->manager->schema.name);
  snprintf(out->field, sizeof out->field, "%s", f->name);
  return true;
}

static bool check_label_is_unique(context_t *x, const plugin_widget_t *to) {
  const plugin_widgets_t *out = x->drawing->out;
  if (to->kind == SHOAL_WIDGET_LABEL || to->kind == SHOAL_WIDGET_VALUE)
    return true;
  for (uint32_t i = 0; i < out->count; ++i)
    if (out->items[i].kind == to->kind && strcmp(out->items[i].label, to->label) == 0)
      return refuse_widget(x, "two widgets of the panel are named “%s”: rename one of them", to->label);
  return true;
}

bool api_panel_add_widget(shoal_context *c, const shoal_widget_desc *w) {
  context_t *x = context_of(c);
  if (!x->drawing) {
    plugin_warn_once(x->plugin, "shoal_panel_… can be called only in .draw of a panel");
    return false;
  }
  plugin_widgets_t *out = x->drawing->out;
  if (out->count == PLUGIN_MAX_WIDGETS)
    return refuse_widget(x, "too many widgets in the panel “%s” (at most 64)", x->drawing->panel->title);
  plugin_widget_t *to = &out->items[out->count];
  memset(to, 0, sizeof *to);
  to->kind = (uint32_t)w->kind <= SHOAL_WIDGET_PLOT ? w->kind : SHOAL_WIDGET_LABEL;
  snprintf(to->label, sizeof to->label, "%.120s", w->label ? w->label : "");
  snprintf(to->text, sizeof to->text, "%.250s", w->string ? w->string : "");
  to->value = isfinite(w->value) ? w->value : 0;
  if (!check_label_is_unique(x, to) || (to->kind == SHOAL_WIDGET_SLIDER && !fill_slider(x, w, to)))
    return false;
  ++out->count;
  return to->kind == SHOAL_WIDGET_BUTTON && x->drawing->pressed && strcmp(x->drawing->pressed, to->label) == 0;
}
