// ecs_fuzz SEED OPERATIONS: applies random operations to a world and to the model of ecs_model.h: structural changes to
// one or many entities, queries, groups, states, deferral, blocks, events and watchers. At the first difference it
// prints the seed and the operation's index and exits with 1. The same arguments always give the same run; the last
// line is the world's hash, which is the same in every build.
#include "ecs_model.h"

#include "ecs/command_batch.h"
#include "ecs/manager.h"
#include "ecs/world.h"
#include "ecs/world_internal.h"
#include "ecs/world_hash.h"

#include <stdarg.h>

static world_o *world;
static uint64_t seed, operation, state;
static uint32_t recent[256]; // a sample of the ids issued so far, many of them dead
static uint32_t recent_count;
static hook_note_t heard[MAX_ROWS * 2];
static uint32_t heard_count;

__attribute__((format(printf, 2, 3))) static void check(bool good, const char *format, ...) {
  if (good)
    return;
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "ecs_fuzz: seed %llu, operation %llu: ", (unsigned long long)seed, (unsigned long long)operation);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

static uint32_t random_below(uint32_t sides) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)((state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % sides;
}

// --- maps the model's small numbers to strings of the world

static void format_name(char *out, size_t bytes, const char *prefix, uint32_t number) {
  bool whole = number == 3 && strcmp(prefix, "instance") == 0;
  snprintf(out, bytes, whole ? DISABLED_WHOLE : "%s%u", prefix, number);
}

static uint32_t text_id(const char *prefix, uint32_t number) {
  char text[32];
  if (number == 0)
    return 0;
  format_name(text, sizeof text, prefix, number);
  return strings_intern(world_strings(world), text);
}

static bool is_name_of(uint32_t id, const char *prefix, uint32_t number) {
  char text[32] = "";
  if (number != 0)
    format_name(text, sizeof text, prefix, number);
  return strcmp(strings_text(world_strings(world), id), text) == 0;
}

static double to_stored_value(char type, double v) {
  return type == 's' ? text_id("text", (uint32_t)v) : v;
}

static double random_value(char type) {
  switch (type) {
  case 'f': return (double)random_below(4000) / 8 - 100;
  case 'i': return (double)random_below(20000) - 10000;
  case 'b': return random_below(256);
  case 'e': return recent_count ? recent[random_below(recent_count)] : 0;
  default: return random_below(1000000); // number in the name of a string
  }
}

static uint32_t random_entity(void) {
  if (random_below(40) == 0)
    return (uint32_t)random_below(1u << 31) * 2 + random_below(2); // a forged id
  return recent_count ? recent[random_below(recent_count)] : 0;
}

static void remember_id(uint32_t e) {
  if (recent_count < 256)
    recent[recent_count++] = e;
  else
    recent[random_below(256)] = e;
}

// Returns true if more than `max_alive` entities are alive. Every fourth seed allows three times as many, so that
// operations move long runs of rows and indices.
static bool is_crowded(uint32_t max_alive) {
  return model.alive_count > (seed % 4 == 1 ? 3 * max_alive : max_alive);
}

static uint32_t random_component(void) {
  return 1 + random_below(MANAGERS + (random_below(60) == 0)); // rarely an unknown component
}

static uint32_t random_instance(uint32_t manager) {
  bool many = manager <= MANAGERS && kinds[manager].many;
  return many || random_below(80) == 0 ? random_below(4) : 0;
}

// --- comparison

static query_o *find_world_query(const model_query_t *q) {
  query_desc_t desc = {.term_count = q->terms};
  for (uint32_t i = 0; i < desc.term_count; ++i)
    desc.terms[i] = (query_term_desc_t){q->manager[i], (query_role_t)q->role[i]};
  return world_find_or_create_query(world, &desc, NULL);
}

static void compare_entities(void) {
  const entities_t *s = world_entities(world);
  check(s->used == model.used && s->alive_count == model.alive_count && s->free_count == model.fifo_count,
        "%u/%u/%u entities, not %u/%u/%u", s->used, s->alive_count, s->free_count, model.used, model.alive_count,
        model.fifo_count);
  for (uint32_t i = 1; i < s->used; ++i) {
    check(s->alive[i] == model.alive[i] && s->generation[i] == model.generation[i], "entity index %u", i);
    if (model.alive[i])
      check(is_name_of(s->assemblage[i], "assemblage", model.assemblage[i]) &&
                is_name_of(s->state[i], "state", model.state[i]),
            "facts of entity index %u", i);
    else
      check(is_name_of(sparse_get(s->died_by, i), "system", model.died_by[i]) &&
                sparse_get(s->died_tick, i) == model.died_tick[i],
            "the death of entity index %u: by %s", i, strings_text(world_strings(world), sparse_get(s->died_by, i)));
  }
  for (uint32_t i = 0; i < s->free_count; ++i)
    check(s->free_ring[(s->free_first + i) & (s->free_capacity - 1)] == model.fifo[i], "place %u of the FIFO", i);
}

static void compare_row(const manager_o *m, uint32_t i) {
  const row_t *r = &model.m[m->id].rows[i];
  check(m->owner[i] == r->owner, "%s row %u is owned by %u, not %u", m->schema.name, i, m->owner[i], r->owner);
  for (uint32_t c = 0; c < kinds[m->id].fields; ++c) {
    double v = columns_get(&m->columns, i, c);
    bool same = kinds[m->id].types[c] == 's' ? is_name_of((uint32_t)v, "text", (uint32_t)r->v[c]) : v == r->v[c];
    check(same, "%s row %u column %u holds %g, not %g", m->schema.name, i, c, v, r->v[c]);
  }
  int64_t first = model_after(m->id, r->owner, 0);
  check(manager_row(m, r->owner) == (uint32_t)first, "%s finds the wrong row of %u", m->schema.name, r->owner);
  if (!kinds[m->id].many)
    return;
  check(is_name_of(m->instance[i], "instance", r->instance), "%s row %u has a wrong instance", m->schema.name, i);
  int64_t next = model_after(m->id, r->owner, r->serial);
  check(m->next[i] == (next < 0 ? ROW_NONE : (uint32_t)next), "%s row %u has a wrong next row", m->schema.name, i);
}

static void compare_managers(void) {
  for (uint32_t id = 1; id <= MANAGERS; ++id) {
    manager_o *m = world_manager(world, id);
    if (kinds[id].single)
      continue;
    check(m->count == model.m[id].count && m->columns.count == m->count, "%s has %u rows, not %u", kinds[id].name,
          m->count, model.m[id].count);
    for (uint32_t c = 0; c < m->columns.column_count; ++c)
      check((uintptr_t)m->data[c] % 64 == 0, "%s column %u is not aligned", kinds[id].name, c);
    for (uint32_t i = 0; i < m->count; ++i)
      compare_row(m, i);
  }
}

static void compare_term(const query_o *q, const model_query_t *mq, const query_term_t *t) {
  bool aligned = true;
  uint32_t id = t->manager->id;
  bool drives = mq->driver == id && t->role == QUERY_WITH;
  check(t->owned == (t->role != QUERY_WITHOUT && model_owns(mq, id)), "query %u and the rows of %s", q->id,
        kinds[id].name);
  for (uint32_t i = 0; i < q->count; ++i) {
    int64_t row = drives                                 ? model_find(id, mq->e[i], mq->instance[i])
                  : model_includes_row(mq, id, mq->e[i]) ? model_after(id, mq->e[i], 0)
                                                         : -1;
    uint32_t wanted = row < 0 ? ROW_NONE : (uint32_t)row;
    uint32_t said = t->rows ? t->rows[i] : i; // owned terms need no row map
    check(said == wanted, "query %u row %u maps to %u of %s, not %u", q->id, i, said, kinds[id].name, wanted);
    aligned &= wanted == i;
  }
  for (uint32_t c = 0; c < t->view_count; ++c)
    check(t->views[c].count == q->count && t->views[c].data == t->manager->data[c] &&
              t->views[c].rows == (aligned ? NULL : t->rows),
          "query %u: the view of %s is wrong (%u misaligned)", q->id, kinds[id].name, t->misaligned);
}

static void compare_queries(void) {
  for (uint32_t k = 0; k < model.query_count; ++k) {
    const model_query_t *mq = &model.queries[k];
    query_o *q = find_world_query(mq);
    check(q && q->id == k + 1, "query %u has changed", k + 1);
    check(q->count == mq->count, "query %u has %u rows, not %u", q->id, q->count, mq->count);
    query_open(q);
    for (uint32_t i = 0; i < q->count; ++i)
      check(q->entities[i] == mq->e[i], "query %u row %u is %u, not %u", q->id, i, q->entities[i], mq->e[i]);
    for (uint32_t i = 0; i < q->term_count; ++i)
      if (q->terms[i].role != QUERY_WITHOUT)
        compare_term(q, mq, &q->terms[i]);
    query_close(q);
    check(q->entity_view.count == 0, "query %u keeps its view when closed", q->id);
  }
}

static void compare_events(void) {
  const event_o *ev = world_event(world, 1);
  check(ev->columns.count == model.event_count && ev->first == model.first_event, "%u events, not %u",
        ev->columns.count, model.event_count);
  for (uint32_t i = 0; i < model.event_count; ++i)
    for (uint32_t c = 0; c < 3; ++c)
      check(columns_get(&ev->columns, i, c) == model.events[i].v[c], "event %u column %u", i, c);
}

static void compare_hooks(void) {
  check(heard_count == model.note_count, "%u calls to hooks, not %u", heard_count, model.note_count);
  for (uint32_t i = 0; i < heard_count; ++i)
    check(memcmp(&heard[i], &model.notes[i], sizeof heard[i]) == 0,
          "hook call %u: kind %d of %s for %u, not %d of %s for %u", i, heard[i].hook, kinds[heard[i].manager].name,
          heard[i].e, model.notes[i].hook, kinds[model.notes[i].manager].name, model.notes[i].e);
  heard_count = model.note_count = 0;
}

static void compare_all(void) {
  compare_hooks();
  compare_managers();
  compare_queries();
  compare_events();
  compare_entities();
}

// --- hooks

static void record_hook(int hook, const manager_o *m, uint32_t e) {
  check(heard_count < MAX_ROWS * 2, "too many hook calls");
  heard[heard_count++] = (hook_note_t){hook, m->id, e};
}

static void on_added(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  (void)context;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = m->owner[rows[i]];
    record_hook(HOOK_ADDED, m, e);
    if (m->id == HOOKED && e % 3 == 0)
      world_add_component(w, e, TAG, 0, NULL);
  }
}

