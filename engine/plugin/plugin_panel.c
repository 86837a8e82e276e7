// Panels of plugins in the cockpit: what one says is copied widget by widget, as it says it. And their commands.
#include "plugin/plugins_internal.h"

#include "base/assert.h"

#include "shoal/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_PANELS 8u

typedef struct plugin_drawing_t {
  const shoal_panel *panel;
  shoal_entity picked;
  const char *pressed; // NULL for nothing
  plugin_widgets_t *out;
  context_t *c;
} plugin_drawing_t;

bool plugin_check_panels(plugin_t *x, error_t *error) {
  uint32_t count = 0;
  for (const shoal_panel *p = x->def->panels; p && p->title; ++p) {
    if (!p->title[0] || strlen(p->title) > 60 || strchr(p->title, '\n'))
      return error_set(error, "the title of a panel is one line of up to 60 bytes");
    if (!p->sql == !p->draw)
      return error_set(error, "the panel “%s” has %s: one of them says what it shows", p->title,
                       p->sql ? "both sql and draw" : "neither sql nor draw");
    for (const shoal_panel *other = x->def->panels; other != p; ++other)
      if (strcmp(other->title, p->title) == 0)
        return error_set(error, "it has two panels “%s”", p->title);
    if (++count > MOST_PANELS)
      return error_set(error, "it has more than %u panels", MOST_PANELS);
  }
  return true;
}

bool plugin_check_commands(plugin_t *x, error_t *error) {
  uint32_t count = 0;
  for (const shoal_command *o = x->def->commands; o && o->name; ++o) {
    if (!o->name[0] || strlen(o->name) > 60 || strchr(o->name, '\n') || (o->help && strchr(o->help, '\n')))
      return error_set(error, "the name of a command is one line of up to 60 bytes, and its help is one line");
    if (!o->run)
      return error_set(error, "the command “%s” has no run, which does it", o->name);
    for (const shoal_command *other = x->def->commands; other != o; ++other)
      if (strcmp(other->name, o->name) == 0)
        return error_set(error, "it has two commands “%s”", o->name);
    if (++count > SHOAL_MAX_COMMANDS)
      return error_set(error, "it has more than %d commands", SHOAL_MAX_COMMANDS);
  }
  return true;
}

const shoal_panel *plugin_port_panels(void *context, uint32_t plugin) {
  const plugins_o *p = context;
  return plugin < p->list.count ? p->list.items[plugin]->def->panels : NULL;
}

// ------------------------------------------------------------------------------------------------------------- widgets

static bool refuse(context_t *x, const char *words, const char *label) {
  if (!x->failed)
    error_set(&x->problem, words, label);
  x->failed = true;
  return false;
}

// False: there is no such row, and no slider.
static bool fill_slider(context_t *x, const shoal_widget *w, plugin_widget_t *to) {
  bound_t *b = w->component ? plugin_bound(x->plugin, w->component) : NULL;
  if (!b || !b->manager || w->column >= b->component->column_count)
    return refuse(x, "the slider “%s” is of a component that the plugin neither brings nor uses", to->label);
  uint32_t column = b->columns[w->column];
  const field_t *f = &b->manager->schema.fields[column];
  bool single = b->component->kind == SHOAL_KIND_SINGLE;
  uint32_t row = single ? 0 : manager_row(b->manager, w->entity);
  if ((!single && row == ROW_NONE) || row >= b->manager->count)
    return false;
  if (f->type < FIELD_F32 || f->type > FIELD_U32 || f->flags & (FIELD_HIDDEN | FIELD_READ_ONLY) || !(w->min < w->max))
    return refuse(x, "the slider “%s” is of a number that can be written, from a smaller one to a larger one",
                  to->label);
  to->entity = single ? 0 : w->entity;
  to->whole = f->type != FIELD_F32 && f->type != FIELD_F64;
  to->value = columns_get(&b->manager->columns, row, column);
  to->min = w->min;
  to->max = w->max;
  snprintf(to->component, sizeof to->component, "%s", b->manager->schema.name);
  snprintf(to->field, sizeof to->field, "%s", f->name);
  return true;
}

