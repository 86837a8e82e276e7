// Creates and steps the widgets of a world.
#include "ui/ui.h"

#include "base/assert.h"
#include "ui/actions.h"
#include "ui/apply_action.h"
#include "ui/bound_fields.h"
#include "ui/dialogue.h"
#include "ui/anchors.h"
#include "ui/interaction.h"
#include "ui/layout_inputs.h"
#include "ui/machine.h"
#include "ui/measure.h"
#include "ui/state.h"
#include "ui/ui_strings.h"

#include <math.h>
#include <string.h>

#define SYSTEM_NAME "shoal.widgets"

// --- life cycle

static const char *const DEFAULTS[UI_ACTION_COUNT][UI_MAX_BINDINGS] = {
    [UI_UP] = {"key:up", "pad:dpup", "pad:lefty-"},
    [UI_DOWN] = {"key:down", "pad:dpdown", "pad:lefty+"},
    [UI_LEFT] = {"key:left", "pad:dpleft", "pad:leftx-"},
    [UI_RIGHT] = {"key:right", "pad:dpright", "pad:leftx+"},
    [UI_ACCEPT] = {"key:return", "key:keypad enter", "key:space", "pad:a"},
    [UI_BACK] = {"key:escape", "pad:b"},
    [UI_NEXT] = {"key:tab", "pad:rightshoulder"},
    [UI_PREVIOUS] = {"pad:leftshoulder"},
};

static void set_default_bindings(ui_o *ui) {
  for (uint32_t action = 0; action < UI_ACTION_COUNT; ++action)
    for (uint32_t i = 0; i < UI_MAX_BINDINGS && DEFAULTS[action][i]; ++i)
      if (input_parse(DEFAULTS[action][i], &ui->bindings[action][ui->binding_count[action]]))
        ui->binding_count[action]++;
}

ui_o *ui_create(const ui_desc_t *desc, error_info_t *error) {
  allocator_t memory = {0};
  ui_managers_t managers;
  shoal_assert(desc->world && desc->type && desc->input && desc->input_before,
               "desc must have a world, a typesetter and both inputs");
  if (!widgets_declare(desc->world, &managers, error))
    return NULL;
  ui_o *ui = alloc_resize(&memory, NULL, 0, sizeof *ui);
  *ui = (ui_o){
      .desc = *desc, .world = desc->world, .managers = managers, .width = 1280, .height = 720, .layer = UI_LAYER};
  ui->checked_moves = UINT64_MAX;
  ui->allocator = memory;
  ui->bind_paths = alloc_resize(&ui->allocator, NULL, 0, UI_BIND_PATHS * sizeof *ui->bind_paths);
  memset(ui->bind_paths, 0, UI_BIND_PATHS * sizeof *ui->bind_paths);
  theme_init(&ui->theme, &ui->allocator);
  ui->actions = actions_create(&ui->allocator);
  ui->inputs = layout_inputs_create(ui);
  set_default_bindings(ui);
  world_set_hooks(ui->world, managers.widget->id, &(manager_hooks_t){.context = ui});
  return ui;
}

void ui_destroy(ui_o *ui) {
  if (!ui)
    return;
  allocator_t *allocator = &ui->allocator;
  array_free(allocator, &ui->nodes);
  array_free(allocator, &ui->targets);
  array_free(allocator, &ui->unmeasured);
  array_free(allocator, &ui->unplaced);
  array_free(allocator, &ui->roots);
  array_free(allocator, &ui->row_kinds);
  array_free(allocator, &ui->row_nodes);
  array_free(allocator, &ui->text);
  array_free(allocator, &ui->warning_hashes);
  array_free(allocator, &ui->clipboard_text);
  array_free(allocator, &ui->fades);
  theme_fini(&ui->theme);
  ui_drop_strings(ui);
  if (ui->machine)
    machine_free(ui, ui->machine);
  actions_destroy(ui->actions);
  layout_inputs_destroy(ui, ui->inputs);
  ui->bind_paths = alloc_resize(allocator, ui->bind_paths, UI_BIND_PATHS * sizeof *ui->bind_paths, 0);
  allocator_t memory = ui->allocator;
  alloc_resize(&memory, ui, sizeof *ui, 0);
  shoal_assert(memory.bytes == 0, "ui leaked %zu bytes", memory.bytes);
}

