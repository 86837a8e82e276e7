// Recognition of values that the game has overridden. See merge_rule.h.
#include "content/merge_rule.h"

#include "ecs/world_internal.h"

#include <string.h>

bool merge_is_same_value(double a, double b, merge_rule_t rule) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): 0 and -0 differ; all NaN are equal
  return (rule == MERGE_BITS ? memcmp(&a, &b, sizeof a) == 0 : a == b) || (a != a && b != b);
}

static bool is_overridden(const manager_o *m, uint32_t row, uint32_t column, double value, merge_rule_t rule) {
  if (rule == MERGE_MARKS && columns_is_touched(&m->columns, row, column))
    return true;
  if (rule == MERGE_MARKS && columns_get_marks(&m->columns, column) && !(m->unmarked_columns >> column & 1))
    return false;
  if (m->schema.fields[column].type == FIELD_F32)
    value = (double)(float)value;
  return !merge_is_same_value(columns_get(&m->columns, row, column), value, rule);
}

bool merge_has_changed(uint32_t first_column, uint32_t count, const double *old_values, const double *new_values,
                       merge_rule_t rule) {
  bool has_changed = false;
  for (uint32_t k = first_column; k < first_column + count && !has_changed; ++k)
    has_changed = !merge_is_same_value(old_values[k], new_values[k], rule);
  return has_changed;
}

merge_choice_t merge_choose(const manager_o *m, uint32_t row, uint32_t first_column, uint32_t count,
                            const double *old_values, const double *new_values, merge_rule_t rule) {
  if (!merge_has_changed(first_column, count, old_values, new_values, rule))
    return MERGE_UNCHANGED;
  for (uint32_t k = first_column; k < first_column + count; ++k)
    if (is_overridden(m, row, k, old_values[k], rule))
      return MERGE_KEEP;
  return MERGE_SET;
}

// Returns true if the column is a child's link to its parent and is compared by value (because of `rule`, or because
// the column has no marks). Without this exception, such a link would look like an overridden value.
static bool is_parent_link(const manager_o *m, uint32_t column, merge_rule_t rule) {
  const world_o *w = m->world;
  return m->id == w->parent_manager && column == w->parent_column && rule != MERGE_BITS &&
         (rule == MERGE_VALUES || !columns_get_marks(&m->columns, column));
}

uint32_t merge_find_overridden(const manager_o *m, uint32_t row, const double *old_values, merge_rule_t rule) {
  for (uint32_t k = 0; k < m->schema.field_count; ++k)
    if (field_is_settable(&m->schema.fields[k]) && !is_parent_link(m, k, rule) &&
        is_overridden(m, row, k, old_values[k], rule))
      return k;
  return MERGE_NO_COLUMN;
}