static bool is_new(context_t *x, const plugin_widget_t *to) {
  const plugin_widgets_t *out = x->drawing->out;
  if (to->kind == SHOAL_WIDGET_LABEL || to->kind == SHOAL_WIDGET_VALUE)
    return true;
  for (uint32_t i = 0; i < out->count; ++i)
    if (out->items[i].kind == to->kind && strcmp(out->items[i].label, to->label) == 0)
      return refuse(x, "the panel has two widgets “%s”: which of them is meant is known by the label alone", to->label);
  return true;
}

bool plugin_widget(shoal_context *c, const shoal_widget *w) {
  context_t *x = context_of(c);
  if (!x->drawing) {
    plugin_warn(x->plugin, "shoal_panel_… is for the draw of a panel alone");
    return false;
  }
  plugin_widgets_t *out = x->drawing->out;
  if (out->count == PLUGIN_MAX_WIDGETS)
    return refuse(x, "the panel “%s” has more than 64 widgets", x->drawing->panel->title);
  plugin_widget_t *to = &out->items[out->count];
  memset(to, 0, sizeof *to);
  to->kind = (uint32_t)w->kind <= SHOAL_WIDGET_PLOT ? w->kind : SHOAL_WIDGET_LABEL;
  snprintf(to->label, sizeof to->label, "%.120s", w->label ? w->label : "");
  snprintf(to->text, sizeof to->text, "%.250s", w->text ? w->text : "");
  to->value = isfinite(w->value) ? w->value : 0;
  if (!is_new(x, to) || (to->kind == SHOAL_WIDGET_SLIDER && !fill_slider(x, w, to)))
    return false;
  ++out->count;
  return to->kind == SHOAL_WIDGET_BUTTON && x->drawing->pressed && strcmp(x->drawing->pressed, to->label) == 0;
}

// ------------------------------------------------------------------------------------------------------------- drawing

static void call_draw(void *data) {
  const plugin_drawing_t *d = data;
  d->panel->draw(plugin_lend(d->c), d->picked);
}

static bool enter(plugin_t *x, plugin_drawing_t *d, error_t *error) {
  context_t c = plugin_context(x, d->pressed ? WHERE_PRESS : WHERE_PANEL);
  c.drawing = d;
  d->c = &c;
  d->out->count = 0;
  if (!plugin_enter(x, &(plugin_piece_t){c.where, "panel", d->panel->title}, call_draw, d, error))
    return false;
  if (c.failed)
    *error = c.problem;
  return !c.failed;
}

typedef struct command_run_t {
  const shoal_command *command;
  context_t c;
  shoal_entity picked;
} command_run_t;

static void call_command(void *data) {
  command_run_t *r = data;
  r->command->run(plugin_lend(&r->c), r->picked);
}

static bool run_command(plugin_t *x, uint32_t number, shoal_entity picked, error_t *error) {
  uint32_t count = 0;
  while (x->def->commands && x->def->commands[count].name)
    ++count;
  if (number >= count)
    return error_set(error, "there is no such command");
  command_run_t r = {&x->def->commands[number], plugin_context(x, WHERE_PRESS), picked};
  if (!plugin_enter(x, &(plugin_piece_t){WHERE_PRESS, "command", r.command->name}, call_command, &r, error))
    return false;
  if (r.c.failed)
    *error = r.c.problem;
  return !r.c.failed;
}

bool plugin_port_panel(void *context, uint32_t plugin, uint32_t panel, shoal_entity picked, const char *pressed,
                       plugin_widgets_t *out, error_t *error) {
  plugins_o *p = context;
  plugin_t *x = plugin < p->list.count ? p->list.items[plugin] : NULL;
  error_t why = {0};
  out->count = 0;
  if (x && panel >= PLUGIN_FIRST_COMMAND)
    return run_command(x, panel - PLUGIN_FIRST_COMMAND, world_alive(p->world, picked) ? picked : 0, &why) ||
           error_set(error, "plugin %s: %.900s", x->name, why.text);
  if (!x || !x->def->panels || panel >= MOST_PANELS)
    return error_set(error, "there is no such panel");
  plugin_drawing_t d = {.panel = &x->def->panels[panel],
                        .picked = world_alive(p->world, picked) ? picked : 0,
                        .pressed = pressed,
                        .out = out};
  shoal_assert(d.panel->draw, "the panel %s of plugin %s is a question", d.panel->title, x->name);
  if (enter(x, &d, &why))
    return true;
  return error_set(error, "plugin %s: %.900s", x->name, why.text);
}