static void on_removing(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  (void)context;
  (void)w;
  for (uint32_t i = 0; i < count; ++i) {
    record_hook(HOOK_REMOVING, m, entities[i]);
    check(manager_row(m, entities[i]) != ROW_NONE, "`removing` ran after the row was removed");
  }
}

// Destroying an entity also destroys the entities that are linked to it.
static void on_died(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  (void)context;
  for (uint32_t i = 0; i < count; ++i)
    record_hook(HOOK_DIED, m, entities[i]);
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t row = 0; row < m->count; ++row)
      if ((uint32_t)columns_get(&m->columns, row, 0) == entities[i])
        world_destroy_entity(w, m->owner[row]);
}

// --- declarations

static void declare_components(void) {
  for (uint32_t id = 1; id <= MANAGERS; ++id) {
    const kind_t *k = &kinds[id];
    schema_buffer_t s;
    schema_init(&s, k->name, k->many ? SCHEMA_MANY : k->single ? SCHEMA_SINGLE : SCHEMA_COMPONENT, "fuzz");
    for (uint32_t c = 0; c < k->fields; ++c) {
      static const char *const names[][MAX_VALUES] = {[TRANSFORM] = {"x", "parent"}, [NAME] = {"value"}};
      const char *name = id <= NAME ? names[id][c] : c == 0 ? "a" : c == 1 ? "b" : "c";
      char t = k->types[c];
      field_type_t type = t == 'f'   ? FIELD_F32
                          : t == 'i' ? FIELD_I32
                          : t == 'b' ? FIELD_U8
                          : t == 'e' ? FIELD_ENTITY
                                     : FIELD_STRING;
      schema_add_field(&s.schema, name, type, 0);
    }
    check(world_declare_schema(world, &s.schema, NULL) == id, "%s got a different number", k->name);
    if (k->hooked)
      world_set_hooks(
          world, id,
          &(manager_hooks_t){.added = on_added, .removing = on_removing, .died = id == HOOKED ? on_died : NULL});
    model.m[id].group = -1;
  }
  schema_buffer_t ev;
  schema_init(&ev, "bang", SCHEMA_EVENT, "fuzz");
  schema_add_field(&ev.schema, "number", FIELD_F64, 0);
  schema_add_field(&ev.schema, "who", FIELD_ENTITY, 0);
  schema_add_field(&ev.schema, "cancelled", FIELD_BOOL, 0);
  check(world_declare_schema(world, &ev.schema, NULL) == 1, "the event got a different number");
}