void ui_set_typesetter(ui_o *ui, typesetter_o *type) {
  shoal_assert(type, "type must not be NULL");
  if (type != ui->desc.type)
    ui->has_layout = false;
  ui->desc.type = type;
}

void ui_set_screen(ui_o *ui, int width, int height) {
  ui->width = (float)width;
  ui->height = (float)height;
  ui->has_layout = false;
}

bool ui_has_options(const ui_o *ui) {
  const manager_o *options = world_find_manager(ui->world, "shoal.options");
  return options && options->count > 0;
}

bool ui_is_entry_focused(const ui_o *ui) {
  return ui->is_entry_focused;
}

void ui_set_layer(ui_o *ui, int32_t layer) {
  ui->layer = layer;
}

void ui_set_bindings(world_o *w, uint32_t action, const input_binding_t *bindings, uint32_t count) {
  ui_o *ui = ui_of_world(w);
  if (!ui || action >= UI_ACTION_COUNT)
    return;
  ui->binding_count[action] = count < UI_MAX_BINDINGS ? count : UI_MAX_BINDINGS;
  for (uint32_t i = 0; i < ui->binding_count[action]; ++i)
    ui->bindings[action][i] = bindings[i];
}

void ui_set_prompt(world_o *w, const char *action, const char *displayed_text) {
  ui_o *ui = ui_of_world(w);
  if (ui && action[0])
    typesetter_set_prompt(ui->desc.type, action, displayed_text);
}

void ui_set_theme_key(world_o *w, const char *style, uint32_t state, uint32_t key, const float *numbers,
                      const char *text) {
  ui_o *ui = ui_of_world(w);
  if (ui && state < UI_STATES && key < UI_KEYS)
    theme_set_key(&ui->theme, style, (ui_look_state_t)state, (ui_key_t)key, numbers, text), ui->has_layout = false;
}

// --- rows of `widget`, added to entities without such a row

static uint64_t sum_moves(const ui_o *ui) {
  uint64_t sum = ui->managers.widget->moves;
  for (uint32_t kind = UI_NONE + 1; kind < UI_KIND_COUNT; ++kind)
    sum += ui->managers.kinds[kind]->moves;
  return sum;
}

// Returns true if an entity has a kind of widget, but no row of `widget`. Searches only after rows have changed.
static bool has_missing_rows(ui_o *ui) {
  if (ui->checked_moves == sum_moves(ui))
    return false;
  for (uint32_t kind = UI_NONE + 1; kind < UI_KIND_COUNT; ++kind) {
    const manager_o *manager = ui->managers.kinds[kind];
    for (uint32_t row = 0; row < manager->count; ++row)
      if (manager_row(ui->managers.widget, manager->owner[row]) == ROW_NONE)
        return true;
  }
  return false;
}

// Adds a row of `widget`, and a transform so that the widget can be the parent of further widgets. A dialogue is
// anchored at the bottom of the screen.
static void add_widget(ui_o *ui, shoal_entity entity, ui_kind_t kind) {
  error_info_t error;
  manager_o *widget = ui->managers.widget;
  if (manager_row(ui->managers.transform, entity) == ROW_NONE)
    world_add_component(ui->world, entity, ui->managers.transform->id, 0, &error);
  if (!world_add_component(ui->world, entity, widget->id, 0, &error) || kind != UI_DIALOGUE)
    return;
  uint32_t row = manager_row(widget, entity);
  columns_set_unmarked(&widget->columns, row, SHOAL_COLUMN_INDEX(widget, anchor), ANCHOR_BOTTOM);
  columns_set_unmarked(&widget->columns, row, SHOAL_COLUMN_INDEX(widget, margin), 28);
}

// Numbers new widgets. Rows that were restored from a file may lack a number, too.
static void assign_serials(ui_o *ui) {
  uint32_t *serial = widget_columns_of(ui->managers.widget).serial, last_serial = 0;
  const uint32_t count = ui->managers.widget->count;
  for (uint32_t row = 0; row < count; ++row)
    last_serial = serial[row] > last_serial ? serial[row] : last_serial;
  for (uint32_t row = 0; row < count; ++row)
    if (serial[row] == 0)
      serial[row] = ++last_serial;
}

