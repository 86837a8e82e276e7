// Managers of components (shoal_manager) in the world: the hooks that call a manager's functions for added and removed
// rows and for snapshots, for plugins and for the standalone entity system. The hooks check the row count after each
// change, and refill a manager that has a wrong count or rejects its saved storage.
#ifndef SHOAL_ACCESS_CUSTOM_MANAGER_H
#define SHOAL_ACCESS_CUSTOM_MANAGER_H

#include "access/scratch.h"
#include "base/error.h"
#include "ecs/world.h"
#include "shoal/types.h"

typedef struct custom_manager_t custom_manager_t;

typedef enum custom_function_t {
  CUSTOM_CREATE,
  CUSTOM_DESTROY,
  CUSTOM_ATTACH,
  CUSTOM_DETACH,
  CUSTOM_COUNT,
  CUSTOM_SAVE_BYTES,
  CUSTOM_SAVE,
  CUSTOM_LOAD,
  CUSTOM_MIGRATE
} custom_function_t;

// One call of a manager's function: its arguments and results.
typedef struct custom_call_t {
  custom_function_t function;
  const shoal_entity *entities;
  uint32_t count; // number of `entities`; for CUSTOM_COUNT, the resulting number of rows
  void *target;   // buffer for `save`; result of `create`
  uint32_t version;
  const void *saved;  // saved storage for `load` and `migrate`; NULL empties the manager
  size_t size;        // size of `saved` in bytes; for CUSTOM_SAVE_BYTES, the resulting size
  bool loaded;        // result of `load` and `migrate`
  error_info_t error; // reason of a failed call or of `loaded == false`; "" if unknown
} custom_call_t;

typedef enum custom_problem_t {
  CUSTOM_FAILED,   // a call failed, `load` rejected NULL, or `save_bytes` or `save` exceeded its size limit
  CUSTOM_REJECTED, // the saved storage was rejected, and the manager was refilled from the columns
  CUSTOM_REFILLED, // the row count was wrong, and the manager was refilled
  CUSTOM_UNFILLED  // the row count was wrong, also after the manager was refilled
} custom_problem_t;

struct custom_manager_t {
  void *owner; // data of the program that provides `run` and `fail`
  const shoal_component *component;
  allocator_t *memory;
  // Builds a context and calls custom_manager_call. Returns true on success, or false with call->error.
  bool (*run)(custom_manager_t *m, custom_call_t *call);
  void (*fail)(custom_manager_t *m, custom_problem_t problem, const char *text);
  manager_o *rows; // the component in the world; NULL until custom_manager_connect
  void *self;      // storage of the manager, as returned by `create`
  uint32_t attached;
  size_t saved_bytes; // most recent result of `save_bytes`
  scratch_t saved;    // buffer for the bytes that `save` writes
  // True after `fail`: no function of the manager except `destroy` is called until its storage is loaded.
  bool is_unreliable;
  bool is_inactive; // true if the manager is never called, because its plugin is inactive in a forked process
};

// Returns true if a component may have its manager; otherwise returns false with an error.
bool custom_manager_check_declaration(const shoal_component *component, error_info_t *error);
// Creates the storage. Returns true on success; otherwise returns false with an error.
bool custom_manager_create(custom_manager_t *m, error_info_t *error);
// Disconnects the manager from the world and destroys the storage if it was created.
void custom_manager_destroy(custom_manager_t *m, world_o *w);
// Sets the hooks of the component.
void custom_manager_connect(custom_manager_t *m, world_o *w, manager_o *rows);
// custom_function_name returns the name of a manager's function, such as "attach". custom_manager_call calls the
// function `call->function` of the manager with the context `c`, and stores the results in `call`. Only implementations
// of `run` may call it.
const char *custom_function_name(custom_function_t function);
void custom_manager_call(const custom_manager_t *m, custom_call_t *call, shoal_context *c);
// Saves the storage and loads the result, then compares the row counts.
void custom_manager_test_save(custom_manager_t *m, world_o *w);
void custom_manager_check_row_count(custom_manager_t *m);

#endif