static void make_random_template(uint32_t number, uint32_t t) {
  model_template_t *mt = &model.assemblages[number].t[t];
  mt->count = 0;
  mt->state = t;
  for (uint32_t i = random_below(5); i > 0; --i) {
    model_part_t p = {.manager = 1 + random_below(MANAGERS)};
    if (kinds[p.manager].single)
      continue;
    p.instance = kinds[p.manager].many ? random_below(4) : 0;
    if (model_part(mt, p.manager, p.instance))
      continue;
    uint32_t instance = text_id("instance", p.instance);
    world_assemblage_add_component(world, number, t, p.manager, instance);
    for (uint32_t c = 0; c < kinds[p.manager].fields; ++c) {
      p.v[c] = random_value(kinds[p.manager].types[c]);
      world_assemblage_set_field(world, number, t, p.manager, instance, c,
                                 to_stored_value(kinds[p.manager].types[c], p.v[c]));
    }
    mt->parts[mt->count++] = p;
  }
}

static void declare_assemblages(void) {
  world_assemblages_clear(world);
  memset(model.assemblages, 0, sizeof model.assemblages);
  model.assemblage_count = MAX_ASSEMBLAGES;
  for (uint32_t n = 1; n <= MAX_ASSEMBLAGES; ++n) {
    model_assemblage_t *a = &model.assemblages[n];
    check(world_assemblage_declare(world, text_id("assemblage", n)) == n, "assemblage %u got another number", n);
    a->templates = 1 + random_below(MAX_STATES + 1);
    for (uint32_t t = 1; t < a->templates; ++t)
      check(world_assemblage_add_state(world, n, text_id("state", t)) == t, "state %u got another number", t);
    for (uint32_t t = 0; t < a->templates; ++t)
      make_random_template(n, t);
    for (uint32_t i = n > 1 ? random_below(3) : 0; i > 0; --i) {
      uint32_t child = 1 + random_below(n - 1);
      a->child[a->children++] = child;
      world_assemblage_add_child(world, n, text_id("text", child), child);
    }
  }
}

// --- operations

static void op_compare_facts(void);

static void op_spawn(void) {
  uint32_t a = random_below(MAX_ASSEMBLAGES + 1);
  if (is_crowded(150))
    return;
  if (model.assemblages[a].children > 0 && random_below(4) != 0)
    a = 1;
  uint32_t before = model.queued;
  uint32_t e = world_spawn(world, a, NULL);
  model_command_t c = {.kind = SPAWN, .e = model_create(a), .a = a};
  check(c.e == e, "spawned %u, not %u", e, c.e);
  model_push(c);
  model_spawn_children(c.e, a, model.queue, &model.queued);
  for (uint32_t i = before; i < model.queued; ++i)
    remember_id(model.queue[i].e);
  if (!model_is_deferring())
    model_apply();
}

