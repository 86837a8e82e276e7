// The rows of a query, with the columns declared by a program.
#include "access/view.h"

#include "access/access.h"
#include "access/last_error.h"
#include "ecs/name_hint.h"
#include "ecs/relation.h"

#include <string.h>

// --- creating

static bool contains_name(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

static bool add_terms(access_o *access, access_view_t *view, const char *const *names, const char *const *reads,
                      query_role_t role) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i) {
    manager_o *m = world_find_manager(access->world, names[i]);
    if (!m)
      return access_fail("unknown component %.64s%s", names[i], hint_component(access->world, names[i], hint));
    if (view->term_count == QUERY_MAX_TERMS)
      return access_fail("too many components in a query (at most %d)", QUERY_MAX_TERMS);
    access_term_t *term = &view->terms[view->term_count];
    *term = (access_term_t){
        .bound = role == QUERY_WITHOUT ? NULL : access_find_component_binding(access, m), .manager = m, .role = role};
    uint32_t columns = access_column_count(term);
    term->written = term->bound && reads && !contains_name(reads, names[i]);
    // Writes in place set no change marks. The values are compared when marks are needed, because comparing them after
    // each run would take longer than most systems.
    if (term->written)
      m->unmarked_columns |= access_stored_columns(term->bound);
    term->columns = alloc_resize(&access->memory, NULL, 0, columns * sizeof *term->columns);
    view->shown[view->term_count++] = (shoal_term){.component = term->bound ? term->bound->component : NULL,
                                                   .name = names[i],
                                                   .columns = columns > 0 ? (void *const *)term->columns : NULL};
  }
  return true;
}

bool access_view_init(access_o *access, access_view_t *view, const shoal_query_desc *desc, bool writes) {
  const char *const *reads = writes ? desc->reads : NULL;
  query_desc_t query_desc = {.term_count = 0};
  error_info_t error = {0};
  bool valid = add_terms(access, view, desc->with, reads, QUERY_WITH) &&
               add_terms(access, view, desc->without, reads, QUERY_WITHOUT) &&
               add_terms(access, view, desc->optional, reads, QUERY_OPTIONAL) &&
               add_terms(access, view, desc->any, reads, QUERY_ANY);
  for (uint32_t i = 0; i < view->term_count; ++i)
    query_desc.terms[query_desc.term_count++] = (query_term_desc_t){view->terms[i].manager->id, view->terms[i].role};
  view->query = view->base = NULL;
  if (valid && query_desc.term_count > 0)
    view->query = access->desc.inspects ? world_find_or_create_inspection(access->world, &query_desc, &error)
                                        : world_find_or_create_query(access->world, &query_desc, &error);
  return valid && (view->query || query_desc.term_count == 0 || access_fail("%s", error.text));
}

void access_view_fini(access_o *access, access_view_t *view) {
  for (uint32_t i = 0; i < view->term_count; ++i) {
    access_term_t *term = &view->terms[i];
    alloc_resize(&access->memory, term->columns, access_column_count(term) * sizeof *term->columns, 0);
    alloc_resize(&access->memory, term->presence, term->presence_capacity, 0);
    scratch_free(&access->memory, &term->copies);
  }
  view->term_count = 0;
}

// --- rows

static const query_term_t *find_term(const access_view_t *view, const access_term_t *term) {
  for (uint32_t i = 0; i < view->query->term_count; ++i)
    if (view->query->terms[i].manager == term->manager && view->query->terms[i].role == term->role)
      return &view->query->terms[i];
  shoal_assert(false, "the query does not name component %s", term->manager->schema.name);
  return NULL;
}

static bool is_column_copied(const access_o *access, const access_term_t *term, const query_term_t *query_term,
                             uint32_t column) {
  return query_term->views[term->bound->columns[column]].rows || access_is_derived(term->bound, column) ||
         access->desc.exact;
}

static void *reserve_copy_buffer(access_o *access, const access_view_t *view, access_term_t *term, uint32_t column) {
  size_t bytes = (size_t)view->query->count * access_element_bytes(term->bound, column);
  return access->desc.exact
             ? scratch_reserve_exact(&access->memory, &term->copies, column, access_column_count(term), bytes)
             : scratch_reserve(&access->memory, &term->copies, column, access_column_count(term), bytes);
}

