// Schemas and snapshots that Lua code creates through the FFI. The VM owns them, and frees the remaining objects when
// its Lua state closes.
#include "script/vm_objects.h"

#include "base/assert.h"
#include "script/vm.h"
#include "watchdog/watchdog.h"

#include <stdlib.h>

schema_t *vm_build_schema(vm_o *vm, const schema_desc_t *desc, uint32_t *invalid_field, error_info_t *error) {
  allocator_t *allocator = &vm->schemas.memory;
  schema_t *schema = alloc_resize(allocator, NULL, 0, sizeof *schema);
  if (schema_build(schema, desc, allocator, invalid_field, error)) {
    array_push(allocator, &vm->schemas.built, schema);
    return schema;
  }
  alloc_resize(allocator, schema, sizeof *schema, 0);
  return NULL;
}

void vm_free_schemas(vm_o *vm) {
  allocator_t *allocator = &vm->schemas.memory;
  for (uint32_t i = 0; i < vm->schemas.built.count; ++i) {
    schema_fini(vm->schemas.built.items[i], allocator);
    alloc_resize(allocator, vm->schemas.built.items[i], sizeof(schema_t), 0);
  }
  array_free(allocator, &vm->schemas.built);
  shoal_assert(allocator->bytes == 0, "schemas leaked %zu bytes", allocator->bytes);
}

size_t vm_used_memory(const vm_o *vm) {
  size_t bytes = arena_bytes(vm->arena) + strings_memory_bytes(world_strings(vm->desc.world));
  for (uint32_t i = 0; i < vm->snapshot_count; ++i)
    bytes += snapshot_size(vm->snapshots[i]);
  return bytes;
}

bool vm_exceeds_memory_limit(vm_o *vm, bool stop) {
  bool is_exceeded = vm_used_memory(vm) > vm_memory_limit(vm);
  if (is_exceeded && stop)
    watchdog_on_memory_limit(NULL);
  return is_exceeded;
}

snapshot_o *vm_create_snapshot(vm_o *vm) {
  if (vm->snapshot_count == vm->snapshot_capacity) {
    vm->snapshot_capacity = vm->snapshot_capacity ? vm->snapshot_capacity * 2 : 16;
    vm->snapshots = realloc(vm->snapshots, vm->snapshot_capacity * sizeof(snapshot_o *));
    if (!vm->snapshots)
      abort();
  }
  snapshot_o *snapshot = snapshot_create(world_allocator(vm->desc.world));
  vm->snapshots[vm->snapshot_count++] = snapshot;
  return snapshot;
}

void vm_destroy_snapshot(vm_o *vm, snapshot_o *snapshot) {
  for (uint32_t i = vm->snapshot_count; i-- > 0;) // the newest snapshots are usually dropped first
    if (vm->snapshots[i] == snapshot) {
      vm->snapshots[i] = vm->snapshots[--vm->snapshot_count];
      snapshot_release(snapshot);
      return;
    }
  shoal_assert(false, "snapshot does not belong to this VM");
}

void vm_objects_release(vm_o *vm) {
  vm_free_schemas(vm);
  for (uint32_t i = 0; i < vm->snapshot_count; ++i)
    snapshot_release(vm->snapshots[i]);
  vm->snapshot_count = 0;
}

void vm_objects_fini(vm_o *vm) {
  shoal_assert(vm->snapshot_count == 0, "%u snapshots remain: call vm_objects_release first", vm->snapshot_count);
  free(vm->snapshots);
}