// In three of four calls, tries to append the command to the previous command without an API call, as
// scripts/shoal/schema/fast_commands.lua does. Returns false if this is impossible or not tried.
static bool try_append_command(command_kind_t kind, uint32_t manager, uint32_t e) {
  static uint32_t asked;
  world_lane_t *lane = world_command_lane(world);
  if (++asked % 4 == 0 || lane->next != lane_code(kind, manager) || lane->lists->count == lane->lists->capacity)
    return false;
  check(world_is_deferring(world), "a lane is open outside deferral");
  lane->lists->items[lane->lists->count++] = e;
  ++*lane->joined;
  lane->next = lane->after;
  lane->after = lane_code(kind, manager);
  if (kind == COMMAND_DESTROY)
    world_entities(world)->marks[shoal_entity_index(e)] |= MARK_DOOMED;
  return true;
}

static void op_destroy(void) {
  uint32_t e = random_entity();
  uint32_t by = model.frames ? model.frame_by[model.frames - 1] : 0;
  bool alive = model_is_alive(e), doomed = alive && model_is_doomed(e), good = alive && !doomed;
  check(world_is_doomed(world, e) == doomed, "is %u destroyed already?", e);
  check((good && try_append_command(COMMAND_DESTROY, 0, e)) || world_destroy_entity(world, e) == good, "destroying %u",
        e);
  if (good)
    model_submit((model_command_t){.kind = DESTROY, .e = e, .a = by});
}

// Returns true if `e` belongs to an uncommitted block. Such an entity can only be destroyed.
static bool is_staged(uint32_t e) {
  for (uint32_t i = 0; i < MAX_BLOCKS; ++i) {
    const model_block_t *b = &model.blocks[i];
    for (uint32_t k = 0; b->number && !b->committed && k < b->count; ++k)
      if (b->e[k] == e)
        return true;
    for (uint32_t k = 0; b->number && !b->committed && k < b->descendant_count; ++k)
      if (b->descendants[k].e == e)
        return true;
  }
  return false;
}

static bool is_valid_target(uint32_t e, uint32_t manager, uint32_t instance) {
  return manager <= MANAGERS && !kinds[manager].single && (instance == 0 || kinds[manager].many) && model_is_alive(e) &&
         !is_staged(e);
}

static void op_add(void) {
  uint32_t e = random_entity(), manager = random_component(), instance = random_instance(manager);
  bool good = is_valid_target(e, manager, instance);
  check((good && try_append_command(COMMAND_ADD, manager, e)) ||
            world_add_component(world, e, manager, text_id("instance", instance), NULL) == good,
        "adding %u to %u", manager, e);
  if (good)
    model_submit((model_command_t){.kind = ADD, .e = e, .a = manager, .b = instance});
}

static bool has_component_or_pending_add(uint32_t e, uint32_t manager, uint32_t instance, bool any_instance) {
  bool has = any_instance ? model_has(manager, e) : model_find(manager, e, instance) >= 0;
  return has || model_has_pending_add(e, manager);
}

static void op_remove(void) {
  uint32_t e = random_entity(), manager = random_component(), instance = random_instance(manager);
  bool good = is_valid_target(e, manager, instance) &&
              has_component_or_pending_add(e, manager, instance, kinds[manager].many && instance == 0);
  check((good && model_has(manager, e) && try_append_command(COMMAND_REMOVE, manager, e)) ||
            world_remove_component(world, e, manager, text_id("instance", instance)) == good,
        "removing %u from %u", manager, e);
  if (good)
    model_submit((model_command_t){.kind = REMOVE, .e = e, .a = manager, .b = instance});
}

static void op_set(void) {
  uint32_t e = random_entity(), manager = random_component(), instance = random_instance(manager);
  uint32_t column = random_below(MAX_VALUES);
  bool good = is_valid_target(e, manager, instance) && column < kinds[manager].fields &&
              has_component_or_pending_add(e, manager, instance, false);
  char type = column < 3 && manager <= MANAGERS && column < kinds[manager].fields ? kinds[manager].types[column] : 'i';
  double v = random_value(type);
  bool done = world_set_field(world, e, manager, text_id("instance", instance), column, to_stored_value(type, v), NULL);
  check(done == good, "setting %u.%u of %u", manager, column, e);
  if (good)
    model_submit((model_command_t){.kind = SET, .e = e, .a = manager, .b = instance, .c = column, .value = v});
}

static void enter_state(uint32_t e, uint32_t to) {
  uint32_t a = model_is_alive(e) ? model.assemblage[e & 0x3fffff] : 0;
  bool good = a != 0 && !is_staged(e) && model_state(a, to);
  check(world_enter_state(world, e, text_id("state", to), NULL) == good, "%u enters state %u", e, to);
  if (good)
    model_submit((model_command_t){.kind = ENTER, .e = e, .a = to});
}

static void op_enter(void) {
  uint32_t e = random_entity();
  enter_state(e, 1 + random_below(MAX_STATES));
}

// Changes the states of all entities of an assemblage. The world changes entities that leave the same state together.
static void op_enter_many(void) {
  uint32_t a = 1 + random_below(MAX_ASSEMBLAGES), states = 1 + random_below(2), from = 1 + random_below(MAX_STATES);
  for (uint32_t i = 1; i < model.used && model.frames > 0; ++i)
    if (model.alive[i] && !model.is_queued[i] && model.assemblage[i] == a)
      enter_state(i | (uint32_t)model.generation[i] << 22, (from + random_below(states)) % MAX_STATES + 1);
}