static void add_missing_rows(ui_o *ui) {
  for (uint32_t kind = UI_NONE + 1; has_missing_rows(ui) && kind < UI_KIND_COUNT; ++kind) {
    const manager_o *manager = ui->managers.kinds[kind];
    for (uint32_t row = 0; row < manager->count; ++row)
      if (manager_row(ui->managers.widget, manager->owner[row]) == ROW_NONE)
        add_widget(ui, manager->owner[row], (ui_kind_t)kind);
  }
  if (ui->checked_moves == sum_moves(ui))
    return;
  assign_serials(ui);
  if (!has_missing_rows(ui))
    ui->checked_moves = sum_moves(ui);
}

// --- games that declare players

// Converts the focus requests of scripts to focus_request (machine.h).
static void take_focus_requests(ui_o *ui) {
  widget_columns widgets = widget_columns_of(ui->managers.widget);
  for (uint32_t row = 0; row < ui->managers.widget->count; ++row)
    if (widgets.focused[row]) {
      widgets.focused[row] = 0;
      widgets.focus_request[row] = (uint32_t)world_tick(ui->world) * 2 + 1;
    }
}

void ui_remove_focus(world_o *w) {
  ui_o *ui = ui_of_world(w);
  for (uint32_t row = 0; ui && ui->machine && row < ui->managers.widget->count; ++row) {
    widget_columns widgets = widget_columns_of(ui->managers.widget);
    widgets.focused[row] = 0;
    widgets.focus_request[row] = (uint32_t)world_tick(w) * 2 + 2;
  }
}

bool ui_had_focus(world_o *w, shoal_entity entity) {
  const ui_o *ui = ui_of_world(w);
  uint32_t row = ui ? manager_row(ui->managers.widget, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return false;
  widget_columns widgets = widget_columns_of(ui->managers.widget);
  return ui->machine ? widgets.had_focus[row] != 0 : widgets.focused[row] != 0;
}

// Applies the tick's actions to the world's widgets. Does not depend on the state of this machine.
static void simulate(ui_o *ui) {
  ui->is_simulating = true;
  ui_get_columns(ui);
  ui_read_binds(ui);
  ui_update_dialogues(ui);
  take_focus_requests(ui);
  world_defer_begin(ui->world, strings_intern(world_strings(ui->world), SYSTEM_NAME));
  ui_destroy_orphans(ui);
  ui_apply_actions(ui);
  world_defer_end(ui->world, false);
  ui->is_simulating = false;
}

// Updates the child lists, dialogues and focus requests here, because layouts of machines must not change the world.
static void prepare_layout(ui_o *ui) {
  transform_update_child_lists(ui->world);
  ui->is_simulating = true;
  ui_get_columns(ui);
  ui_update_dialogues(ui);
  take_focus_requests(ui);
  ui->is_simulating = false;
}

static void run_player_step(ui_o *ui, uint32_t local, bool is_alone, double dt_s) {
  machine_select_player(ui, local);
  ui_interact(ui, dt_s, is_alone ? -1 : (int32_t)local);
  machine_share_focus(ui);
  ui->captured_of[local] = ui->captured;
}

void ui_run_machine_step(ui_o *ui, const input_state_t *previous, const input_state_t *sample, const uint8_t *numbers,
                         uint32_t count, double dt_s) {
  const input_state_t *input = ui->desc.input, *input_before = ui->desc.input_before;
  shoal_assert(ui->machine, "the game declares no players");
  shoal_assert(!ui->is_simulating, "the machine's step must not run within a tick");
  ui->is_entry_focused = false;
  ui->captured = 0;
  memset(ui->captured_of, 0, sizeof ui->captured_of);
  if (ui->managers.widget->count == 0 || count == 0)
    return;
  ui->desc.input = sample;
  ui->desc.input_before = previous;
  machine_begin_step(ui, numbers, count, dt_s);
  ui_get_columns(ui);
  ui_run_typewriters(ui, dt_s);
  ui_lay_out(ui);
  bool is_entry_focused = false;
  for (uint32_t i = 0; i < count && i < INPUT_PADS; ++i) {
    run_player_step(ui, i, count == 1, dt_s);
    is_entry_focused |= i == 0 && ui->is_entry_focused;
  }
  ui->is_entry_focused = is_entry_focused;
  machine_end_step(ui);
  ui->desc.input = input;
  ui->desc.input_before = input_before;
}

void ui_begin_render(ui_o *ui) {
  if (!ui->machine || ui->managers.widget->count == 0)
    return;
  ui_lay_out(ui);
  machine_select_all_players(ui);
  machine_publish(ui);
}

void ui_end_render(ui_o *ui) {
  if (ui->machine)
    machine_unpublish(ui);
}

// --- steps

void ui_update(ui_o *ui, double dt_s) {
  world_o *w = ui->world;
  shoal_assert(!world_is_deferring(w), "widgets cannot be updated while commands are deferred");
  if (!ui->machine)
    ui->captured = 0, ui->is_entry_focused = false;
  if (ui->managers.widget->count == 0 && !has_missing_rows(ui))
    return;
  add_missing_rows(ui);
  if (ui->machine) {
    simulate(ui);
    return;
  }
  ui_get_columns(ui);
  ui_read_binds(ui);
  ui_run_typewriters(ui, dt_s);
  ui_lay_out(ui);
  world_defer_begin(w, strings_intern(world_strings(w), SYSTEM_NAME));
  ui_destroy_orphans(ui);
  ui_interact(ui, dt_s, -1);
  world_defer_end(w, false);
}

static void run_step(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)w, (void)number;
  ui_update(context, (double)dt_s);
}

