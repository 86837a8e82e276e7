// Dialogue boxes with a typewriter effect. A box shows its own text, or a line of a sequence
// (scripts/shoal/systems/sequence.lua).
#include "ui/dialogue.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "ui/apply_action.h"
#include "ui/events.h"
#include "ui/machine.h"
#include "ui/measure.h"

#include <math.h>
#include <string.h>

// --- lines of sequences

static manager_o *find_saying_manager(const ui_o *ui) {
  // If the game declares its own `saying`, the built-in component is called shoal.saying.
  manager_o *manager = world_find_manager(ui->world, "shoal.saying");
  return manager ? manager : world_find_manager(ui->world, "saying");
}

static bool is_saying(const manager_o *saying, shoal_entity entity) {
  return entity != 0 && manager_row(saying, entity) != ROW_NONE;
}

static uint32_t read_text_field(const manager_o *manager, uint32_t row, const char *field) {
  int32_t column = manager_find_column(manager, field);
  return column >= 0 && manager->schema.fields[column].type == FIELD_STRING
             ? (uint32_t)columns_get(&manager->columns, row, (uint32_t)column)
             : 0;
}

// Returns the first enabled and unanswered line of a sequence that no box shows, or 0 if no line qualifies. A box shows
// a line until the line has been answered.
static shoal_entity find_next_speaker(ui_o *ui, const manager_o *saying) {
  for (uint32_t row = 0; row < saying->count; ++row) {
    bool is_assigned = world_is_disabled(ui->world, saying->owner[row], saying->id);
    for (uint32_t i = 0; i < ui->managers.kinds[UI_DIALOGUE]->count; ++i)
      is_assigned |= ui->columns.dialogue.source[i] == saying->owner[row];
    int32_t answer = manager_find_column(saying, "answer");
    if (!is_assigned && answer >= 0 && columns_get(&saying->columns, row, (uint32_t)answer) == 0)
      return saying->owner[row];
  }
  return 0;
}

static void show_line(ui_o *ui, uint32_t row, uint32_t text, uint32_t speaker, uint32_t choices) {
  shoal_assert(row < ui->managers.kinds[UI_DIALOGUE]->count, "dialogue row %u is out of range (count %u)", row,
               ui->managers.kinds[UI_DIALOGUE]->count);
  const dialogue_columns *dialogues = &ui->columns.dialogue;
  if (dialogues->says[row] != text || dialogues->by[row] != speaker || dialogues->options[row] != choices) {
    dialogues->shown[row] = 0;
    dialogues->choice[row] = 1;
  }
  dialogues->says[row] = text;
  dialogues->by[row] = speaker;
  dialogues->options[row] = choices;
}

void ui_update_dialogues(ui_o *ui) {
  manager_o *saying = find_saying_manager(ui), *manager = ui->managers.kinds[UI_DIALOGUE];
  const dialogue_columns *dialogues = &ui->columns.dialogue;
  for (uint32_t row = 0; row < manager->count; ++row) {
    if (dialogues->source[row] != 0 && (!saying || !is_saying(saying, dialogues->source[row])))
      dialogues->source[row] = 0;
    bool has_own_text = dialogues->text[row] != 0 || dialogues->choices[row] != 0;
    if (has_own_text)
      dialogues->source[row] = 0;
    else if (saying && dialogues->source[row] == 0)
      dialogues->source[row] = find_next_speaker(ui, saying);
    uint32_t saying_row = dialogues->source[row] != 0 ? manager_row(saying, dialogues->source[row]) : ROW_NONE;
    if (saying_row != ROW_NONE)
      show_line(ui, row, read_text_field(saying, saying_row, "text"), read_text_field(saying, saying_row, "who"),
                read_text_field(saying, saying_row, "choices"));
    else
      show_line(ui, row, dialogues->text[row], has_own_text ? dialogues->speaker[row] : 0, dialogues->choices[row]);
  }
}

// --- the typewriter