static void op_defer(void) {
  if (model.frames < 3 && random_below(2) == 0) {
    uint32_t by = 1 + random_below(3);
    model.frame_by[model.frames] = by;
    model.frame_first[model.frames++] = model.queued;
    world_defer_begin(world, text_id("system", by));
  } else if (model.frames > 0) {
    bool drop = random_below(4) == 0;
    if (drop) {
      model_drop();
      for (uint32_t i = 0; i < MAX_BLOCKS; ++i) // frees blocks in creation order
        for (uint32_t k = 0, best = 0; k < MAX_BLOCKS; ++k) {
          if (model.blocks[k].number && model.blocks[k].depth >= model.frames &&
              (best == 0 || model.blocks[k].number < best))
            best = model.blocks[k].number;
          if (k == MAX_BLOCKS - 1 && best)
            model_free_block(model_block(best), model.frame_by[model.frames - 1]);
        }
    }
    model.frames--;
    for (uint32_t i = 0; i < MAX_BLOCKS; ++i)
      if (model.blocks[i].depth > model.frames)
        model.blocks[i].depth = model.frames;
    world_defer_end(world, drop);
    if (model.frames == 0)
      model_apply();
  }
}

static void op_emit(void) {
  double v[MAX_VALUES] = {(double)random_below(100000), random_value('e'), random_below(4) == 0};
  if (model_is_deferring() && random_below(2) == 0) {
    uint32_t row = event_stage_row(world, 1, random_below(2) == 0);
    for (uint32_t c = 0; c < 3; ++c)
      columns_set_unmarked(event_get_staged_columns(world, 1), row, c, v[c]);
  } else {
    uint32_t ticket = world_emit_event(world, 1);
    for (uint32_t c = 0; c < 3; ++c)
      world_set_event_field(world, ticket, c, v[c]);
  }
  model_command_t c = {.kind = EMIT};
  memcpy(c.v, v, sizeof v);
  model_submit(c);
}

static void op_read(void) {
  uint32_t reader = 1 + random_below(3), name = text_id("system", reader);
  uint64_t from = world_reader_position(world, name, 1), next;
  uint64_t wanted = model.next_event[reader] > model.first_event ? model.next_event[reader] : model.first_event;
  check(from == wanted, "reader %u starts at a different row", reader);
  event_o *ev = world_event(world, 1);
  uint32_t count = event_open(ev, from, &next), seen = 0;
  for (uint64_t n = from; n < model.first_event + model.event_count; ++n) {
    const double *v = model.events[n - model.first_event].v;
    if (v[2] != 0)
      continue;
    check(seen < count, "reader %u misses a row", reader);
    uint32_t row = ev->views[0].rows ? ev->views[0].rows[seen] : seen;
    check(((double *)ev->views[0].data)[row] == v[0] && ((uint32_t *)ev->views[1].data)[row] == (uint32_t)v[1],
          "reader %u sees another event", reader);
    seen++;
  }
  check(seen == count, "reader %u sees %u events, not %u", reader, count, seen);
  event_close(ev);
  world_set_reader_position(world, name, 1, next);
  model.next_event[reader] = next;
}

static void op_end_tick(void) {
  if (model.frames > 0)
    return;
  for (uint32_t i = random_below(60); i > 0; --i)
    text_id("garbage", random_below(1000000)); // creates unused strings for sweeps to free
  world_end_tick(world);
  world_share_pages(world, 1);
  model_end_tick();
}

static void add_term(model_query_t *q, uint32_t manager, int role) {
  for (uint32_t i = 0; i < q->terms; ++i)
    if (q->manager[i] == manager && q->role[i] == role)
      return;
  q->manager[q->terms] = manager;
  q->role[q->terms++] = role;
}

static void op_query(void) {
  // With every third seed, only three queries are created: most components then share no query, which tests other code
  // paths.
  if (model.query_count == (seed % 3 == 0 ? 3 : MAX_QUERIES) || random_below(4) != 0)
    return;
  model_query_t *q = &model.queries[model.query_count];
  *q = (model_query_t){0};
  query_desc_t desc = {.term_count = 1 + random_below(4)};
  bool positive = false, good = true;
  for (uint32_t i = 0; i < desc.term_count; ++i) {
    uint32_t manager = 1 + random_below(MANAGERS), role = random_below(2) ? WITH : random_below(4);
    desc.terms[i] = (query_term_desc_t){manager, (query_role_t)role};
    positive |= role == WITH || role == ANY;
    good &= !kinds[manager].single;
    if (role == WITH && kinds[manager].many) {
      good &= q->driver == 0 || q->driver == manager;
      q->driver = manager;
    }
    add_term(q, manager, (int)role);
  }
  uint32_t before = world_query_count(world);
  query_o *made = world_find_or_create_query(world, &desc, NULL);
  check((made != NULL) == (good && positive), "an invalid query was accepted, or a valid one refused");
  if (!made || world_query_count(world) == before)
    return;
  // Copies the world's canonical order of terms, which breaks ties between components with the same number of rows.
  for (uint32_t i = 0; i < q->terms; ++i) {
    q->manager[i] = made->terms[i].manager->id;
    q->role[i] = (int)made->terms[i].role;
  }
  model.query_count++;
  model_fill_query(q);
}

