// Contacts: Chipmunk's arbiters, the stored contacts of a space, and the contact events of a step.
#include "space_internal.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

static const double MAX = 1e15; // maximum absolute value of an impulse

static uint32_t shape_entity(const cpShape *shape) {
  return to_live_shape(shape)->row.entity;
}

// --- events of a step

static cpBool report_contact(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)space;
  space_o *s = data;
  GROW(s->begun, s->begun_capacity, s->begun_count + 1);
  space_contact_t c = {.a = shape_entity(arbiter->a), .b = shape_entity(arbiter->b), .begins = true};
  c.sensor = arbiter->a->sensor || arbiter->b->sensor;
  cpVect n = arbiter->n, middle = cpvzero;
  const cpBody *a = arbiter->body_a, *b = arbiter->body_b;
  for (int i = 0; i < arbiter->count; ++i) {
    const struct cpContact *p = &arbiter->contacts[i];
    cpVect on_a = cpvadd(a->p, p->r1), on_b = cpvadd(b->p, p->r2);
    middle = cpvadd(middle, cpvmult(cpvadd(on_a, on_b), 0.5 / arbiter->count));
    c.depth = fmaxf(c.depth, (float)-cpvdot(cpvsub(on_b, on_a), n));
    cpVect va = cpvadd(a->v, cpvmult(cpvperp(p->r1), a->w)), vb = cpvadd(b->v, cpvmult(cpvperp(p->r2), b->w));
    c.speed = fmaxf(c.speed, (float)-cpvdot(cpvsub(vb, va), n));
  }
  c.x = (float)middle.x;
  c.y = (float)middle.y;
  c.nx = (float)n.x;
  c.ny = (float)n.y;
  s->begun[s->begun_count++] = (begun_t){arbiter, c};
  return cpTrue;
}

static void record_separation(space_o *s, uint32_t a, uint32_t b, bool sensor) {
  GROW(s->parted, s->parted_capacity, s->parted_count + 1);
  s->parted[s->parted_count++] = (space_contact_t){.a = a < b ? a : b, .b = a < b ? b : a, .sensor = sensor};
}

static void report_separation(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)space;
  record_separation(data, shape_entity(arbiter->a), shape_entity(arbiter->b), arbiter->a->sensor || arbiter->b->sensor);
}

static cpBool accept_contact(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)arbiter, (void)space, (void)data;
  return cpTrue;
}

static void ignore_contact(cpArbiter *arbiter, cpSpace *space, cpDataPointer data) {
  (void)arbiter, (void)space, (void)data;
}

void contacts_install(space_o *s) {
  cpCollisionHandler handler = {
      .typeA = CP_WILDCARD_COLLISION_TYPE,
      .typeB = CP_WILDCARD_COLLISION_TYPE,
      .beginFunc = report_contact,
      .preSolveFunc = accept_contact,
      .postSolveFunc = ignore_contact,
      .separateFunc = report_separation,
      .userData = s,
  };
  memcpy(&s->space->defaultHandler, &handler, sizeof handler); // members of cpCollisionHandler are const
}