void ui_run_typewriters(ui_o *ui, double dt_s) {
  const dialogue_columns *dialogues = &ui->columns.dialogue;
  manager_o *manager = ui->managers.kinds[UI_DIALOGUE];
  if (manager->count == 0)
    return;
  if (!ui->machine)
    ui_update_dialogues(ui);
  for (uint32_t row = 0; row < manager->count; ++row) {
    float character_count = (float)utf8_count_characters(ui_get_text(ui, dialogues->says[row])),
          speed = dialogues->speed[row];
    float shown_count = speed > 0 ? dialogues->shown[row] + speed * (float)dt_s : character_count;
    dialogues->shown[row] = shown_count < character_count ? (shown_count > 0 ? shown_count : 0) : character_count;
  }
}

void ui_end_dialogue(ui_o *ui, const ui_node_t *n, uint32_t choice) {
  const dialogue_columns *dialogues = &ui->columns.dialogue;
  manager_o *saying = find_saying_manager(ui);
  uint32_t row = saying && dialogues->source[n->row] ? manager_row(saying, dialogues->source[n->row]) : ROW_NONE;
  ui_play_sound(ui, ui->theme.palette.press);
  if (row != ROW_NONE) {
    columns_set(&saying->columns, row, (uint32_t)manager_find_column(saying, "answer"), choice);
    return;
  }
  dialogues->text[n->row] = dialogues->choices[n->row] = 0;
  ui_emit(ui, "dialogue_ended", n, choice, 0);
}

static uint32_t get_choice(const ui_o *ui, const ui_node_t *n) {
  return (uint32_t)machine_get_sent(ui, n, ui->columns.dialogue.choice[n->row]);
}

static void answer(ui_o *ui, const ui_node_t *n, uint32_t choice) {
  const dialogue_columns *dialogues = &ui->columns.dialogue;
  ui_act(ui, n,
         &(widget_action_t){.kind = WIDGET_ACTION_ANSWER,
                            .number = dialogues->options[n->row] ? choice : 1,
                            .line = dialogues->says[n->row]});
}

static void mark_choice(ui_o *ui, const ui_node_t *n, uint32_t choice) {
  ui_act(ui, n, &(widget_action_t){.kind = WIDGET_ACTION_CHOOSE, .number = choice});
  if (ui->machine)
    machine_set_sent(ui, n, choice);
}

void ui_continue_dialogue(ui_o *ui, const ui_node_t *n) {
  const dialogue_columns *dialogues = &ui->columns.dialogue;
  float character_count = (float)utf8_count_characters(ui_get_text(ui, dialogues->says[n->row]));
  shoal_assert(n->kind == UI_DIALOGUE, "widget of kind %d is not a dialogue", (int)n->kind);
  if (dialogues->shown[n->row] < character_count)
    dialogues->shown[n->row] = character_count;
  else
    answer(ui, n, get_choice(ui, n));
}

bool ui_move_choice(ui_o *ui, const ui_node_t *n, int step) {
  uint32_t count = ui_count_lines(ui_get_text(ui, ui->columns.dialogue.options[n->row])), choice = get_choice(ui, n);
  if (count > 1)
    mark_choice(ui, n, step > 0 ? choice % count + 1 : choice > 1 ? choice - 1 : count);
  return true;
}

void ui_click_dialogue(ui_o *ui, const ui_node_t *n, float y) {
  const ui_look_t *look = ui_get_look(ui, n);
  uint32_t count = ui_count_lines(ui_get_text(ui, ui->columns.dialogue.options[n->row]));
  float row_height = ui_measure_row_height(ui, look),
        top = n->y + n->height - look->padding - row_height * (float)count;
  bool is_complete = ui->columns.dialogue.shown[n->row] >=
                     (float)utf8_count_characters(ui_get_text(ui, ui->columns.dialogue.says[n->row]));
  if (count > 0 && is_complete && (y < top || y >= top + row_height * (float)count))
    return; // the click missed the choices
  if (count > 0 && is_complete)
    answer(ui, n, 1 + (uint32_t)((y - top) / row_height));
  else
    ui_continue_dialogue(ui, n);
}