static void op_group(void) {
  if (model.query_count == 0 || model.frames > 0 || random_below(4) != 0)
    return;
  model_query_t *q = &model.queries[random_below(model.query_count)];
  if (random_below(5) == 0) {
    world_ungroup_query(world, find_world_query(q));
    if (q->group)
      model_end_group(q);
    return;
  }
  bool good = q->group || model_can_group(q);
  check(world_group_query(world, find_world_query(q), NULL) == good,
        "an invalid group was accepted, or a valid one refused");
  if (good && !q->group)
    model_make_group(q);
}

static uint32_t choose_random_values(model_command_t *c, uint32_t *columns, double *values) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < kinds[c->a].fields; ++i) {
    if (random_below(2))
      continue;
    c->given[i] = true;
    c->v[i] = random_value(kinds[c->a].types[i]);
    columns[count] = i;
    values[count++] = to_stored_value(kinds[c->a].types[i], c->v[i]);
  }
  return count;
}

// Changes all entities of a query with one command per entity in the model and a single command in the world.
static void op_many(void) {
  static model_command_t list[MAX_ROWS];
  if (model.query_count == 0 || random_below(4) != 0)
    return;
  const model_query_t *q = &model.queries[random_below(model.query_count)];
  int kind = random_below(4) == 0 ? DESTROY : random_below(2) ? ADD_SET : REMOVE;
  uint32_t count = 0, columns[MAX_VALUES];
  double values[MAX_VALUES];
  model_command_t c = {.kind = kind, .a = random_component()};
  if (kind == DESTROY)
    c.a = model.frames ? model.frame_by[model.frames - 1] : 0;
  bool good = kind == DESTROY || (c.a <= MANAGERS && !kinds[c.a].single);
  for (uint32_t i = 0; i < q->count && good; ++i) {
    uint32_t at = kind == REMOVE ? q->count - 1 - i : i;
    int64_t first = q->driver ? model_after(q->driver, q->e[at], 0) : -1;
    if (first >= 0 && model.m[q->driver].rows[first].instance != q->instance[at])
      continue;
    c.e = q->e[at];
    if (kind == DESTROY && model_is_doomed(c.e))
      continue;
    c.follows = count > 0;
    list[count++] = c;
  }
  if (kind == DESTROY) {
    check(world_query_destroy_entities(world, find_world_query(q)) == count, "wrong number of destroyed entities");
  } else if (kind == REMOVE) {
    check(world_query_remove_component(world, find_world_query(q), c.a, NULL) == good, "removing %u from a query", c.a);
  } else {
    uint32_t given = good ? choose_random_values(&c, columns, values) : 0;
    check(world_query_add_component(world, find_world_query(q), c.a, columns, values, given, NULL) == good,
          "adding %u to a query", c.a);
    for (uint32_t i = 0; i < count; ++i) {
      memcpy(list[i].given, c.given, sizeof c.given);
      memcpy(list[i].v, c.v, sizeof c.v);
    }
  }
  for (uint32_t i = 0; i < count; ++i)
    model_push(list[i]);
  if (!model_is_deferring())
    model_apply();
}

static bool is_valid_change(uint32_t e, uint32_t manager, bool adds) {
  return is_valid_target(e, manager, 0) && (adds || has_component_or_pending_add(e, manager, 0, kinds[manager].many));
}

// Issues many commands of one kind for one component, or alternates between two kinds, on random entities. The world
// batches them into one or two commands.
static void op_repeated(void) {
  uint32_t managers[2], turns = 1 + random_below(2);
  bool adds[2];
  for (uint32_t i = 0; i < 2; ++i) {
    managers[i] = 1 + random_below(MANAGERS);
    adds[i] = random_below(3) != 0;
  }
  for (uint32_t deaths = random_below(12) == 0 ? 4 + random_below(20) : 0; deaths > 0; --deaths)
    op_destroy();
  if (model.frames == 0 || kinds[managers[0]].single || kinds[managers[1]].single)
    return;
  for (uint32_t i = 8 + random_below(40); i > 0; --i) {
    uint32_t e = random_entity();
    if (turns == 2 && !(is_valid_change(e, managers[0], adds[0]) && is_valid_change(e, managers[1], adds[1])))
      continue; // skipping only one of the two commands would break the alternation
    for (uint32_t k = 0; k < turns; ++k) {
      uint32_t m = managers[k];
      bool good = is_valid_change(e, m, adds[k]);
      bool done =
          good && (adds[k] || model_has(m, e)) && try_append_command(adds[k] ? COMMAND_ADD : COMMAND_REMOVE, m, e);
      done = done || (adds[k] ? world_add_component(world, e, m, 0, NULL) : world_remove_component(world, e, m, 0));
      check(done == good, "one of many changes of %u to %u", m, e);
      if (good)
        model_submit((model_command_t){.kind = adds[k] ? ADD : REMOVE, .e = e, .a = m});
    }
  }
}