static void allocate_copies(access_o *access, access_view_t *view) {
  uint32_t count = view->query->count;
  for (uint32_t i = 0; i < view->term_count && count > 0; ++i) {
    access_term_t *term = &view->terms[i];
    const query_term_t *query_term = find_term(view, term);
    if ((term->role == QUERY_OPTIONAL || term->role == QUERY_ANY) && term->presence_capacity < count) {
      uint32_t new_capacity = columns_compute_capacity(term->presence_capacity, count);
      term->presence = alloc_resize(&access->memory, term->presence, term->presence_capacity, new_capacity);
      term->presence_capacity = new_capacity;
    }
    for (uint32_t column = 0; column < access_column_count(term); ++column)
      if (is_column_copied(access, term, query_term, column))
        reserve_copy_buffer(access, view, term, column);
  }
}

void access_view_open(access_o *access, access_view_t *view, shoal_view *out) {
  *out = (shoal_view){.terms = view->shown,
                      .term_count = view->term_count,
                      .report_missing = access->desc.report_missing,
                      .report_context = access};
  if (!view->query)
    return;
  if (view->base)
    pair_query_open(view->query);
  else
    query_open(view->query);
  allocate_copies(access, view);
  out->count = view->query->count;
  out->entities = view->query->entities;
}

// If the query selects rows by their target in this column, fills the column with the target and returns true.
// Otherwise returns false.
static bool fill_fixed_target(const access_view_t *view, access_term_t *term, uint32_t column) {
  shoal_entity target = view->base
                            ? pair_query_find_fixed_target(view->query, term->manager, term->bound->columns[column])
                            : SHOAL_ENTITY_NONE;
  if (target == SHOAL_ENTITY_NONE)
    return false;
  shoal_entity *entities = term->columns[column];
  for (uint32_t i = 0; i < view->query->count; ++i)
    entities[i] = target;
  term->fixed_target = target;
  term->fixed_column = column;
  return true;
}

// Returns true if the fixed column still contains the pair's target in all rows, and no call has written columns since
// the view was opened.
static bool is_fixed_column_unchanged(const access_o *access, const access_view_t *view, const access_term_t *term) {
  if (term->fixed_target == SHOAL_ENTITY_NONE || access->write_count != view->write_count)
    return false;
  const shoal_entity *entities = term->columns[term->fixed_column];
  shoal_entity difference = 0;
  for (uint32_t i = 0; i < view->query->count; ++i)
    difference |= entities[i] ^ term->fixed_target;
  return difference == 0;
}

static void set_column_pointer(access_o *access, access_view_t *view, access_term_t *term,
                               const query_term_t *query_term, uint32_t column) {
  double default_value[8]; // one element of up to 64 bytes (mat4); aligned for every type
  uint32_t count = view->query->count, store_column = term->bound->columns[column];
  const column_view_t *column_view = &query_term->views[store_column];
  uint32_t bytes = access_element_bytes(term->bound, column);
  term->columns[column] = access_is_derived(term->bound, column) ? NULL : column_view->data;
  if (count == 0 || !is_column_copied(access, term, query_term, column))
    return;
  term->columns[column] = reserve_copy_buffer(access, view, term, column);
  if (access_is_derived(term->bound, column)) {
    manager_compute_derived_field(term->manager, store_column, column_view->rows, 0, count, term->columns[column]);
  } else if (fill_fixed_target(view, term, column)) {
    return;
  } else if (column_view->rows) {
    shoal_assert(bytes <= sizeof default_value, "element size %u is out of range", bytes);
    scratch_fill_default(&term->manager->columns, store_column, default_value, 1);
    scratch_gather_rows(term->columns[column], column_view->data, column_view->rows, count, bytes, default_value);
  } else {
    memcpy(term->columns[column], column_view->data, (size_t)count * bytes);
  }
}

