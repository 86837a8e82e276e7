// API functions for widgets of panels, which are copied when the panel adds them.
#include "service/api.h"

#include "plugin/panel.h"
#include "plugin/plugin.h"
#include "plugin/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool reject_widget(context_t *context, const char *message, const char *label) {
  if (!context->failed)
    error_set(&context->problem, message, label);
  context->failed = true;
  return false;
}

// Fills in a slider for a field. Returns true on success. If the entity or singleton has no row, returns false, and the
// panel shows no slider. If the slider is invalid, fails the call and returns false.
static bool fill_slider(context_t *context, const shoal_widget_desc *desc, plugin_widget_t *out) {
  const access_binding_t *binding = desc->component ? access_find_binding(context->access, desc->component) : NULL;
  if (!binding || !binding->manager || desc->column >= binding->component->column_count)
    return reject_widget(context, "slider “%s”: undeclared component: name it in .components or .uses", out->label);
  uint32_t column = binding->columns[desc->column];
  const field_t *field = &binding->manager->schema.fields[column];
  bool is_single = binding->component->kind == SHOAL_KIND_SINGLE;
  uint32_t row = is_single ? 0 : manager_row(binding->manager, desc->entity);
  if ((!is_single && row == ROW_NONE) || row >= binding->manager->count)
    return false;
  if (field->type < FIELD_F32 || field->type > FIELD_U32)
    return reject_widget(context, "slider “%s”: the field must be a number", out->label);
  if (field->flags & (FIELD_HIDDEN | FIELD_READ_ONLY))
    return reject_widget(context, "slider “%s”: the field is hidden or read-only: use a different field", out->label);
  if (!(desc->min < desc->max))
    return reject_widget(context, "slider “%s”: .min must be less than .max", out->label);
  out->entity = is_single ? 0 : desc->entity;
  out->is_integer = field->type != FIELD_F32 && field->type != FIELD_F64;
  out->value = columns_get(&binding->manager->columns, row, column);
  out->min = desc->min;
  out->max = desc->max;
  snprintf(out->component, sizeof out->component, "%s", binding->manager->schema.name);
  snprintf(out->field, sizeof out->field, "%s", field->name);
  return true;
}

static bool check_label_is_unique(context_t *context, const plugin_widget_t *widget) {
  const plugin_widgets_t *out = context->drawing->out;
  if (widget->kind == SHOAL_WIDGET_LABEL || widget->kind == SHOAL_WIDGET_VALUE)
    return true;
  for (uint32_t i = 0; i < out->count; ++i)
    if (out->items[i].kind == widget->kind && strcmp(out->items[i].label, widget->label) == 0)
      return reject_widget(context, "two widgets of the panel are named “%s”: rename one of them", widget->label);
  return true;
}

bool api_panel_add_widget(shoal_context *c, const shoal_widget_desc *desc) {
  context_t *context = context_of(c);
  if (!context->drawing) {
    plugin_warn_once(context->plugin, "shoal_panel_… can be called only in .draw of a panel");
    return false;
  }
  plugin_widgets_t *out = context->drawing->out;
  if (out->count == PLUGIN_MAX_WIDGETS)
    return reject_widget(context, "too many widgets in the panel “%s” (at most 64)", context->drawing->panel->title);
  plugin_widget_t *widget = &out->items[out->count];
  memset(widget, 0, sizeof *widget);
  widget->kind = (uint32_t)desc->kind <= SHOAL_WIDGET_PLOT ? desc->kind : SHOAL_WIDGET_LABEL;
  snprintf(widget->label, sizeof widget->label, "%.120s", desc->label ? desc->label : "");
  snprintf(widget->text, sizeof widget->text, "%.250s", desc->string ? desc->string : "");
  widget->value = isfinite(desc->value) ? desc->value : 0;
  if (!check_label_is_unique(context, widget) ||
      (widget->kind == SHOAL_WIDGET_SLIDER && !fill_slider(context, desc, widget)))
    return false;
  ++out->count;
  return widget->kind == SHOAL_WIDGET_BUTTON && context->drawing->pressed &&
         strcmp(context->drawing->pressed, widget->label) == 0;
}
