// Enforces ranges (min and max), and replaces NaN in fields that reject it. Clamped values are counted
// (manager_o.clamped); a replaced NaN is reported. Single values are clamped when written (schema/columns.h). Code that
// writes columns in place marks them. The world clamps the marked columns when the system that wrote them ends, before
// its commands are applied and before other systems run. Marking costs one store. All functions must be called on the
// main thread.
#ifndef SHOAL_ECS_RANGES_H
#define SHOAL_ECS_RANGES_H

#include "ecs/manager.h"

// Marks columns (bit mask) of a component as written in place. Columns that are neither limited (field_is_limited) nor
// part of a list are ignored.
void world_mark_written(world_o *w, uint32_t manager, uint64_t columns);
// Records the location of a write to a marked column, for reports. `row` is ROW_NONE if any row may have been written.
// `location` is "file:line", or "file" if `line` is not 0, and is copied. Only the most recent records are kept.
void world_record_write(world_o *w, uint32_t manager, uint32_t column, uint32_t row, const char *location,
                        uint32_t line);
// Clamps all marked columns, and calls world_check_written. Reports each NaN that was replaced since the last call:
// once for each field and location.
void world_clamp_written_columns(world_o *w);
// Sets a function that checks values together, such as the number of rows with a value; NULL removes the function. It
// is called when a system ends, after written columns were clamped and again after its commands were applied, and after
// writes between ticks. It may write values with columns_set.
typedef void (*written_check_t)(void *context, world_o *w);
void world_set_written_check(world_o *w, written_check_t check, void *context);
void world_check_written(world_o *w); // calls the function set by world_set_written_check
// Reports a problem with a value that was written since the last world_clamp_written_columns, with the location of the
// write: once for each location.
void world_report_write(world_o *w, const manager_o *m, uint32_t column, uint32_t row, const char *message);
// Reports a NaN that was replaced in a single value since the last report, with the name of the running system.
void world_report_replaced_nan(world_o *w);
// Counts a value that a script clamped.
void world_count_clamped(world_o *w, uint32_t manager, uint32_t column);
// Clamps all rows of all components and events, after rows were replaced. Calls `log_line` (may be NULL) for each
// component field with clamped values: "health.hp: 3 values clamped to the range from 0 to 100".
void world_clamp_all(world_o *w, void (*log_line)(void *context, const char *line), void *context);

// Reports a problem with the world's values. Each combination of `where` and `message` is reported once.
void world_report_once(world_o *w, const char *where, const char *message);
// Sets the function that receives reports; by default, they are logged as warnings. `where` is "file:line"; if the line
// is unknown, "system NAME", "program" or the name of a field. NULL removes the function that has this context.
typedef void (*range_report_t)(void *context, const char *where, const char *message);
void world_set_range_report(world_o *w, range_report_t report, void *context);

#endif