void access_view_gather(access_o *access, access_view_t *view) {
  for (uint32_t i = 0; i < view->term_count && view->query; ++i) {
    access_term_t *term = &view->terms[i];
    const query_term_t *query_term = find_term(view, term);
    for (uint32_t k = 0; term->presence && k < view->query->count; ++k)
      term->presence[k] = query_term->present.rows == NULL || query_term->present.rows[k] != ROW_NONE;
    view->shown[i].present = term->presence;
    term->fixed_target = SHOAL_ENTITY_NONE;
    term->fixed_unchanged = false;
    for (uint32_t column = 0; column < access_column_count(term); ++column)
      set_column_pointer(access, view, term, query_term, column);
  }
}

void access_view_scatter(const access_o *access, access_view_t *view) {
  uint32_t count = view->query ? view->query->count : 0;
  for (uint32_t i = 0; i < view->term_count && count > 0; ++i) {
    access_term_t *term = &view->terms[i];
    const query_term_t *query_term = find_term(view, term);
    term->fixed_unchanged = term->written && is_fixed_column_unchanged(access, view, term);
    for (uint32_t column = 0; term->written && column < access_column_count(term); ++column) {
      const column_view_t *column_view = &query_term->views[term->bound->columns[column]];
      uint32_t bytes = access_element_bytes(term->bound, column);
      if (term->fixed_unchanged && column == term->fixed_column)
        continue;
      if (column_view->rows && !access_is_derived(term->bound, column))
        scratch_scatter_rows(column_view->data, term->columns[column], column_view->rows, count, bytes);
      else if (access->desc.exact && !access_is_derived(term->bound, column))
        memcpy(column_view->data, term->columns[column], (size_t)count * bytes);
    }
  }
}

void access_view_get_part(const access_view_t *view, const shoal_view *all, uint32_t first, uint32_t max_count,
                          access_view_part_t *out) {
  shoal_assert(first <= all->count, "row %u is out of range (count %u)", first, all->count);
  for (uint32_t i = 0; i < view->term_count; ++i) {
    const access_term_t *term = &view->terms[i];
    out->terms[i] = view->shown[i];
    for (uint32_t column = 0; column < access_column_count(term); ++column)
      out->columns[i][column] =
          (char *)term->columns[column] + (size_t)first * access_element_bytes(term->bound, column);
    out->terms[i].columns = out->terms[i].columns ? (void *const *)out->columns[i] : NULL;
    out->terms[i].present = out->terms[i].present ? out->terms[i].present + first : NULL;
  }
  uint32_t remaining = all->count - first;
  out->view = (shoal_view){.count = remaining < max_count ? remaining : max_count,
                           .first = first,
                           .entities = all->entities ? all->entities + first : NULL,
                           .terms = out->terms,
                           .term_count = view->term_count,
                           .report_missing = all->report_missing,
                           .report_context = all->report_context};
}

// Fills the copies of an invalid view: floats become NaN, and ids belong to no entity.
static void poison_copies(access_view_t *view) {
  for (uint32_t i = 0; i < view->term_count; ++i) {
    const scratch_t *copies = &view->terms[i].copies;
    for (uint32_t c = 0; c < copies->count; ++c)
      if (copies->memory[c])
        memset(copies->memory[c], 0xff, copies->bytes[c]);
  }
}

// Notifies the relations of the view's rows, because the program may have written the rows' entity fields.
static void report_written_rows(const access_o *access, const access_view_t *view, const access_term_t *term) {
  const query_term_t *query_term = view->query ? find_term(view, term) : NULL;
  for (uint32_t i = 0; query_term && i < access_column_count(term); ++i) {
    uint32_t column = term->bound->columns[i];
    if (term->fixed_unchanged && i == term->fixed_column)
      continue;
    relation_report_written_rows(access->world, term->manager->id, column, query_term->views[column].rows,
                                 view->query->count);
  }
}

void access_view_close(const access_o *access, access_view_t *view) {
  if (access->desc.exact)
    poison_copies(view);
  for (uint32_t i = 0; i < view->term_count; ++i)
    if (view->terms[i].written) {
      access_mark_written(access, view->terms[i].bound);
      report_written_rows(access, view, &view->terms[i]);
    }
  if (view->base) {
    pair_query_close(view->query);
    view->query = view->base;
    view->base = NULL;
  } else if (view->query) {
    query_close(view->query);
  }
}