// Chooses random fields of plain components, grouped by component, and stores the model's command for each in
// `commands`. A component without chosen fields gets one entry that only adds it. Returns the number of entries.
static uint32_t choose_random_fields(spawn_field_t *fields, double *values, model_command_t *commands) {
  uint32_t count = 0;
  for (uint32_t manager = 1 + random_below(3); manager <= MANAGERS && count + 1 + MAX_VALUES < 16;
       manager += 1 + random_below(4)) {
    if (kinds[manager].single || kinds[manager].many)
      continue;
    uint32_t first = count;
    for (uint32_t c = 0; c < kinds[manager].fields; ++c)
      if (random_below(2) == 0) {
        double v = random_value(kinds[manager].types[c]);
        commands[count] = (model_command_t){.kind = SET, .a = manager, .c = c, .value = v};
        values[count] = to_stored_value(kinds[manager].types[c], v);
        fields[count++] = (spawn_field_t){.manager = manager, .column = c, .part = random_below(4)};
      }
    if (count == first) {
      commands[count] = (model_command_t){.kind = ADD, .a = manager};
      fields[count++] = (spawn_field_t){.manager = manager, .column = SPAWN_NO_COLUMN};
    }
  }
  return count;
}

static void spawn_with(uint32_t a, spawn_field_t *fields, const double *values, const model_command_t *commands,
                       uint32_t count) {
  uint32_t before = model.queued;
  uint32_t e = world_spawn_with_values(world, a, fields, values, count, NULL);
  model_command_t c = {.kind = SPAWN, .e = model_create(a), .a = a};
  check(c.e == e, "spawned %u with values, not %u", e, c.e);
  model_push(c);
  model_spawn_children(c.e, a, model.queue, &model.queued);
  for (uint32_t i = before; i < model.queued; ++i)
    remember_id(model.queue[i].e);
  for (uint32_t i = 0; i < count; ++i) {
    model_push((model_command_t){.kind = ADD, .e = e, .a = commands[i].a});
    if (commands[i].kind == SET) {
      model_push(commands[i]);
      model.queue[model.queued - 1].e = e;
    }
  }
}

// Spawns several entities with values, interleaved with events, changes of fields and checks.
static void op_spawn_with(void) {
  uint32_t a = 1 + random_below(MAX_ASSEMBLAGES), other = 1 + random_below(MAX_ASSEMBLAGES);
  spawn_field_t fields[2][16];
  double values[2][16];
  model_command_t commands[2][16];
  uint32_t counts[2];
  if (model.frames == 0 || is_crowded(120))
    return;
  for (uint32_t i = 0; i < 2; ++i)
    counts[i] = choose_random_fields(fields[i], values[i], commands[i]);
  for (uint32_t i = 1 + random_below(12); i > 0; --i) {
    uint32_t with = random_below(4) == 0, of = model.assemblages[a].children == 0 && random_below(8) != 0 ? a : other;
    spawn_with(of, fields[with], values[with], commands[with], counts[with]);
    if (random_below(4) == 0)
      op_emit();
    if (random_below(8) == 0)
      op_set();
    if (random_below(16) == 0)
      op_compare_facts();
  }
}

static void op_watch(void) {
  if (model.query_count == 0)
    return;
  uint32_t system = 1 + random_below(3), query = random_below(model.query_count), at = 0;
  while (at < model.watcher_count && (model.watchers[at].system != system || model.watchers[at].query != query))
    at++;
  if (at == MAX_WATCHERS)
    return;
  uint32_t watcher = world_watch_query(world, text_id("system", system), find_world_query(&model.queries[query]));
  check(watcher == at + 1, "watcher %u, not %u", watcher, at + 1);
  model_watcher_t *x = &model.watchers[at];
  if (at == model.watcher_count) {
    *x = (model_watcher_t){.system = system, .query = query};
    model.watcher_count++;
    const model_query_t *q = &model.queries[query];
    for (uint32_t i = 0; i < q->count; ++i) {
      int64_t first = q->driver ? model_after(q->driver, q->e[i], 0) : -1;
      if (first < 0 || model.m[q->driver].rows[first].instance == q->instance[i])
        model_record_watch_entry(x, q->e[i], true);
    }
  }
  if (random_below(20) != 0)
    return; // lets the entries of several operations accumulate
  uint32_t count;
  const query_watch_t *notes = world_watch_pop_entries(world, watcher, &count);
  check(count == x->count, "watcher %u has %u notes, not %u", watcher, count, x->count);
  for (uint32_t entered = 0, at_note = 0; entered < 2; ++entered)
    for (uint32_t i = 0; i < count; ++i) {
      if (x->entered[i] != entered)
        continue;
      check(notes[at_note].entity == x->e[i] && notes[at_note].entered == x->entered[i], "watcher %u note %u", watcher,
            i);
      ++at_note;
    }
  x->count = 0;
}

static void fill_block(model_block_t *b) {
  const model_part_t *plan[2 * MAX_PARTS];
  uint32_t parts = model_list_parts(b->assemblage, plan);
  for (uint32_t p = 0; p < parts; ++p) {
    const kind_t *k = &kinds[plan[p]->manager];
    for (uint32_t i = 0; i < b->count; ++i)
      memcpy(b->v[i][p], plan[p]->v, sizeof plan[p]->v);
    if (random_below(3) == 0)
      continue; // these columns are never requested, so they are never staged
    columns_t *c =
        world_spawn_block_columns(world, b->number, plan[p]->manager, text_id("instance", plan[p]->instance));
    check(c && c->count == b->count, "the block has no columns of %s", k->name);
    for (uint32_t i = 0; i < b->count; ++i)
      for (uint32_t f = 0; f < k->fields; ++f) {
        if (random_below(2))
          continue;
        b->v[i][p][f] = random_value(k->types[f]);
        columns_set(c, i, f, to_stored_value(k->types[f], b->v[i][p][f]));
      }
  }
}

