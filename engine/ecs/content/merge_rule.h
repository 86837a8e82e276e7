// The rule for all merges of edited files into living entities: a value follows the edit unless the game has overridden
// it. Used for assemblages (assemblage_merge.h), scenes and maps (store/scene.h).
#ifndef SHOAL_CONTENT_MERGE_RULE_H
#define SHOAL_CONTENT_MERGE_RULE_H

#include "ecs/world.h"

#define MERGE_NO_COLUMN UINT32_MAX

// Criterion by which a merge recognises an overridden value.
typedef enum merge_rule_t {
  MERGE_MARKS,  // the value has a mark or, in a column without marks, differs from the old value
  MERGE_VALUES, // the value differs from the old value; 0 and -0 are equal
  MERGE_BITS,   // the value differs from the old value; 0 and -0 differ
} merge_rule_t;

typedef enum merge_choice_t { MERGE_UNCHANGED, MERGE_SET, MERGE_KEEP } merge_choice_t;

// Returns true if the values are equal according to the rule, or if both are NaN.
bool merge_is_same_value(double a, double b, merge_rule_t rule);

// Returns true if the edit changed any of `count` columns. Values are indexed by column.
bool merge_has_changed(uint32_t first_column, uint32_t count, const double *old_values, const double *new_values,
                       merge_rule_t rule);

// Decides whether a merge sets a field or a whole list: `count` columns from `first_column` on. Returns MERGE_SET to
// set the new values, MERGE_KEEP if the game has overridden them, or MERGE_UNCHANGED if the edit did not change them.
merge_choice_t merge_choose(const manager_o *m, uint32_t row, uint32_t first_column, uint32_t count,
                            const double *old_values, const double *new_values, merge_rule_t rule);

// Returns the first overridden settable column, or MERGE_NO_COLUMN. Skips transform.parent unless marks or bits decide.
uint32_t merge_find_overridden(const manager_o *m, uint32_t row, const double *old_values, merge_rule_t rule);

#endif
