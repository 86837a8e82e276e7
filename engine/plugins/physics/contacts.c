// Contacts: Chipmunk's arbiters, the stored contacts of a space, and the contact events of a step.
#include "space_internal.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

static const double MAX_IMPULSE = 1e15; // maximum absolute value of an impulse

static uint32_t get_shape_entity(const cpShape *shape) {
  return to_live_shape(shape)->row.entity;
}

// --- events of a step

static cpBool report_contact(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)space;
  space_o *state = data;
  GROW(state->begun_contacts, state->begun_capacity, state->begun_count + 1);
  space_contact_t contact = {.a = get_shape_entity(arbiter->a), .b = get_shape_entity(arbiter->b), .begins = true};
  contact.sensor = arbiter->a->sensor || arbiter->b->sensor;
  cpVect normal = arbiter->n, center = cpvzero;
  const cpBody *a = arbiter->body_a, *b = arbiter->body_b;
  for (int i = 0; i < arbiter->count; ++i) {
    const struct cpContact *point = &arbiter->contacts[i];
    cpVect point_a = cpvadd(a->p, point->r1), point_b = cpvadd(b->p, point->r2);
    center = cpvadd(center, cpvmult(cpvadd(point_a, point_b), 0.5 / arbiter->count));
    contact.depth = fmaxf(contact.depth, (float)-cpvdot(cpvsub(point_b, point_a), normal));
    cpVect velocity_a = cpvadd(a->v, cpvmult(cpvperp(point->r1), a->w)),
           velocity_b = cpvadd(b->v, cpvmult(cpvperp(point->r2), b->w));
    contact.speed = fmaxf(contact.speed, (float)-cpvdot(cpvsub(velocity_b, velocity_a), normal));
  }
  contact.x = (float)center.x;
  contact.y = (float)center.y;
  contact.nx = (float)normal.x;
  contact.ny = (float)normal.y;
  state->begun_contacts[state->begun_count++] = (begun_contact_t){arbiter, contact};
  return cpTrue;
}

static void record_separation(space_o *state, uint32_t a, uint32_t b, bool sensor) {
  GROW(state->ended_contacts, state->ended_capacity, state->ended_count + 1);
  state->ended_contacts[state->ended_count++] =
      (space_contact_t){.a = a < b ? a : b, .b = a < b ? b : a, .sensor = sensor};
}

static void report_separation(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)space;
  record_separation(data, get_shape_entity(arbiter->a), get_shape_entity(arbiter->b),
                    arbiter->a->sensor || arbiter->b->sensor);
}

static cpBool accept_contact(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)arbiter, (void)space, (void)data;
  return cpTrue;
}

static void ignore_contact(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)arbiter, (void)space, (void)data;
}

void contacts_install(space_o *state) {
  cpCollisionHandler handler = {
      .typeA = CP_WILDCARD_COLLISION_TYPE,
      .typeB = CP_WILDCARD_COLLISION_TYPE,
      .beginFunc = report_contact,
      .preSolveFunc = accept_contact,
      .postSolveFunc = ignore_contact,
      .separateFunc = report_separation,
      .userData = state,
  };
  memcpy(&state->space->defaultHandler, &handler, sizeof handler); // members of cpCollisionHandler are const
}

static int compare_by_entities(const void *a, const void *b) {
  const space_contact_t *left = a, *right = b;
  if (left->a != right->a)
    return left->a < right->a ? -1 : 1;
  return (left->b > right->b) - (left->b < right->b);
}

// Lists the contacts that began in this step, in the order in which Chipmunk reported them, then the contacts that
// ended. The ended contacts are sorted by entity, because Chipmunk reports them in hash order, which depends on
// addresses.
void contacts_report(space_o *state) {
  GROW(state->contacts, state->contact_capacity, state->begun_count + state->ended_count);
  state->contact_count = 0;
  for (uint32_t i = 0; i < state->begun_count; ++i) {
    space_contact_t contact = state->begun_contacts[i].contact;
    if (!contact.sensor && state->begun_contacts[i].arbiter->count > 0)
      contact.impulse = (float)cpvlength(cpArbiterTotalImpulse(state->begun_contacts[i].arbiter));
    state->contacts[state->contact_count++] = contact;
  }
  if (state->ended_count > 1)
    qsort(state->ended_contacts, state->ended_count, sizeof *state->ended_contacts, compare_by_entities);
  for (uint32_t i = 0; i < state->ended_count; ++i)
    state->contacts[state->contact_count++] = state->ended_contacts[i];
  state->ended_count = state->begun_count = 0;
}

const space_contact_t *space_contacts(const space_o *state, uint32_t *count) {
  *count = state->contact_count;
  return state->contacts;
}

// --- arbiters → stored contacts

static void store_contact(space_o *state, const cpArbiter *arbiter) {
  GROW(state->stored_contacts, state->stored_capacity, state->stored_count + 1);
  stored_contact_t *stored = &state->stored_contacts[state->stored_count++];
  // Contacts that already existed in the previous step must not be restored as new contacts.
  bool is_cached = arbiter->state == CP_ARBITER_STATE_CACHED;
  *stored = (stored_contact_t){
      .a = get_shape_entity(arbiter->a),
      .b = get_shape_entity(arbiter->b),
      .check_a = to_live_shape(arbiter->a)->check,
      .check_b = to_live_shape(arbiter->b)->check,
      .count = (uint8_t)arbiter->count,
      .state = (uint8_t)(is_cached ? CP_ARBITER_STATE_CACHED : CP_ARBITER_STATE_NORMAL),
      .age = (uint16_t)(state->space->stamp - arbiter->stamp),
  };
  for (int i = 0; i < arbiter->count; ++i) {
    stored->hash[i] = arbiter->contacts[i].hash;
    stored->normal[i] = sanitize_number(arbiter->contacts[i].jnAcc, MAX_IMPULSE);
    stored->tangent[i] = sanitize_number(arbiter->contacts[i].jtAcc, MAX_IMPULSE);
  }
}