// Records a block in the model and compares the world's new ids `e` with the model's ids.
static void record_block(model_block_t *b, uint32_t number, uint32_t a, const uint32_t *e, uint32_t count) {
  b->number = number;
  b->assemblage = a;
  b->count = count;
  b->depth = model.frames;
  b->committed = false;
  b->descendant_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    b->e[i] = model_create(a);
    check(e[i] == b->e[i], "entity %u of a block", i);
    remember_id(b->e[i]);
  }
  for (uint32_t i = 0; i < count; ++i)
    model_spawn_children(b->e[i], a, b->descendants, &b->descendant_count);
}

static void begin_block(model_block_t *b) {
  static uint32_t last; // number of the previous block
  uint32_t a = random_below(3) ? random_below(MAX_ASSEMBLAGES + 1) : 1, count = random_below(6), e[16];
  if (model.assemblages[a].children == 0 && random_below(3) == 0)
    count = 8 + random_below(9);
  if (random_below(3) == 0) {
    bool is_single = count == 1 && !world_is_deferring(world); // spawned without a block
    check(world_spawn_many(world, a, count, e, NULL) == count, "not all of %u were spawned", count);
    record_block(b, is_single ? UINT32_MAX : ++last, a, e, count);
    const model_part_t *plan[2 * MAX_PARTS];
    uint32_t parts = model_list_parts(a, plan);
    for (uint32_t i = 0; i < count * parts; ++i)
      memcpy(b->v[i / parts][i % parts], plan[i % parts]->v, sizeof plan[0]->v);
    b->committed = true;
    model_submit((model_command_t){.kind = BLOCK, .a = b->number});
    return;
  }
  uint32_t number = world_spawn_block_begin(world, a, count, NULL);
  check(number > last, "block %u, after %u", number, last); // numbers increase, with gaps for single spawns
  last = number;
  record_block(b, number, a, world_spawn_block_entities(world, number), count);
  fill_block(b);
}

static void op_block(void) {
  model_block_t *b = &model.blocks[random_below(MAX_BLOCKS)];
  if (b->number == 0) {
    if (!is_crowded(120))
      begin_block(b);
  } else if (b->committed) {
    world_spawn_block_abort(world, b->number); // has no effect, because the block is committed
  } else if (random_below(5) == 0) {
    uint32_t by = model.frames ? model.frame_by[model.frames - 1] : 0;
    world_spawn_block_abort(world, b->number);
    model_free_block(b, by);
  } else {
    b->committed = true;
    world_spawn_block_commit(world, b->number);
    model_submit((model_command_t){.kind = BLOCK, .a = b->number});
  }
}

static void op_redeclare(void) {
  if (random_below(20) != 0 || model.frames > 0)
    return;
  for (uint32_t i = 0; i < MAX_BLOCKS; ++i)
    if (model.blocks[i].number)
      return;
  declare_assemblages();
}

static void op_compare_facts(void) {
  uint32_t e = random_entity(), manager = random_component(), n = 1 + random_below(MAX_ASSEMBLAGES), alive = 0;
  check(world_is_alive(world, e) == model_is_alive(e), "is %u alive?", e);
  bool has = manager <= MANAGERS && model_is_alive(e) && model_has(manager, e);
  check(world_has_component(world, e, manager) == has, "has %u component %u?", e, manager);
  for (uint32_t i = 1; i < model.used; ++i)
    alive += model.alive[i] && !model.is_queued[i] && model.assemblage[i] == n;
  check(world_assemblage_alive_count(world, text_id("assemblage", n)) == alive, "how many of assemblage %u?", n);
  // the world merges some commands, so only "none" and "some" are compared
  check((world_command_count(world) == 0) == (model_command_count() == 0), "%u commands, not %u",
        world_command_count(world), model_command_count());
  check(world_hash(world) == world_hash(world), "two hashes of the same world differ");
}

static void (*const operations[])(void) = {
    op_spawn,         op_spawn, op_spawn, op_spawn, op_destroy,  op_destroy,    op_destroy,
    op_add,           op_add,   op_add,   op_add,   op_remove,   op_remove,     op_set,
    op_set,           op_set,   op_enter, op_enter, op_defer,    op_defer,      op_emit,
    op_read,          op_query, op_watch, op_block, op_block,    op_end_tick,   op_redeclare,
    op_compare_facts, op_group, op_many,  op_many,  op_repeated, op_spawn_with, op_enter_many,
};

int main(int argc, char **argv) {
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000;
  state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
  world = world_create(&(world_desc_t){.seed = seed});
  model.used = 1; // index 0 is reserved
  declare_components();
  declare_assemblages();
  for (operation = 1; operation <= count; ++operation) {
    operations[random_below(sizeof operations / sizeof operations[0])]();
    if (model.note_count > MAX_ROWS || operation % 64 == 0 || count < 5000)
      compare_all();
  }
  while (model.frames > 0)
    op_defer();
  compare_all();
  printf("ecs_fuzz %llu %llu: hash %016llx\n", (unsigned long long)seed, (unsigned long long)count,
         (unsigned long long)world_hash(world));
  world_destroy(world);
  return 0;
}