static void run_layout(void *context, world_o *w, uint32_t number, float dt_s) {
  ui_o *ui = context;
  (void)w, (void)number, (void)dt_s;
  if (ui->managers.widget->count == 0 && !has_missing_rows(ui))
    return;
  shoal_assert(w == ui->world, "the ui belongs to a different world");
  ++ui->layout_count;
  add_missing_rows(ui);
  if (ui->machine)
    prepare_layout(ui);
  else
    ui_lay_out(ui);
}

// Computes the layout while the game is paused (dt_s is 0), because the phase of shoal.layout is then skipped.
static void run_paused_layout(void *context, world_o *w, uint32_t number, float dt_s) {
  if (dt_s <= 0)
    run_layout(context, w, number, dt_s);
}

bool ui_schedule(ui_o *ui, schedule_o *s, error_info_t *error) {
  system_desc_t step = {.name = SYSTEM_NAME, .phase = PHASE_INPUT, .priority = -100000, .run = run_step, .context = ui};
  system_desc_t paused = {
      .name = "shoal.layout.input", .phase = PHASE_INPUT, .priority = 100000, .run = run_paused_layout, .context = ui};
  system_desc_t layout = {
      .name = "shoal.layout", .phase = PHASE_POST_UPDATE, .priority = 100000, .run = run_layout, .context = ui};
  return schedule_add_system(s, &step, error) && schedule_add_system(s, &paused, error) &&
         schedule_add_system(s, &layout, error);
}

// --- explanations

void ui_print_explanation(const ui_o *ui, const char *system, FILE *out) {
  const double ticks = fmax((double)ui->layout_count, 1), many = 100;
  double measured = (double)ui->measured_count / ticks, placed = (double)ui->placed_count / ticks,
         rebuilt = (double)ui->rebuild_count / ticks;
  bool is_costly = measured > many || placed > many;
  if (strcmp(system, "shoal.layout") != 0 && (strcmp(system, "all") != 0 || !is_costly))
    return;
  fprintf(out, "explain: shoal.layout: %u widgets; %.1f measured and %.1f placed a tick%s\n",
          ui->managers.widget->count, measured, placed,
          !is_costly      ? ""
          : rebuilt > 0.5 ? "; widgets are added, removed, moved, shown or hidden in most ticks: change texts instead"
                          : "; give labels whose texts change often a fixed `width` and `height`");
}