static void sanitize_contact(void *element, void *data) {
  (void)data;
  cpArbiter *arbiter = element;
  for (int i = 0; i < arbiter->count; ++i) {
    arbiter->contacts[i].jnAcc = sanitize_number(arbiter->contacts[i].jnAcc, MAX_IMPULSE);
    arbiter->contacts[i].jtAcc = sanitize_number(arbiter->contacts[i].jtAcc, MAX_IMPULSE);
  }
}

void contacts_sanitize(space_o *state) {
  cpHashSetEach(state->space->cachedArbiters, sanitize_contact, NULL);
}

static void store_each_contact(void *arbiter, void *data) {
  store_contact(data, arbiter);
}

static int compare_by_pair(const void *a, const void *b) {
  const stored_contact_t *left = a, *right = b;
  if (left->a != right->a)
    return left->a < right->a ? -1 : 1;
  return (left->b > right->b) - (left->b < right->b);
}

// Stores all contacts, sorted by entities, because the order of the hash set depends on addresses.
void contacts_store(space_o *state) {
  if (state->stored_contacts_current || !state->space)
    return;
  state->stored_count = 0;
  cpHashSetEach(state->space->cachedArbiters, store_each_contact, state);
  if (state->stored_count > 1)
    qsort(state->stored_contacts, state->stored_count, sizeof *state->stored_contacts, compare_by_pair);
  state->stored_contacts_current = true;
}

uint32_t space_find_touching(space_o *state, uint32_t entity, uint32_t *out, uint32_t capacity) {
  uint32_t count = 0;
  contacts_store(state);
  for (uint32_t i = 0; i < state->stored_count; ++i) {
    const stored_contact_t *contact = &state->stored_contacts[i];
    if (contact->state == CP_ARBITER_STATE_CACHED || (contact->a != entity && contact->b != entity))
      continue;
    if (count < capacity)
      out[count] = contact->a == entity ? contact->b : contact->a;
    ++count;
  }
  return count;
}

// --- stored contacts → arbiters

static cpArbiter *create_arbiter(cpSpace *space) {
  if (space->pooledArbiters->num == 0) {
    cpArbiter *arbiters = calloc(1, CP_BUFFER_BYTES);
    if (!arbiters)
      abort();
    cpArrayPush(space->allocatedBuffers, arbiters);
    for (size_t i = 0; i < CP_BUFFER_BYTES / sizeof *arbiters; ++i)
      cpArrayPush(space->pooledArbiters, arbiters + i);
  }
  return cpArrayPop(space->pooledArbiters);
}

static void *insert_arbiter(const void *pair, void *data) {
  const cpShape *const *shapes = pair;
  return cpArbiterInit(create_arbiter(data), (cpShape *)(uintptr_t)shapes[0], (cpShape *)(uintptr_t)shapes[1]);
}

static void restore_contact(space_o *state, const stored_contact_t *stored, const cpShape *a, const cpShape *b) {
  cpSpace *space = state->space;
  const cpShape *pair[] = {a, b};
  cpArbiter *arbiter = (cpArbiter *)(uintptr_t)cpHashSetInsert(
      space->cachedArbiters, CP_HASH_PAIR((cpHashValue)a, (cpHashValue)b), (const void *)pair, insert_arbiter, space);
  arbiter->handler = &space->defaultHandler;
  arbiter->state = (enum cpArbiterState)stored->state;
  arbiter->stamp = space->stamp - stored->age;
  if (stored->count == 0)
    return;
  struct cpContact *contacts = cpContactBufferGetArray(space);
  for (int i = 0; i < stored->count; ++i)
    contacts[i] = (struct cpContact){
        .hash = (cpHashValue)stored->hash[i], .jnAcc = stored->normal[i], .jtAcc = stored->tangent[i]};
  cpSpacePushContacts(space, stored->count);
  arbiter->contacts = contacts;
  arbiter->count = stored->count;
}

// Restores the stored contacts. Contacts of removed or replaced shapes end.
void contacts_restore(space_o *state) {
  if (state->stored_count == 0)
    return;
  cpSpacePushFreshContactBuffer(state->space);
  number_map_clear(&state->map, state->shape_count);
  for (uint32_t i = 0; i < state->shape_count; ++i)
    number_map_put(&state->map, state->shapes[i]->row.entity, i);
  for (uint32_t i = 0; i < state->stored_count; ++i) {
    const stored_contact_t *stored = &state->stored_contacts[i];
    uint32_t a = number_map_get(&state->map, stored->a), b = number_map_get(&state->map, stored->b);
    if (a != NOT_LIVE && b != NOT_LIVE && state->shapes[a]->check == stored->check_a &&
        state->shapes[b]->check == stored->check_b)
      restore_contact(state, stored, &state->shapes[a]->as.shape, &state->shapes[b]->as.shape);
    else if (stored->state != CP_ARBITER_STATE_CACHED)
      record_separation(state, stored->a, stored->b, false);
  }
}