static int compare_by_entities(const void *one, const void *other) {
  const space_contact_t *p = one, *q = other;
  if (p->a != q->a)
    return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

// Lists the contacts that began in this step, in the order in which Chipmunk reported them, then those that ended. The
// ended contacts are sorted by entity, because Chipmunk reports them in hash order, which depends on addresses.
void contacts_report(space_o *s) {
  GROW(s->contacts, s->contact_capacity, s->begun_count + s->parted_count);
  s->contact_count = 0;
  for (uint32_t i = 0; i < s->begun_count; ++i) {
    space_contact_t c = s->begun[i].contact;
    if (!c.sensor && s->begun[i].arbiter->count > 0)
      c.impulse = (float)cpvlength(cpArbiterTotalImpulse(s->begun[i].arbiter));
    s->contacts[s->contact_count++] = c;
  }
  if (s->parted_count > 1)
    qsort(s->parted, s->parted_count, sizeof *s->parted, compare_by_entities);
  for (uint32_t i = 0; i < s->parted_count; ++i)
    s->contacts[s->contact_count++] = s->parted[i];
  s->parted_count = s->begun_count = 0;
}

const space_contact_t *space_contacts(const space_o *s, uint32_t *count) {
  *count = s->contact_count;
  return s->contacts;
}

// --- arbiters → stored contacts

static void store_contact(space_o *s, const cpArbiter *arbiter) {
  GROW(s->kept, s->kept_capacity, s->kept_count + 1);
  kept_contact_t *k = &s->kept[s->kept_count++];
  // Contacts that already existed in the previous step must not be restored as new ones.
  bool cached = arbiter->state == CP_ARBITER_STATE_CACHED;
  *k = (kept_contact_t){
      .a = shape_entity(arbiter->a),
      .b = shape_entity(arbiter->b),
      .check_a = to_live_shape(arbiter->a)->check,
      .check_b = to_live_shape(arbiter->b)->check,
      .count = (uint8_t)arbiter->count,
      .state = (uint8_t)(cached ? CP_ARBITER_STATE_CACHED : CP_ARBITER_STATE_NORMAL),
      .age = (uint16_t)(s->space->stamp - arbiter->stamp),
  };
  for (int i = 0; i < arbiter->count; ++i) {
    k->hash[i] = arbiter->contacts[i].hash;
    k->normal[i] = sanitize_number(arbiter->contacts[i].jnAcc, MAX);
    k->along[i] = sanitize_number(arbiter->contacts[i].jtAcc, MAX);
  }
}

static void sanitize_contact(void *element, void *data) {
  (void)data;
  cpArbiter *arbiter = element;
  for (int i = 0; i < arbiter->count; ++i) {
    arbiter->contacts[i].jnAcc = sanitize_number(arbiter->contacts[i].jnAcc, MAX);
    arbiter->contacts[i].jtAcc = sanitize_number(arbiter->contacts[i].jtAcc, MAX);
  }
}

void contacts_sanitize(space_o *s) {
  cpHashSetEach(s->space->cachedArbiters, sanitize_contact, NULL);
}

static void store_each_contact(void *arbiter, void *data) {
  store_contact(data, arbiter);
}

static int compare_by_pair(const void *one, const void *other) {
  const kept_contact_t *p = one, *q = other;
  if (p->a != q->a)
    return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

// Stores all contacts, sorted by entities, because the order of the hash set depends on addresses.
void contacts_store(space_o *s) {
  if (s->kept_fresh || !s->space)
    return;
  s->kept_count = 0;
  cpHashSetEach(s->space->cachedArbiters, store_each_contact, s);
  if (s->kept_count > 1)
    qsort(s->kept, s->kept_count, sizeof *s->kept, compare_by_pair);
  s->kept_fresh = true;
}

uint32_t space_find_touching(space_o *s, uint32_t entity, uint32_t *out, uint32_t max) {
  uint32_t count = 0;
  contacts_store(s);
  for (uint32_t i = 0; i < s->kept_count; ++i) {
    const kept_contact_t *k = &s->kept[i];
    if (k->state == CP_ARBITER_STATE_CACHED || (k->a != entity && k->b != entity))
      continue;
    if (count < max)
      out[count] = k->a == entity ? k->b : k->a;
    ++count;
  }
  return count;
}

// --- stored contacts → arbiters

static cpArbiter *create_arbiter(cpSpace *space) {
  if (space->pooledArbiters->num == 0) {
    cpArbiter *more = calloc(1, CP_BUFFER_BYTES);
    if (!more)
      abort();
    cpArrayPush(space->allocatedBuffers, more);
    for (size_t i = 0; i < CP_BUFFER_BYTES / sizeof *more; ++i)
      cpArrayPush(space->pooledArbiters, more + i);
  }
  return cpArrayPop(space->pooledArbiters);
}

static void *insert_arbiter(const void *pair, void *data) {
  const cpShape *const *shapes = pair;
  return cpArbiterInit(create_arbiter(data), (cpShape *)(uintptr_t)shapes[0], (cpShape *)(uintptr_t)shapes[1]);
}

static void restore_contact(space_o *s, const kept_contact_t *k, const cpShape *a, const cpShape *b) {
  cpSpace *space = s->space;
  const cpShape *pair[] = {a, b};
  cpArbiter *arbiter = (cpArbiter *)(uintptr_t)cpHashSetInsert(
      space->cachedArbiters, CP_HASH_PAIR((cpHashValue)a, (cpHashValue)b), (const void *)pair, insert_arbiter, space);
  arbiter->handler = &space->defaultHandler;
  arbiter->state = (enum cpArbiterState)k->state;
  arbiter->stamp = space->stamp - k->age;
  if (k->count == 0)
    return;
  struct cpContact *contacts = cpContactBufferGetArray(space);
  for (int i = 0; i < k->count; ++i)
    contacts[i] = (struct cpContact){.hash = (cpHashValue)k->hash[i], .jnAcc = k->normal[i], .jtAcc = k->along[i]};
  cpSpacePushContacts(space, k->count);
  arbiter->contacts = contacts;
  arbiter->count = k->count;
}

// Restores the stored contacts. Contacts of removed or replaced shapes end.
void contacts_restore(space_o *s) {
  if (s->kept_count == 0)
    return;
  cpSpacePushFreshContactBuffer(s->space);
  number_map_clear(&s->map, s->shape_count);
  for (uint32_t i = 0; i < s->shape_count; ++i)
    number_map_put(&s->map, s->shapes[i]->row.entity, i);
  for (uint32_t i = 0; i < s->kept_count; ++i) {
    const kept_contact_t *k = &s->kept[i];
    uint32_t a = number_map_get(&s->map, k->a), b = number_map_get(&s->map, k->b);
    if (a != NOT_LIVE && b != NOT_LIVE && s->shapes[a]->check == k->check_a && s->shapes[b]->check == k->check_b)
      restore_contact(s, k, &s->shapes[a]->as.shape, &s->shapes[b]->as.shape);
    else if (k->state != CP_ARBITER_STATE_CACHED)
      record_separation(s, k->a, k->b, false);
  }
}
